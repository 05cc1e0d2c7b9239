/*
 * A report of an edit, for the person at the terminal:
 *
 *      site/app.yaml:3: server.port: 8080 -> 9090 (overrides vendor/app.yaml:4)
 */
#pragma once

#include "amendment.h"

/* The usual argument `nothing` of amendment_report_end(). */
#define AMENDMENT_NOTHING "nothing changes: it is so already"

/* A command's output about its changes: lines, or one JSON object. */
struct amendment_output {
	const char *path; /* of the merged file, as the user gave it */
	bool is_dry;
	bool is_json;
	bool resets;  /* the changes take the layer's values back */
	size_t count; /* number of changes that were reported */
};

/**
 * Prints a line for each value that the edit has changed. In a dry run, prints the difference of
 * the file instead, if its schema has no secrets. With `is_json`, prints an item of the JSON
 * object. Returns 0 or -ENOMEM.
 */
int amendment_report(struct amendment_output *output, const struct amendment *amendment);

/**
 * Ends the output. If no change was reported, prints `nothing`, or with `is_json` an object without
 * changes. `nothing` NULL: the command has failed, and an object that was begun is closed. Prints a
 * message if the report of a change can't be written.
 */
void amendment_report_end(const struct amendment_output *output, const char *nothing);
