/*
 * Entries of YAML's brackets: a value, and how one is put in.
 *
 * Both functions return 0; PROBLEM, when the value can't be written, or what people must look after
 * would go; or -ENOMEM.
 */
#pragma once

#include "editor.h"

/** Puts `value` in the place of `old`, an entry of `in`, also where no value is written: {a, b:}.
 */
int yaml_flow_set(struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *value);

/**
 * Puts the op's value, and its key if it has one, into `in`. Empty brackets give way to a block
 * where one may stand. EDIT_CANNOT: there are no brackets where they are looked for.
 */
int yaml_flow_add(struct edit *edit, const struct edit_op *op, const struct extent *in);
