/*
 * What a layer deletes by rule, where its format has no tags to say it: the option `delete`, a map
 * of layers to places.
 *
 *      delete: {site: server.tls, host: ["jobs.nightly", "hosts.db\\.internal"]}
 *
 * A place is the keys that lead to a value, from the root, with dots between them; a backslash
 * takes the next character as it is. The values that lie below the layer there are deleted before
 * its first source is merged in, as by "!delete". What is not there, or has a list on the way to
 * it, is no error, as with that.
 */
#pragma once

#include "deep.h"

/** Checks the option's form. Returns 0 or PROBLEM. */
int delete_rule_check(const struct options *options, struct problem *problem);

/** Adds to `uses` the places that the rule has a layer above `input` delete, and `root` has. */
int delete_rule_note(const struct merge_request *request, size_t input, const struct node *root,
	struct option_uses *uses);

/** As option_uses_tell_idle(). */
int delete_rule_tell_idle(const struct options *options, const struct option_uses *uses,
	int (*tell)(void *context, const struct problem *problem), void *context);

/** Deletes in *root, which may be NULL, what the rule says for `layer`. 0, PROBLEM or -errno. */
int delete_rule_apply(struct deep *deep, const char *layer, const struct node **root);
