/*
 * The explained file: the one file that a command is about, with its explanation. The options -c
 * and -l name the file's layers; without these options, the file is in a mount (layer_choice.h).
 */
#pragma once

#include "explain.h"
#include "layer_choice.h"
#include "prefixed_path.h"

/* Filled by the functions below. Call explained_file_fini() even after a failure. */
struct explained_file {
	struct settings *settings;
	struct offline *offline;
	struct explanation *explanation;
};

/**
 * Opens the layers, and finds the path to which `path` leads, as follow_to() (follow.h) does. If
 * `kind` is not PREFIXED_PATH_OLD, the file and its directories may be missing. If `path` is NULL,
 * opens the layers of -c or -l, and finds no path. Returns EXIT_DONE with *ret_path for free(3), ""
 * for the root; or another exit code after an error message. If choice->is_of_list, a host may lack
 * the path: *ret_path is then NULL.
 */
int explained_file_find(const struct command *command, const struct layer_choice *choice,
	const char *path, enum prefixed_path kind, struct explained_file *ret, char **ret_path);

/**
 * Explains the file at `path`. Follows links to directories on the way, but not a link at the last
 * name. If a layer was left out (`on_error: skip-layer`), warns and continues. Returns EXIT_DONE,
 * or another exit code after an error message. If choice->is_of_list, a host may lack the file:
 * ret->explanation is then NULL.
 */
int explained_file_open(const struct command *command, const struct layer_choice *choice,
	const char *path, struct explained_file *ret);

/** Parses the merged text. Problems call the text `path`. Returns as document_read(). */
int explained_file_read(const struct explanation *explanation, const char *path,
	struct document **ret, struct problem *problem);

void explained_file_fini(struct explained_file *subject);
