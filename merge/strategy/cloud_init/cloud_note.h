/*
 * What the mergers note for origins: `value` is the old one, `with` the new one, `rule` names the
 * merger with its option as people write them, and the part that named it is in `mergers`.
 */
#pragma once

#include "cloud.h"

/** `with` stands where `value` stood; nothing of that is left. */
void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** `null` takes the pair out of the map. */
void cloud_note_removed(struct cloud *cloud, const struct node *map, const struct pair *pair,
	const struct node *null);

/** `value` stays as it was; nothing of `with` is taken. */
void cloud_note_kept(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule);

/** `result` has what is in `with`, besides its own. */
void cloud_note_part(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *result, const struct node *with, const char *rule);

/** As cloud_note_kept(), because no merger handles the old value's kind. */
void cloud_note_unhandled(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with);
