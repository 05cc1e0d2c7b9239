/* A strategy's options: declared in a table, checked once, read by name. */
#pragma once

#include "node.h"
#include "problem.h"

enum option_type {
	OPTION_BOOL,   /* a YAML boolean */
	OPTION_TEXT,   /* any scalar, taken as text */
	OPTION_CHOICE, /* one of the words in `choices` */
	OPTION_VALUE,  /* any YAML value; the strategy's check() checks its form */
};

struct option_spec {
	const char *name;
	enum option_type type;
	const char *fallback; /* the default, as YAML text; "" for none */
	const char *choices;  /* OPTION_CHOICE: "a|b|c"; else NULL */
	const char *summary;  /* a phrase without a full stop, for help texts */
};

struct strategy;
struct value_locks;
struct value_bounds;

/* Checked options. `map` may be NULL: all defaults. Everything is borrowed. */
struct options {
	const struct strategy *strategy;
	const struct node *map;
	const struct value_locks *locks;   /* of all layers (value_lock.h); NULL: none */
	const struct value_bounds *bounds; /* value_bound.h; NULL: none */
};

/**
 * Checks the names, types and choices in options->map (may be NULL) by the strategy's table, then
 * calls the strategy's check(). Returns 0; PROBLEM at the wrong name or value; or -ENOMEM.
 */
int options_check(const struct options *options, struct problem *problem);

/** Writes the names of the strategy's options to `list`, cut to `size` bytes: "a, b, c". */
void options_names(const struct strategy *strategy, char *list, size_t size);

/** Returns the option's value as given; NULL: the option is missing, or has no value (`name:`). */
const struct node *options_get(const struct options *options, const char *name);

/** Returns the value of an OPTION_BOOL, or its default. `name` must be in the table. */
bool options_bool(const struct options *options, const char *name);

/** Returns the value of an OPTION_TEXT or OPTION_CHOICE, or its default. NUL-terminated. */
struct span options_text(const struct options *options, const char *name);
