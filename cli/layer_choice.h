/* The choice of layers by options: -c CONFIG, -l LAYER:LAYER, or neither for a path in a mount. */
#pragma once

#include "settings.h"
#include "supervisor.h"

struct command;

struct layer_choice {
	const char *config; /* a plyfs.yaml; or NULL */
	const char *layers; /* "A:B:C"; or NULL */
	struct settings_environment around;
	bool is_of_list; /* the host is one of a list: no warning if no layer exists for it */
};

/* Returns `config` or `layers`; NULL: the path is in a mount. */
static inline const char *layer_choice_text(const struct layer_choice *choice)
{
	return choice->config ? choice->config : choice->layers;
}

/* The options, and their help texts, of a command that reads layers. */
#define LAYER_CHOICE_OPTIONS(choice)                                                               \
	{'c', "config", .take = command_once, .context = &(choice)->config},                       \
		{'l', "layers", .take = command_once, .context = &(choice)->layers},               \
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

/** A command_option.take: adds the value of --fact to `context`, a struct settings_environment. */
int layer_choice_take_fact(const struct command *command, void *context, const char *text);

/**
 * Guesses whether `word` is a plyfs.yaml or layers. A plyfs.yaml is an existing file, or, if
 * nothing exists at that path, a word with a suffix of YAML. Any other word is layers.
 */
struct layer_choice layer_choice_guess(const char *word);

/**
 * Returns true, after an error message, for -c with -l, or for -l with -H, --machine-id, --user or
 * --fact.
 */
bool layer_choice_is_double(const struct command *command, const struct layer_choice *choice);

/**
 * If the choice has a plyfs.yaml, starts the supervisor of the mirrors for layers that come out of
 * stores, and calls supervisor_wait() with `is_fresh`. If not, leaves *ret and *outline unchanged.
 * Returns EXIT_DONE with *ret for supervisor_freep() and *outline for settings_unref(); or
 * EXIT_FAILED after a message. Call this function before the layers are opened, and before there
 * are coroutines.
 */
int layer_choice_start_mirrors(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret,
	struct settings **outline);

/**
 * Opens the layers of `outline`, so that the mirrors and the layers are of one reading of
 * plyfs.yaml; NULL: of the choice. Returns EXIT_DONE with *ret for settings_unref(), or EXIT_FAILED
 * after an error message. After a failure, `outline` is of no use.
 */
int layer_choice_open(
	const struct layer_choice *choice, struct settings *outline, struct settings **ret);

/**
 * As layer_choice_open(), for a caller that does not follow changes of the layers. Mirrors keep the
 * opened generations until settings_unref() (store_hold()).
 */
int layer_choice_hold(
	const struct layer_choice *choice, struct settings *outline, struct settings **ret);

/**
 * Returns EXIT_DONE if the layers are still those that layer_choice_hold() opened, or EXIT_FAILED
 * after an error message. Call this function before the command's result is printed.
 */
int layer_choice_end(const struct settings *settings);

/**
 * Makes the settings of a mount or rendered tree anew, in the environment of `choice`, and holds
 * the layers as layer_choice_hold() does. `path` is in the mount, where its last name need not
 * exist; or it is an existing file in one of the mount's layers. *ret_path is relative to the
 * mount's root ("" is the root), without ".", ".." and links; its last name may be a link. Returns
 * EXIT_DONE with *ret for settings_unref() and *ret_path for free(3); or another exit code after an
 * error message.
 */
int layer_choice_in_mount(const struct command *command, const struct layer_choice *choice,
	const char *path, struct settings **ret, char **ret_path);

/** If absent_layer_find() (absent_layer.h) returns PROBLEM, prints the problem as a warning. */
void layer_choice_note_absent(const struct settings *settings);

/** Reports `error`, the result of plyfs_mount_find() for `path`. Returns the exit code. */
int layer_choice_not_in_mount(const struct command *command, const char *path, int error);

/**
 * Reports that `path` of the layers can't be read. `result` is the -errno, or PROBLEM with
 * *problem. If `settings` is not NULL, shows the line that has the error. Returns EXIT_FAILED.
 */
int layer_choice_complain(const struct settings *settings, const char *path, int result,
	const struct problem *problem);

/**
 * Returns the absolute path of the working directory, for free(3). A removed directory has the path
 * "/proc/self/cwd (deleted)", which does not exist. Returns NULL with errno if memory is short.
 */
char *layer_choice_directory(void);

/**
 * Warns of directories above a layer that keep other users out: a mount shows the layer to these
 * users, too. Omits the directories above `beside`, the path of a mount or a plyfs.yaml. Calls
 * `warn` once for each directory. Stops at the first non-zero result of `warn`, and returns it.
 * Otherwise returns 0.
 */
int layer_choice_warn_closed(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context);

/** As layer_choice_complain() for `inner`, but messages show `path`, as the user gave it. */
int layer_choice_complain_in(const struct settings *settings, const char *path, const char *inner,
	int result, const struct problem *problem);
