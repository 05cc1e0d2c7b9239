/*
 * The names of drop-ins: which files of NAME.d are sources of NAME, and which are ignored.
 *
 *      app.yaml.d      *.yaml, and *.json, *.toml … if the strategy merges values
 *      web.service.d   *.conf, as in systemd; also *.yaml if the rule has `dropins: layers`
 *      motd.d          *.conf, and names without a suffix, except README
 *
 * A rule's `dropin_suffixes` replaces these suffixes. Names that begin with "." or "#" are never
 * drop-ins. Backups are drop-ins only if `dropin_suffixes` has their suffix.
 */
#pragma once

#include "union.h"

/* The drop-ins of NAME are in the directory NAME.d. */
#define DROPIN_SUFFIX ".d"

/**
 * If the path `directory` is "NAME.d", returns NAME, for free(3). NULL: `directory` does not end in
 * ".d", no rule gives NAME drop-ins, or there is no memory.
 */
char *dropin_owner(const struct settings *settings, const char *directory);

/** Returns whether the file `name` in NAME.d is a drop-in of NAME, whose path is `path`. */
bool dropin_is_named(const struct settings *settings, const char *path, const char *name);

/**
 * Makes a message that says why `name` is no drop-in, and how the user can make it one. Returns 0
 * with *ret for free(3), or -ENOMEM.
 */
int dropin_refusal(const struct settings *settings, const char *path, const char *name, char **ret);

/** Returns a contributor for `found`, a file that is left out because of its name. */
static inline struct contributor dropin_ignored(const struct contributor *found)
{
	return (struct contributor){.layer = found->layer,
		.stat = found->stat,
		.why = "not a drop-in",
		.is_ignored = true};
}
