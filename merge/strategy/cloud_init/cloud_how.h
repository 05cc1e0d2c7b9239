/*
 * How a part is merged, in cloud-init's notation: `list(append)+dict(recurse_list)+str()`, or a
 * list of {name, settings}. cloud.h describes parts and mergers.
 */
#pragma once

#include "arena.h"
#include "node.h"
#include "problem.h"
#include "span.h"

/* The place where a merger is named. */
struct how_place {
	const char *source;
	uint32_t line;   /* starting at 1; 0: unknown */
	uint32_t column; /* in characters, starting at 1; 0: unknown */
};

/* One merger with its options. The spans lie in the arena or in the document. */
struct how_entry {
	struct span name; /* without the prefix "m_" */
	const struct span *options;
	size_t count;
	bool is_text; /* `options` is one text, in which how_has() searches for substrings */
	struct how_place place;
};

struct how {
	struct how_entry *entries;
	uint32_t count;
	uint32_t capacity;
	const struct node *by; /* the node that names the mergers, for origins; or NULL */
};

struct how_place how_place_of(const struct node *node);

/** Appends the mergers of `text`, `name(option,option)+name(…)`. Returns 0, PROBLEM or -ENOMEM. */
int how_add_text(struct how *how, struct span text, const struct how_place *place,
	struct arena *arena, struct problem *problem);

/**
 * Appends the mergers that `value` names: a text for how_add_text(), or a list of
 * {name: NAME, settings: [OPTION, …]} and [NAME, OPTION, …]. Returns 0, PROBLEM or -ENOMEM.
 */
int how_add_value(
	struct how *how, const struct node *value, struct arena *arena, struct problem *problem);

/** Returns whether the entry has the option `name`: Python's `name in options`. */
bool how_has(const struct how_entry *entry, const char *name);
