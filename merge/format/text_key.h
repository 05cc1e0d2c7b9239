/*
 * Keys in a format that knows texts only: 1 and "1" are two keys in YAML, and would be one there.
 */
#pragma once

#include "output.h"

/**
 * Whether no two keys of the map would be the same text in the format of that name.
 * 0, PROBLEM or -ENOMEM.
 */
int text_key_check(struct writer *writer, const struct node *map, const char *format);
