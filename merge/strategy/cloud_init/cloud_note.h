/*
 * The record of the mergers' decisions, for origins. `value` is the old value, and `with` is the
 * new value. `rule` is the merger with its option, as users write it. The reason of a decision
 * (struct origin_why) consists of `rule` and mergers->by.
 */
#pragma once

#include "cloud.h"

/** Records that `with` replaces `value`. */
void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** Records that the value `null` removes the pair from the map. */
void cloud_note_removed(struct cloud *cloud, const struct node *map, const struct pair *pair,
	const struct node *null);

/** Records that `value` stays, and that nothing of `with` is taken. */
void cloud_note_kept(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** Records that the entries of `with` became a part of `result`. */
void cloud_note_part(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *result, const struct node *with, const char *rule);

/** Does cloud_note_kept() for a `value` that stays because no merger handles its kind. */
void cloud_note_unhandled(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with);
