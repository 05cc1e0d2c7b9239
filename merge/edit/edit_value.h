/*
 * The conversion of an op's value to a format: `80` is a number in YAML and a string in INI, and
 * TOML can't hold null.
 */
#pragma once

#include "edit.h"

/**
 * Converts op->value to what it is after it was written in the format and read again. It is written
 * at the op's place, since that decides what may stand there, and in that version of YAML (NULL:
 * that of the options).
 *
 * Returns 0, PROBLEM if the format can't hold the value, or -ENOMEM. *ret owns the new value; free
 * it with document_free(). If nothing had to be converted, *ret is unchanged.
 */
int edit_value_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret,
	struct problem *problem);
