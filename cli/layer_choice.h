/*
 * The choice of what to look at, as all commands that look at layers offer it: -c CONFIG,
 * -l LAYER:LAYER, or a path in a mount with neither.
 */
#pragma once

#include "settings.h"

struct command;
struct offline;

struct layer_choice {
	const char *config; /* a plyfs.yaml; NULL: see `layers` */
	const char *layers; /* "A:B:C"; NULL: see `config` */
	struct surroundings around;
};

/* The options that all commands have which look at layers, for their tables and help texts. */
#define LAYER_CHOICE_OPTIONS(choice)                                                               \
	{'c', "config", .text = &(choice)->config}, {'l', "layers", .text = &(choice)->layers},    \
		LAYER_CHOICE_OTHERS_OPTIONS(&(choice)->around)
#define LAYER_CHOICE_OTHERS_OPTIONS(around)                                                        \
	{'H', "host", .text = &(around)->host}, {0, "machine-id", .text = &(around)->machine_id},  \
	{                                                                                          \
		0, "user", .text = &(around)->user                                                 \
	}
#define LAYER_CHOICE_HELP                                                                          \
	"  -c, --config CONFIG             a plyfs.yaml\n"                                         \
	"  -l, --layers LAYER[:LAYER...]   layers, the lowest precedence first\n"                  \
	"  -H, --host HOST                 as on that host: what %H is in the layers' paths\n"     \
	"      --machine-id ID             as on that machine: what %m is\n"                       \
	"      --user USER                 as that user mounts it: what %u and %h are\n"

/**
 * What `word` is, which may be either: a plyfs.yaml when it is a file that exists, or is named like
 * one; else layers.
 */
struct layer_choice layer_choice_guess(const char *word);

/**
 * Whether both are given, or what only a plyfs.yaml asks for is given with layers: then it has
 * complained.
 */
bool layer_choice_is_double(const struct command *command, const struct layer_choice *choice);

/**
 * Waits for what layer_choice_open() will look at, for PROBE_MS at most. Returns EXIT_DONE, or
 * EXIT_FAILED when it has complained of a mount that does not answer.
 */
int layer_choice_wait(const struct layer_choice *choice);

/**
 * Makes the settings. Returns EXIT_DONE with *ret for settings_unref(), or EXIT_FAILED when it has
 * complained.
 */
int layer_choice_open(const struct layer_choice *choice, struct settings **ret);

/**
 * What the mount was made of that `path` lies in, or that it is a source in, made once more with
 * our own rights, and in the choice's surroundings. The last name of `path` need not exist.
 * *ret_path is relative to the mount's root, with no "." and "..", and with no links but perhaps
 * the last name;
 * "" is the root.
 * Returns EXIT_DONE with *ret for settings_unref() and *ret_path for free(3); or another exit code
 * when it has complained. (explained_file.h does this and what comes next.)
 */
int layer_choice_in_mount(const struct command *command, const struct layer_choice *choice,
	const char *path, struct settings **ret, char **ret_path);

/**
 * Says so, if the choice's surroundings name a host, machine or user of which there is no layer:
 * the name may be a slip of the finger.
 */
void layer_choice_note_absent(const struct settings *settings);

/** Complains that `path` can't be asked for: `error` is plyfs_mount_find()'s. Returns the exit
 * code. */
int layer_choice_not_in_mount(const struct command *command, const char *path, int error);

/**
 * Opens an offline view of the settings, which it keeps in use. Returns EXIT_DONE with *ret for
 * offline_free(), or EXIT_FAILED when it has complained.
 */
int layer_choice_offline(struct settings *settings, struct offline **ret);

/**
 * Complains that `path` of the layers could not be had. With `settings` (else NULL) the line of the
 * source that a problem is in is shown. Returns EXIT_FAILED.
 */
int layer_choice_complain(const struct settings *settings, const char *path, int result,
	const struct problem *problem);

/** The same, where `path`, as it was given, is `inner` in the layers: it may be a path in a mount. */
int layer_choice_complain_in(const struct settings *settings, const char *path, const char *inner,
	int result, const struct problem *problem);
