/*
 * The report of a mirror (STATE/status.json, fs/mirror/mirror_status.h), found from the directory
 * that the mirror keeps, whichever user runs it. Another process writes it: it is hostile input.
 */
#pragma once

#include "document.h"

/* The document owns all texts; "": missing. */
struct mirror_report {
	struct document *document;
	const char *kind;
	const char *source;
	const char *revision;
	const char *endpoint;
	const char *offer; /* the state that is held back */
	double pid, files;
	double changed, contact; /* seconds since 1970; 0: never */
	bool is_connected;
	bool is_running;
	double trouble_count;
	const struct node *sandbox;  /* or NULL */
	const struct node *troubles; /* a list; or NULL */
};

struct mirror_trouble_report {
	const char *subject;
	const char *message;
	double since;
};

/**
 * Opens STATE of the mirror that keeps `directory`: where its link leads to. Returns a descriptor;
 * or -errno, -ENOENT: it is no mirror's.
 */
int mirror_report_open(const char *directory);

/** Reads the text. Returns 0 with *ret for free(3), or -errno. */
int mirror_report_text(int state, char **ret, size_t *len);

/** Returns 0 with *ret for mirror_report_fini(); PROBLEM, in `name`; or -errno. */
int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem);
void mirror_report_fini(struct mirror_report *report);

/** Opens and reads it. Returns false if `directory` is no mirror's, or the report can't be read. */
bool mirror_report_of(const char *directory, struct mirror_report *ret);

/** Return the number of listed faults, and one of them. */
uint32_t mirror_report_listed(const struct mirror_report *report);
struct mirror_trouble_report mirror_report_trouble(const struct mirror_report *report, uint32_t i);
