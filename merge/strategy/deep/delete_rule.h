/*
 * The option `delete`: the values that a layer deletes, for formats without tags. The option is a
 * map from layers to places.
 *
 *      delete: {site: server.tls, host: ["jobs.nightly", "hosts.db\\.internal"]}
 *
 * A place is the keys that lead to a value, from the root, with dots between them. A backslash
 * makes the next character literal. Before a layer's first source is merged in, the values that
 * lower layers have at the layer's places are deleted, as by "!delete". If a place has no value, or
 * a list is on the way to the place, nothing is deleted; that is no error.
 */
#pragma once

#include "deep.h"

/** Checks the option's form. Returns 0 or PROBLEM. */
int delete_rule_check(const struct options *options, struct problem *problem);

/**
 * Adds to `uses` the places at which layers above that of `input` delete a value of `root`, a
 * document of `input`. Returns 0 or -ENOMEM.
 */
int delete_rule_note(const struct merge_request *request, size_t input, const struct node *root,
	struct option_uses *uses);

/** As option_uses_report_idle(), for the option `delete`. */
int delete_rule_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context);

/**
 * Deletes the values at the places of `layer` from *root, which may be NULL. *root becomes NULL if
 * no value is left. Returns 0, PROBLEM or -errno.
 */
int delete_rule_apply(struct deep *deep, const char *layer, const struct node **root);
