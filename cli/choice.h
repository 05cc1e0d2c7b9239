/*
 * The choice of what to look at, as all commands that look at layers offer it: -c CONFIG, or
 * -l LAYER:LAYER.
 */
#pragma once

#include "settings.h"

struct choice {
	const char *config; /* a plyfs.yaml; NULL: see `layers` */
	const char *layers; /* "A:B:C"; NULL: see `config` */
};

/**
 * What `word` is, which may be either: a plyfs.yaml when it is a file that exists, or is named like
 * one; else layers.
 */
struct choice choice_guess(const char *word);

/** Makes the settings. Returns 0 with *ret for settings_unref(), or -1 when it has complained. */
int choice_open(const struct choice *choice, struct settings **ret);
