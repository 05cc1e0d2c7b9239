/*
 * The conversion of an op's value to a format: `80` is a number in YAML and a string in INI, and
 * TOML can't hold null.
 */
#pragma once

#include "edit.h"

/**
 * Makes a document in which op->steps lead to op->value. Writes it in the format of `options`, and
 * reads that text with `options`. Sets op->value, and the keys in op->steps, to the nodes that were
 * read. `yaml` is the version of YAML to read; NULL: that of the options. For EDIT_REMOVE, which
 * has no value, does nothing.
 *
 * Returns 0; PROBLEM if the format can't hold the value; or -ENOMEM. The caller must set *ret to
 * NULL before. *ret owns the new value: free it with document_free(), even after -ENOMEM.
 */
int edit_value_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret,
	struct problem *problem);
