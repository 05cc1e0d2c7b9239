/*
 * Which places that a rule's options name are in use. Such a place is "server.port". A place is
 * used if some file has it, and idle if no file has it. struct option_uses is the set of those
 * option nodes whose places are used.
 */
#pragma once

#include "value_lock.h"

/* A set of nodes of options. All zero: empty. */
struct option_uses {
	const struct node **items;
	size_t count;
	size_t capacity;
};

/** Adds a node. NULL adds nothing. Returns 0 or -ENOMEM. */
int option_uses_add(struct option_uses *uses, const struct node *node);

bool option_uses_have(const struct option_uses *uses, const struct node *node);

void option_uses_fini(struct option_uses *uses);

/**
 * Adds the nodes whose places are in `document`, which is input number `input` of the request.
 * Returns 0 or -ENOMEM.
 */
int option_uses_note(struct option_uses *uses, const struct merge_request *request, size_t input,
	const struct document *document);

/**
 * Adds the nodes of locks and bounds whose places are in the result. The value there may also come
 * from a file that is not one of the request's inputs. Returns 0 or -ENOMEM.
 */
int option_uses_note_result(struct option_uses *uses, const struct merge_request *request,
	const struct merge_result *result);

/**
 * Calls `report` for each node of the options that names a place and is not in `uses`. Stops at the
 * first result other than 0 and returns that. Otherwise returns 0 or -ENOMEM.
 */
int option_uses_report_idle(const struct option_uses *uses, const struct options *options,
	int (*report)(void *context, const struct problem *problem), void *context);
