/*
 * The names of drop-ins: which files of NAME.d are sources of NAME, and which are ignored.
 *
 *      app.yaml.d      *.yaml, and *.json, *.toml … if the strategy merges trees
 *      web.service.d   *.conf, as systemd has it, and with `dropins: layers` also *.yaml
 *      motd.d          names without a suffix, and *.conf
 *
 * A rule's `dropin_suffixes` names others instead. Hidden files and backups are never drop-ins.
 */
#pragma once

#include "union.h"

/** NAME's drop-ins are in the directory NAME and this. */
#define DROPIN_SUFFIX ".d"

/** "PATH/NAME" of what the directory "NAME.d" belongs to, for free(3); NULL when it is no such
 * name, or by no rule. */
char *dropin_owner(const struct settings *settings, const char *directory, const char *name);

/** Whether a file `name` in NAME.d is a drop-in of NAME, which is `path`. */
bool dropin_is_named(const struct settings *settings, const char *path, const char *name);

/** Says why it is none, with the remedy: 0 with *ret for free(3), or -ENOMEM. */
int dropin_refusal(
	const struct settings *settings, const char *path, const char *name, char **ret);

/** How a file that is no drop-in is left out of a lookup. */
static inline struct contributor dropin_ignored(const struct contributor *found)
{
	return (struct contributor){.layer = found->layer,
		.stat = found->stat,
		.why = "not a drop-in",
		.is_ignored = true};
}
