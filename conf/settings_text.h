/* A file that settings are read from: plyfs.yaml, a preset, or the file of facts. */
#pragma once

#include <sys/stat.h>

#include "document.h"
#include "problem.h"

struct settings_text {
	const char *path;  /* as messages show it; NULL: there is no such file */
	const char *place; /* the path for open(2) */
	struct stat read;  /* of the file, when it was read */
	struct document *document;
	struct span bytes; /* the file's content; lies in the document's arena */
};

/**
 * Opens and reads the file at text->place as YAML. A directory, a pipe, a file that is too large,
 * and a key that comes twice are problems. Returns 0 with text->document for document_free();
 * PROBLEM; or -ENOMEM. text->read is set if the file was read.
 */
int settings_text_read(struct settings_text *text, struct problem *problem);
