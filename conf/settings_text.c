/*
 * The reading of a plyfs.yaml's text, before its values are read.
 */
#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "settings_text.h"
#include "text.h"

/* In bytes. Each rule is a line, and there may be 4096 of them. */
#define SETTINGS_TEXT_MAX (1u << 20)

/* Keeps the reader's first warning: in settings it is a mistake. */
static void keep_first(void *context, const struct problem *problem)
{
	struct problem *warning = context;

	if (!warning->message[0])
		*warning = *problem;
}

int settings_text_read(struct settings_text *file, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *text = NULL;
	struct problem warning = {0};
	const struct text_kind kind = {"plyfs.yaml", "settings are", SETTINGS_TEXT_MAX};
	const struct source source = {.name = file->path, .layer = ""};
	const struct read_options options = {
		.format = &format_yaml, .warn = keep_first, .context = &warning};
	size_t len = 0;
	int r;

	r = text_read_file(file->path, file->place, &kind, &file->read, &text, &len, problem);
	if (r != 0)
		return r;
	r = document_read(&source, (struct span){text, len}, &options, &document, problem);
	if (r != 0)
		return r;
	if (warning.message[0])
		return problem_set(problem, file->path, warning.line, warning.column,
			"%s; remove one of them", warning.message);

	const char *copy = arena_copy(document->arena, (struct span){text, len});
	if (!copy)
		return -ENOMEM;
	file->bytes = (struct span){copy, len};
	file->document = take_ptr(document);
	return 0;
}
