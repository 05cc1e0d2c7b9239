/*
 * Used and idle options. A rule's options name places in files, such as "server.port". A place is
 * used if at least one file has a value there; otherwise it is idle, and perhaps misspelt.
 *
 * struct option_uses is a set of nodes of the options: those that name a used place.
 */
#pragma once

#include "value_lock.h"

/* The set. All zero: empty. It borrows the nodes. */
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
 * Adds the nodes whose places are in `document`, the document of the request's input number
 * `input`. Returns 0 or -ENOMEM.
 */
int option_uses_note(struct option_uses *uses, const struct merge_request *request, size_t input,
	const struct document *document);

/**
 * Adds the nodes of locks and bounds whose places are in the result. Unlike option_uses_note(),
 * this also finds values from files that are not among the request's inputs. Returns 0 or -ENOMEM.
 */
int option_uses_note_result(struct option_uses *uses, const struct merge_request *request,
	const struct merge_result *result);

/**
 * Calls `report` for each node of the options that names a place and is not in `uses`. If report()
 * does not return 0, stops and returns its result. Otherwise returns 0 or -ENOMEM.
 */
int option_uses_report_idle(const struct option_uses *uses, const struct options *options,
	int (*report)(void *context, const struct problem *problem), void *context);
