/*
 * The explained file: the one file that a command tells about, with its explanation. It is found as
 * all commands do it that look at layers: by -c, by -l, or in a mount.
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
 * Finds where `path` leads to, as follow_to() does; if it `may_be_new`, not only the file, but also
 * the directories that it lies in may be missing. Returns EXIT_DONE with *ret_path for free(3), ""
 * for a mount's root; or another exit code when it has complained. In both cases
 * explained_file_fini() is called.
 */
int explained_file_find(const struct command *command, const struct layer_choice *choice,
	const char *path, bool may_be_new, struct explained_file *ret, char **ret_path);

/**
 * Explains `path`. Where a layer was left out (`on_error: skip-layer`) it says so and goes on. With
 * the links on its way followed, but not the last name, which may be one.
 * Returns EXIT_DONE, or another exit code when it has complained, with the place in the source. In
 * both cases explained_file_fini() is called.
 */
int explained_file_open(const struct command *command, const struct layer_choice *choice,
	const char *path, struct explained_file *ret);

void explained_file_fini(struct explained_file *subject);
