/*
 * A map from the command line, a pair at a time: --set OPT=VALUE, where VALUE is YAML.
 */
#pragma once

#include "arena.h"
#include "option.h"

struct document;

struct set_options {
	const char *option; /* that gives a pair, such as "--set", for messages */
	struct arena *arena;
	struct node *map; /* NULL: none was given */
	struct document **documents;
	size_t count;
};

/** Takes one "OPT=VALUE"; a later one replaces an earlier. Returns 0, PROBLEM or -ENOMEM. */
int set_options_add(struct set_options *set, const char *argument, struct problem *problem);

void set_options_fini(struct set_options *set);
