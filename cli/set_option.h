/* A map from the command line, pair by pair: --set NAME=VALUE, where VALUE is YAML. */
#pragma once

#include "arena.h"
#include "option.h"

struct document;

/* The caller sets `option`; all other members begin as zero. */
struct set_options {
	const char *option; /* the option that adds a pair, such as "--set", for messages */
	struct arena *arena;
	struct node *map; /* NULL: no pair was given */
	struct document **documents;
	size_t count;
};

/** Adds "NAME=VALUE", or replaces the value of that NAME. Returns 0, PROBLEM or -ENOMEM. */
int set_options_add(struct set_options *set, const char *argument, struct problem *problem);

void set_options_fini(struct set_options *set);
