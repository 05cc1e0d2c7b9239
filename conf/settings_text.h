/*
 * The text of a plyfs.yaml, before it is understood.
 */
#pragma once

#include "document.h"

/**
 * Opens and reads the file at `path` as YAML; a directory, a pipe or a file that is too large is
 * a problem, and so is a key that comes twice. Returns 0 with *ret for document_free(), PROBLEM or
 * -ENOMEM.
 */
int settings_text_read(const char *path, struct document **ret, struct problem *problem);
