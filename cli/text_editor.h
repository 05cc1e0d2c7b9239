/*
 * The user's editor, run on a text: $VISUAL, else $EDITOR, else vi. The editor gets a temporary
 * file with the text, in a directory that no other user can enter. The temporary file has the name
 * of the merged file. A caller that can't use the user's text calls text_editor_keep().
 */
#pragma once

#include "span.h"

struct text_editor {
	char *directory;
	char *path;
	char *text; /* as last read */
};

/**
 * Copies `text`, and makes the temporary directory. The temporary file gets the last name of the
 * path `name`. Returns EXIT_DONE, or EXIT_FAILED after an error message. In both cases call
 * text_editor_fini().
 */
int text_editor_open(struct text_editor *editor, const char *name, struct span text);

/**
 * Puts the lines of `message` (NULL: none) on top of the text as comments, each after the sign
 * `comment`. Then runs the editor, reads the text even if the editor has failed, and removes these
 * comments from the text. Returns EXIT_DONE, or EXIT_FAILED after an error message.
 */
int text_editor_run(struct text_editor *editor, const char *message, const char *comment);

/** Makes text_editor_fini() leave the file in place, and prints the file's path. */
void text_editor_keep(struct text_editor *editor);

/** Removes the file, unless text_editor_keep() was called. */
void text_editor_fini(struct text_editor *editor);
