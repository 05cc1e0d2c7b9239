/*
 * The places where a value of TOML is written. A table may be written in many places: its own
 * header, the headers of the tables in it, and dotted keys.
 */
#pragma once

#include "editor.h"

/* The target: the value in the tree to which the steps lead. */
struct toml_target {
	const struct edit_step *steps;
	size_t count;
};

/* An entry of the text that belongs to the target, or leads to it. */
struct toml_part {
	const struct extent *extent;
	const struct extent *in; /* the collection, header or root that contains the entry */
	uint32_t keys; /* number of parts of the entry's dotted key that lead to the target */
};

struct toml_parts {
	struct toml_part *items;
	uint32_t count;
	uint32_t capacity;
};

struct toml_place {
	struct toml_part value; /* the entry whose value is the target; value.extent NULL: none */
	/* the target's own header; if the target is the root, the root's extent; NULL: none */
	const struct extent *header;
	struct toml_parts headers; /* the headers of the tables in the target */
	struct toml_parts pairs;   /* the pairs whose dotted keys lead through the target */
};

/** Returns whether an entry of the root is a header. */
bool toml_place_is_header(const struct edit *edit, const struct extent *entry);

/** Searches the whole text for the target. Returns 0 or -ENOMEM. */
int toml_place_find(const struct edit *edit, struct toml_target target, struct toml_place *ret);

/** Returns the target's node, or NULL. */
const struct node *toml_place_node(const struct edit *edit, struct toml_target target);

/** Sets *ret to the target with one more step, a copy of `step`. Returns 0 or -ENOMEM. */
int toml_target_enter(const struct edit *edit, struct toml_target target, struct edit_step step,
	struct toml_target *ret);

/** Returns the target without its last step. The target must have a step. */
static inline struct toml_target toml_target_parent(struct toml_target target)
{
	target.count--;
	return target;
}

/** Returns the target's last step. The target must have a step. */
static inline const struct edit_step *toml_target_last(struct toml_target target)
{
	/* cppcheck-suppress returnDanglingLifetime ; the steps are behind a pointer */
	return &target.steps[target.count - 1];
}
