/*
 * The conversion of an op's value to a format: `80` is a number in YAML and a string in INI, and
 * TOML can't hold null.
 */
#pragma once

#include "edit.h"

/**
 * Writes op->value as it may stand at the op's place, and reads that text again as `options` say.
 * Sets op->value, and the keys of op->steps, to what was read. `yaml` is the version of YAML to
 * read; NULL: that of the options. For EDIT_REMOVE, which has no value, does nothing.
 *
 * Returns 0; PROBLEM if the format can't hold the value; or -ENOMEM. Set *ret to NULL before. *ret
 * owns the new value: free *ret with document_free(), even after -ENOMEM.
 */
int edit_value_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret,
	struct problem *problem);
