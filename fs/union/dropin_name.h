/*
 * The names of drop-ins: which files of NAME.d are sources of NAME.
 *
 *      app.yaml.d      *.yaml; also *.json, *.toml … if the strategy merges values
 *      web.service.d   *.conf, as in systemd; also *.yaml if the rule has `dropins: layers`
 *      motd.d          *.conf, and names without a suffix, except README
 *
 * A rule's `dropin_suffixes` replaces these suffixes. Names that begin with "." or "#" are never
 * drop-ins. Backups are drop-ins only if `dropin_suffixes` has their suffix.
 */
#pragma once

#include "union.h"

/* The suffix of the directory with a file's drop-ins. */
#define DROPIN_SUFFIX ".d"

/**
 * Returns NAME, for free(3), if the path `directory` is "NAME.d". NULL: it is another path, no rule
 * gives NAME drop-ins, or memory is short.
 */
char *dropin_owner(const struct settings *settings, const char *directory);

/** Returns whether the file `name` in NAME.d is a drop-in of NAME, whose path is `path`. */
bool dropin_is_named(const struct settings *settings, const char *path, const char *name);

/** Says why `name` is no drop-in, and the remedy. Returns 0 with *ret for free(3), or -ENOMEM. */
int dropin_refusal(const struct settings *settings, const char *path, const char *name, char **ret);

/* contributor.why (union.h) of a file in NAME.d whose name is no drop-in's. */
extern const char dropin_not_named[];
