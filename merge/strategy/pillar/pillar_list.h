/*
 * A list that grows while files are combined: whether it has an item already is known without
 * looking at all items, however often it is asked.
 */
#pragma once

#include "pillar_value.h"

/** A list like `like`, with its items, and room for `more`. NULL when there is no memory. */
struct node *pillar_list_new(struct arena *arena, const struct node *like, uint32_t more);

/**
 * Puts `item` at the end, unless the list has an equal one. `list` is from pillar_list_new() and
 * not changed by anybody else. Returns 0, PROBLEM or -ENOMEM.
 */
int pillar_list_add(struct pillar_values *values, struct node *list, const struct node *item);
