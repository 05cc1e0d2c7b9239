/*
 * What a change did, for the person at the terminal:
 *
 *      site/app.yaml:3: server.port: 8080 -> 9090 (overrides vendor/app.yaml:4)
 */
#pragma once

#include "amendment.h"

/* For amendment_report_end(). */
#define AMENDMENT_NOTHING "nothing changes: it is so already"

/* A command prints its changes as lines, or as one JSON object. */
struct amendment_output {
	const char *path; /* of the merged file, as it was given */
	bool is_dry;
	bool is_json;
	size_t count; /* changes that were reported */
};

/**
 * Prints a line for each value that changed, on standard output; of a dry run the
 * difference of the source, as `plyfs diff` does. With `is_json` an item of the object. Prints
 * nothing when nothing changed. 0 or -ENOMEM.
 */
int amendment_report(struct amendment_output *output, const struct amendment *amendment);

/**
 * Ends the output. If no change was reported, prints `nothing`, or the object without changes;
 * NULL: the command has failed, and only an object that was begun is closed.
 */
void amendment_report_end(const struct amendment_output *output, const char *nothing);
