/*
 * Keys in a format that knows texts only: 1 and "1" are two keys in YAML, and would be one there.
 */
#pragma once

#include "output.h"

/* How a key's text is found. */
enum text_key_kind {
	TEXT_KEY_AS_WRITTEN, /* its own text; what has none is refused */
	TEXT_KEY_OF_JSON,    /* scalar_json(); what has none is refused when it is written */
};

/**
 * Whether no two keys of the map would be the same text in the format of that name.
 * 0, PROBLEM or -ENOMEM.
 */
int text_key_check(const struct writer *writer, const struct node *map, const char *format,
	enum text_key_kind kind);
