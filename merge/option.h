/*
 * A strategy's options: declared in a table, checked once, asked for by name.
 *
 * The table is the only place that knows an option: help texts, man page, error messages and shell
 * completion are drawn from it.
 */
#pragma once

#include "node.h"
#include "problem.h"

enum option_type {
	OPTION_BOOL,   /* a YAML boolean */
	OPTION_TEXT,   /* any scalar, taken as text */
	OPTION_CHOICE, /* one of the words in `choices` */
	OPTION_VALUE,  /* any YAML value; the strategy's check() knows its form */
};

struct option_spec {
	const char *name;
	enum option_type type;
	const char *fallback; /* what holds when it is not given, as YAML text; "" for nothing */
	const char *choices;  /* OPTION_CHOICE: "a|b|c"; else NULL */
	const char *summary;  /* a phrase without a full stop, for help texts */
};

struct strategy;
struct value_locks;

/* Options that have been checked. `map` may be NULL: all defaults. All are borrowed. */
struct options {
	const struct strategy *strategy;
	const struct node *map;
	const struct value_locks *locks; /* what lower layers lock (value_lock.h); NULL: nothing */
};

/**
 * Checks `map` (a map node, or NULL) against the strategy's table, types and choices included, then
 * with the strategy's own check(). Returns 0, PROBLEM with the place of the offending key or value
 * and what is allowed, or -ENOMEM.
 */
int options_check(const struct options *options, struct problem *problem);

/** The names of the strategy's options, "a, b, c", cut to `size` bytes. */
void options_names(const struct strategy *strategy, char *list, size_t size);

/** The option's value as given, or NULL when it was not given. */
const struct node *options_get(const struct options *options, const char *name);

/** An OPTION_BOOL's value, the default included. `name` must be in the table. */
bool options_bool(const struct options *options, const char *name);

/** An OPTION_TEXT's or OPTION_CHOICE's value, the default included; NUL-terminated. */
struct span options_text(const struct options *options, const char *name);
