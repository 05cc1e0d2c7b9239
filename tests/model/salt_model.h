/*
 * salt, implemented a second time: naive, quadratic, written from Salt's rules and not from the
 * code.
 *
 * The model copies everything and keeps its marks as the tags !aggr-map and !aggr-seq, the form in
 * which `tags: true` gives them.
 */
#pragma once

#include "node.h"

/**
 * Returns the merge of the layers' documents. `level` is '1' or '0' for each nesting, and '*' for
 * all that follow.
 *
 * NULL: an error. *is_empty: no layer has an opinion.
 */
const struct node *salt_model_merge(struct arena *arena, const struct node *const *roots,
	size_t count, const char *level, bool *is_empty);
