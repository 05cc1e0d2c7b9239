/*
 * The user's editor on a text: $VISUAL, else $EDITOR, else vi, as git and crontab call it. The text
 * lies in a directory of its own that nobody else can look into, under the file's own name, so that
 * the editor knows its kind. What was typed is never lost.
 */
#pragma once

#include "span.h"

struct text_editor {
	char *directory;
	char *path;
	char *text; /* as it was read last; NUL-terminated */
	size_t len;
};

/** Puts `text` into a file that is named like `name`. Returns an exit code. */
int text_editor_open(struct text_editor *editor, const char *name, struct span text);

/**
 * Has it edited, with `message` (several lines; NULL: none) as a comment on top, each line behind
 * `comment`, and reads it again without that. Returns an exit code: EXIT_FAILED when it has
 * complained that the editor failed, whatever was typed until then.
 */
int text_editor_run(struct text_editor *editor, const char *message, const char *comment);

/** What was typed last. */
struct span text_editor_text(const struct text_editor *editor);

/** Says where the text is, which stays there. */
void text_editor_keep(struct text_editor *editor);

/** Removes the file, unless it is kept. */
void text_editor_fini(struct text_editor *editor);
