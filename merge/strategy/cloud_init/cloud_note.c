#include "cloud_note.h"

#include "origin_bound.h"

void cloud_note_taken(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule)
{
	const struct origin *known = origin_of(cloud->origins, with);
	const struct origin_why why = {rule, mergers->by};

	if (!cloud->origins || value == with)
		return;
	/*
	 * A script may merge the same values in turn. If each took over the steps of the other,
	 * their number would double each time.
	 */
	if (known && known->first)
		origin_note(cloud->origins, with, origin_bound_place(value, cloud->arena),
			ORIGIN_LOST, why);
	else
		origin_replace(cloud->origins, with,
			origin_bound_lost(cloud->origins, value, cloud->arena), why);
}

void cloud_note_removed(struct cloud *cloud, const struct node *map, const struct pair *pair,
	const struct node *null)
{
	if (cloud->origins)
		origin_remove(cloud->origins, map, pair->key,
			origin_bound_lost(cloud->origins, pair->value, cloud->arena),
			(struct origin_why){"dict(allow_delete)", null});
}

void cloud_note_kept(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with, const char *rule)
{
	origin_note(
		cloud->origins, value, with, ORIGIN_LOST, (struct origin_why){rule, mergers->by});
}

void cloud_note_part(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *result, const struct node *with, const char *rule)
{
	origin_note(
		cloud->origins, result, with, ORIGIN_PART, (struct origin_why){rule, mergers->by});
}

void cloud_note_unhandled(struct cloud *cloud, const struct cloud_dispatch *mergers,
	const struct node *value, const struct node *with)
{
	enum cloud_kind kind = cloud_kind(value);
	const char *rule = arena_printf(cloud->arena, "no merger handles %s: the old %s is kept",
		kind == CLOUD_OTHER ? "a value of this type" : cloud_kind_name(kind),
		kind == CLOUD_OTHER ? "one" : "value");

	cloud_note_kept(cloud, mergers, value, with, rule ? rule : "no merger handles it");
}
