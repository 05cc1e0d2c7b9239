/*
 * The user's editor, run on a text: $VISUAL, else $EDITOR, else vi, as with git and crontab. The
 * text is in a directory that no other user can enter, under the name of the edited file, so that
 * the editor recognises its format. The user's text is never lost.
 */
#pragma once

#include "span.h"

struct text_editor {
	char *directory;
	char *path;
	char *text; /* as last read; NUL-terminated */
	size_t len;
};

/**
 * Copies `text`, and makes the directory for a file named like `name`. Returns an exit code. In any
 * case call text_editor_fini().
 */
int text_editor_open(struct text_editor *editor, const char *name, struct span text);

/**
 * Runs the editor and reads the text. The lines of `message` (NULL: none) are put on top of the
 * text as comments, each after the sign `comment`, and are removed again after the editor ends.
 * Returns EXIT_DONE; or EXIT_FAILED after an error message, also if the editor failed after it had
 * written the text.
 */
int text_editor_run(struct text_editor *editor, const char *message, const char *comment);

/** Returns the text as last read. */
struct span text_editor_text(const struct text_editor *editor);

/** Leaves the file in place, and prints its path. */
void text_editor_keep(struct text_editor *editor);

/** Removes the file, unless it was kept. */
void text_editor_fini(struct text_editor *editor);
