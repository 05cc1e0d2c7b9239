/*
 * The choice of layers, as all commands that read layers offer it: -c CONFIG, -l LAYER:LAYER, or
 * neither for a path in a mount.
 */
#pragma once

#include "settings.h"

struct command;
struct offline;

struct layer_choice {
	const char *config; /* a plyfs.yaml; or NULL */
	const char *layers; /* "A:B:C"; or NULL. If both are NULL, the path is in a mount */
	struct settings_environment around;
	bool is_of_list; /* the host is from a list: don't warn if it has no layer of its own */
};

/* Returns the choice as the user gave it, CONFIG or "A:B:C"; NULL: the path is in a mount. */
static inline const char *layer_choice_text(const struct layer_choice *choice)
{
	return choice->config ? choice->config : choice->layers;
}

/* The options and help texts that all commands that read layers have. */
#define LAYER_CHOICE_OPTIONS(choice)                                                               \
	{'c', "config", .text = &(choice)->config}, {'l', "layers", .text = &(choice)->layers},    \
		LAYER_CHOICE_OTHERS_OPTIONS(&(choice)->around)
#define LAYER_CHOICE_OTHERS_OPTIONS(around)                                                        \
	{'H', "host", .text = &(around)->host}, {0, "machine-id", .text = &(around)->machine_id},  \
		{0, "user", .text = &(around)->user},                                              \
	{                                                                                          \
		0, "fact", .take = layer_choice_take_fact, .context = (around)                     \
	}
#define LAYER_CHOICE_HELP                                                                          \
	"  -c, --config CONFIG             a plyfs.yaml\n"                                         \
	"  -l, --layers LAYER[:LAYER...]   layers, the lowest precedence "                         \
	"first\n" LAYER_CHOICE_OTHERS_HELP
#define LAYER_CHOICE_OTHERS_HELP                                                                   \
	"  -H, --host HOST                 as on that host: replaces %H in the layers' paths\n"    \
	"      --machine-id ID             as on that machine: replaces %m\n"                      \
	"      --user USER                 as that user mounts it: replaces %u and %h\n"           \
	"      --fact NAME=VALUE           with that fact: replaces %{NAME}; several times\n"

/**
 * Is a command_option.take: adds the value of --fact to `context`, a struct settings_environment.
 */
int layer_choice_take_fact(const struct command *command, void *context, const char *text);

/**
 * Guesses what `word` is. A file counts as a plyfs.yaml; so does a word with YAML's suffix if
 * nothing has that name. Any other word counts as layers.
 */
struct layer_choice layer_choice_guess(const char *word);

/**
 * Returns true, after an error message, if the choice contradicts itself: it has both a plyfs.yaml
 * and layers, or layers with an option that only a plyfs.yaml can use.
 */
bool layer_choice_is_double(const struct command *command, const struct layer_choice *choice);

/**
 * Waits, for PROBE_MS (probe.h) at most, until every mount that layer_choice_open() will read from
 * has answered. Returns EXIT_DONE, or EXIT_FAILED after an error message about a mount that does
 * not answer.
 */
int layer_choice_wait(const struct layer_choice *choice);

/**
 * Makes the settings. Returns EXIT_DONE with *ret for settings_unref(), or EXIT_FAILED after an
 * error message.
 */
int layer_choice_open(const struct layer_choice *choice, struct settings **ret);

/**
 * As layer_choice_open(), for a caller that does not follow changes of the layers. Mirrors keep the
 * opened generations until settings_unref() (store_hold()).
 */
int layer_choice_hold(const struct layer_choice *choice, struct settings **ret);

/**
 * Returns EXIT_DONE if the layers are still those that layer_choice_hold() opened, or EXIT_FAILED
 * after an error message. Call it before a command prints its result.
 */
int layer_choice_end(const struct settings *settings);

/**
 * Makes the settings of a mount or rendered tree anew, in the environment of `choice`, and holds
 * the layers as layer_choice_hold() does. Opens the layers with our own rights. `path` lies in the
 * mount, where its last name need not exist; or is an existing file in one of the mount's layers.
 * *ret_path is relative to the mount's root, without "." and ".."; only its last name may be a
 * link. "" is the root.
 *
 * Returns EXIT_DONE with *ret for settings_unref() and *ret_path for free(3); or another exit code
 * after an error message.
 */
int layer_choice_in_mount(const struct command *command, const struct layer_choice *choice,
	const char *path, struct settings **ret, char **ret_path);

/** Warns if absent_layer_find() (absent_layer.h) refuses the environment of `settings`. */
void layer_choice_note_absent(const struct settings *settings);

/** Reports `error`, the result of plyfs_mount_find() for `path`. Returns the exit code. */
int layer_choice_not_in_mount(const struct command *command, const char *path, int error);

/**
 * Opens an offline tree (offline.h) of `settings`, and adds a reference to `settings`. Returns
 * EXIT_DONE with *ret for offline_free(), or EXIT_FAILED after an error message.
 */
int layer_choice_offline(struct settings *settings, struct offline **ret);

/**
 * Reports that `path` of the layers can't be read. `result` is the -errno, or PROBLEM with
 * *problem. If `settings` is not NULL, also shows the source's line with the error. Returns
 * EXIT_FAILED.
 */
int layer_choice_complain(const struct settings *settings, const char *path, int result,
	const struct problem *problem);

/**
 * Returns the absolute path of the working directory, for free(3). If the directory was removed, or
 * has no path, returns a path that does not exist: "/proc/self/cwd (deleted)". So absolute paths
 * still work, and an error about a relative path shows the reason. Returns NULL with errno if
 * memory is short.
 */
char *layer_choice_directory(void);

/**
 * Warns of layers in directories that only their owner and group can enter. A mount shows such
 * layers to other users all the same: as in a bind mount, only the modes of the layer and its
 * contents apply. Calls `warn` once for each such directory that lies above a layer, but not above
 * `beside`, the path of a mount or a plyfs.yaml (layer_closed_above()). If `beside` can't be
 * resolved, does nothing. Stops at the first non-zero result of `warn`, and returns that; otherwise
 * returns 0.
 */
int layer_choice_warn_closed(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context);

/**
 * As layer_choice_complain(), but messages show `path` as the user gave it, perhaps in a mount.
 * `inner` is the path of the same file in the layers.
 */
int layer_choice_complain_in(const struct settings *settings, const char *path, const char *inner,
	int result, const struct problem *problem);
