/*
 * The option `delete`: for formats without tags, a map from layers to the places that they delete.
 *
 *      delete: {site: server.tls, host: ["jobs.nightly", "hosts.db\\.internal"]}
 *
 * A place is the keys from the root to a value, with dots between them. A backslash makes the next
 * character literal. Before a layer's first source is merged in, the values of lower layers at the
 * layer's places are deleted, as by "!delete". At a place without a value, or inside a list,
 * nothing is deleted.
 */
#pragma once

#include "deep.h"

/** Checks the option's form. Returns 0 or PROBLEM. */
int delete_rule_check(const struct options *options, struct problem *problem);

/** Adds places of layers above `input` that `root`, the input's tree, has. Returns 0 or -ENOMEM. */
int delete_rule_note(const struct merge_request *request, size_t input, const struct node *root,
	struct option_uses *uses);

/** Does option_uses_report_idle() for the option `delete`. */
int delete_rule_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context);

/**
 * Deletes the values at the places of `layer` from *root. *root may be NULL, and becomes NULL if no
 * value is left. Returns 0, PROBLEM or -errno.
 */
int delete_rule_apply(struct deep *deep, const char *layer, const struct node **root);
