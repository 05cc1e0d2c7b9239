/*
 * The uses of options: which places that a rule names some file has. A place is known by its node in
 * the options, so that the uses of all files that a rule merges can be put together.
 */
#pragma once

#include "value_lock.h"

/* Nodes of options, each once. All zero: none. */
struct option_uses {
	const struct node **items;
	size_t count;
	size_t capacity;
};

/** Adds a node, which may be NULL: none. Returns 0 or -ENOMEM. */
int option_uses_add(struct option_uses *uses, const struct node *node);

bool option_uses_have(const struct option_uses *uses, const struct node *node);

void option_uses_fini(struct option_uses *uses);

/** Adds what `document`, the request's input with that number, has. Returns 0 or -ENOMEM. */
int option_uses_note(struct option_uses *uses, const struct merge_request *request, size_t input,
	const struct document *document);

/** Adds what the result has of other files than the inputs. Returns 0 or -ENOMEM. */
int option_uses_note_result(struct option_uses *uses, const struct merge_request *request,
	const struct merge_result *result);

/**
 * Calls `tell` for each part of the options that no file has, with its place. Stops at the first
 * result that is not 0, and returns it. Else returns 0 or -ENOMEM.
 */
int option_uses_tell_idle(const struct option_uses *uses, const struct options *options,
	int (*tell)(void *context, const struct problem *problem), void *context);
