/*
 * The explained file: the one file that a command is about, with its explanation. The file is in
 * the layers that -c or -l names; without these options, it is in a mount (layer_choice.h).
 */
#pragma once

#include "explain.h"
#include "layer_choice.h"

struct explained_file {
	struct settings *settings;
	struct offline *offline;
	struct explanation *explanation;
};

/**
 * Fills *ret with the opened layers, and finds the path to which `path` leads, as follow_to()
 * (follow.h) does. With `may_be_new`, the file and its directories may be missing. Returns
 * EXIT_DONE with *ret_path for free(3), "" for the root; or another exit code after an error
 * message. In both cases call explained_file_fini().
 */
int explained_file_find(const struct command *command, const struct layer_choice *choice,
	const char *path, bool may_be_new, struct explained_file *ret, char **ret_path);

/**
 * Explains the file at `path`. Follows links to directories on the way, but not a link at the last
 * name. If a layer was left out (`on_error: skip-layer`), warns and continues. Returns
 * EXIT_DONE, or another exit code after an error message with the place in the source. In both
 * cases call explained_file_fini().
 */
int explained_file_open(const struct command *command, const struct layer_choice *choice,
	const char *path, struct explained_file *ret);

/**
 * If `subject` is a link, explains instead the file to which the link leads. Messages call that
 * file `path`. Returns as explained_file_open().
 */
int explained_file_follow(const char *path, struct explained_file *subject);

/**
 * Parses the explanation's merged text in the file's format. A problem has `path` as its source.
 * Returns as document_read().
 */
int explained_file_read(const struct explanation *explanation, const char *path,
	struct document **ret, struct problem *problem);

void explained_file_fini(struct explained_file *subject);
