/* The edited file: the merged file that a command changes, and the options of such commands. */
#pragma once

#include "assignment.h"
#include "explained_file.h"
#include "layer_edit_report.h"
#include "presence.h"

struct command_option;

struct edited_file {
	const struct command_option *more; /* two options of this command alone; NULL: none */
	enum prefixed_path kind;           /* PREFIXED_PATH_NEW, or PREFIXED_PATH_MADE */
	struct layer_choice choice;
	const char *layer; /* the layer whose source is changed; NULL: the highest layer */
	struct layer_edit_output output;
	struct store_access access; /* for a layer in etcd */
	const char *path;           /* as the user gave it */
	char *inner;                /* the path, relative to the layers */
	struct explained_file subject;
};

/* The help of the options. */
#define EDITED_FILE_HELP                                                                           \
	LAYER_CHOICE_HELP                                                                          \
	"  -L, --layer NAME                change this layer's source; default: the highest\n"     \
	"  -n, --dry-run                   change nothing; print the difference it would make\n"   \
	"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n"          \
	"      --json                      as JSON, for programs\n"                                \
	"\n"                                                                                       \
	"For a layer that is a mirror of etcd, in place of the mirror's own settings:\n"           \
	"      --endpoints URL,...         members of the cluster\n"                               \
	"      --prefix PREFIX             the prefix of the keys\n"                               \
	"      --cacert FILE               the authorities that signed the servers' "              \
	"certificates\n"                                                                           \
	"      --cert FILE                 the client's certificate\n"                             \
	"      --key FILE                  and its key\n"                                          \
	"      --user-file FILE            log in with the line NAME:PASSWORD in it\n"

/**
 * Reads the options and the path; argv[optind] is the argument after them. Returns -1 if the
 * command goes on, or the exit code with which it ends. In both cases call edited_file_fini().
 */
int edited_file_read(
	const struct command *command, int argc, char **argv, struct edited_file *edited);

/**
 * Adds an assignment of the command line; `value` NULL: the KEY is removed. Returns -1 if the
 * command goes on, or the exit code with which it ends.
 */
int edited_file_assign(const struct command *command, struct assignments *assignments,
	const char *key, const char *value);

/** Sets `inner` and `subject` for the file. Returns EXIT_DONE, or another code after a message. */
int edited_file_find(const struct command *command, struct edited_file *edited);

/* The layers could not be opened again: an error message was printed, and `subject` is empty. */
#define EDITED_FILE_LOST 2

/**
 * Edits the file. Sets `path`, `layer` and `access` of the request, and for a dry run its `mode`;
 * the caller sets the other members. If a mirror replaces a layer's directory meanwhile, repeats
 * the edit with a new `subject` and `inner`. Returns EDITED_FILE_LOST, or a result of
 * layer_edit_make() other than -ESTALE.
 */
int edited_file_change(const struct command *command, struct edited_file *edited,
	struct layer_edit_request *request, struct layer_edit **ret, struct problem *problem);

/** Reports a non-zero result of edited_file_change(). Returns EXIT_FAILED. */
int edited_file_complain(
	const struct edited_file *edited, int result, const struct problem *problem);

/**
 * Calls `change` for the file. `change` is presence_reset() or presence_hide(). Returns the exit
 * code.
 */
int edited_file_change_presence(const struct command *command, struct edited_file *edited,
	int (*change)(const struct offline *offline, const struct layer_edit_request *request,
		presence_report *report, void *context, struct problem *problem));

void edited_file_fini(struct edited_file *edited);
