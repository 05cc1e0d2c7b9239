/*
 * A report of an edit, for the person at the terminal:
 *
 *      site/app.yaml:3: server.port: 8080 -> 9090 (overrides vendor/app.yaml:4)
 */
#pragma once

#include "layer_edit.h"

/* The usual argument `nothing` of layer_edit_report_end(). */
#define LAYER_EDIT_NOTHING "nothing changes: it is so already"

/* A command's output about its changes: lines, or one JSON object. */
struct layer_edit_output {
	const char *path; /* of the merged file, as the user gave it */
	enum layer_edit_mode mode;
	bool resets;  /* set by plyfs reset: the changes remove values from the layer */
	size_t count; /* number of changes that were reported */
};

/**
 * Reports the edit in one of three forms. With --json, prints an item of the JSON object.
 * In a dry run without --json, if the merged file's schema has no secrets, prints a diff of the
 * edited source. In all other cases, prints a line for each value that the edit changes. Returns 0
 * or -ENOMEM.
 */
int layer_edit_report(struct layer_edit_output *output, const struct layer_edit *edit);

/**
 * Ends the output. If no change was reported, prints the text `nothing`, or with --json an
 * object without changes. If `nothing` is NULL, because the command has failed, only closes a JSON
 * object that was begun. Prints an error message if the report of a change can't be written.
 */
void layer_edit_report_end(const struct layer_edit_output *output, const char *nothing);
