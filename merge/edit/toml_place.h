/*
 * Where a value of TOML is written. A table may be in many places: its own header, headers of the
 * tables in it, dotted keys.
 */
#pragma once

#include "editor.h"

/* A place in the tree. */
struct toml_target {
	const struct edit_step *steps;
	size_t count;
};

/* An entry of the text that has to do with it. */
struct toml_part {
	const struct extent *extent;
	const struct extent *in; /* the collection, header or root whose entry it is */
	uint32_t keys;           /* of a dotted key, that lead to the target */
};

struct toml_parts {
	struct toml_part *items;
	uint32_t count;
	uint32_t capacity;
};

struct toml_place {
	struct toml_part value;      /* the entry that it is the value of; its extent may be NULL */
	const struct extent *header; /* the header that opens it, or the root; or NULL */
	struct toml_parts headers;   /* of what is in it */
	struct toml_parts pairs;     /* whose dotted keys lead through it */
};

/** Whether an entry of the root is a header. */
bool toml_place_is_header(const struct edit *edit, const struct extent *entry);

/** Looks through the whole text. 0 or -ENOMEM. */
int toml_place_find(const struct edit *edit, struct toml_target target, struct toml_place *ret);

/** What is there, or NULL. */
const struct node *toml_place_node(const struct edit *edit, struct toml_target target);

/** One step further, by `step`, which is copied. 0 or -ENOMEM. */
int toml_target_enter(const struct edit *edit, struct toml_target target, struct edit_step step,
	struct toml_target *ret);

/** Where the target's last step begins; the target has one. Its steps are the same. */
static inline struct toml_target toml_target_parent(struct toml_target target)
{
	target.count--;
	return target;
}

/** The target's last step; it has one. */
static inline const struct edit_step *toml_target_last(struct toml_target target)
{
	/* cppcheck-suppress returnDanglingLifetime ; the steps are behind a pointer */
	return &target.steps[target.count - 1];
}
