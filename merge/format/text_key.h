/*
 * Checks of keys for formats in which all keys are strings: 1 and "1" are two keys in YAML, but one
 * key in such a format.
 */
#pragma once

#include "output.h"

/* How a key's text is determined. */
enum text_key_kind {
	TEXT_KEY_AS_WRITTEN, /* the key's own text; a map or list as a key is refused */
	TEXT_KEY_OF_JSON,    /* by scalar_json(); a key that it can't convert passes */
};

/**
 * Checks that no two keys of the map have the same text. `format` is the format's name. Returns 0,
 * PROBLEM or -ENOMEM.
 */
int text_key_check(const struct writer *writer, const struct node *map, const char *format,
	enum text_key_kind kind);
