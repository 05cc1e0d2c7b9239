/*
 * Records the decisions of the mergers, for origins. `value` is the old value and `with` the new
 * one. `rule` names the merger and its option as people write them. `rule` and mergers->by become
 * the reason (struct origin_why).
 */
#pragma once

#include "cloud.h"

/** Records that `with` replaces `value`. */
void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** Records that `null` removes the pair from the map. */
void cloud_note_removed(struct cloud *cloud, const struct node *map, const struct pair *pair,
	const struct node *null);

/** Records that `value` stays, and that nothing of `with` is taken. */
void cloud_note_kept(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** Records that `result` has the entries of `with`, besides those that it had before. */
void cloud_note_part(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *result, const struct node *with, const char *rule);

/** As cloud_note_kept(), because no merger handles the old value's kind. */
void cloud_note_unhandled(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with);
