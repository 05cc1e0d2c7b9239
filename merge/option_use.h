/*
 * Used and idle options. Nodes of a rule's options name places in files, such as "server.port". A
 * place is used if a file has a value there. Any other place is idle, and may be misspelt.
 */
#pragma once

#include "value_lock.h"

/* The set of nodes that name a used place. All zero: empty. The set borrows the nodes. */
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
 * Adds the nodes whose places are in `document`, which is the document of request->inputs[input].
 * Returns 0 or -ENOMEM.
 */
int option_uses_note(struct option_uses *uses, const struct merge_request *request, size_t input,
	const struct document *document);

/**
 * Adds the nodes of locks and bounds whose places are in the result. The result may have values of
 * files that are no inputs. Returns 0 or -ENOMEM.
 */
int option_uses_note_result(struct option_uses *uses, const struct merge_request *request,
	const struct merge_result *result);

/**
 * Calls report() for each node of the options that names an idle place. Stops at the first result
 * of report() that is not 0, and returns it. Otherwise returns 0 or -ENOMEM.
 */
int option_uses_report_idle(const struct option_uses *uses, const struct options *options,
	int (*report)(void *context, const struct problem *problem), void *context);
