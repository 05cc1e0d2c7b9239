/*
 * The value that an op brings, as a format has it: `80` is a number in YAML and a text in INI, and
 * null is nothing that TOML could hold.
 */
#pragma once

#include "edit.h"

/**
 * Makes op->value what it is once it was written in the format and read again, behind all of the
 * op's steps, as what can stand there depends on the place, and in a text of that version of
 * YAML (NULL: as the options say). It lies in *ret, for document_free(),
 * which stays as it was where there is nothing to convert. 0; PROBLEM, when the format can't hold
 * it; or -ENOMEM.
 */
int edit_value_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret, struct problem *problem);
