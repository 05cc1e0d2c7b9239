/*
 * The report of a mirror (STATE/status.json, fs/mirror/mirror_status.h). It is found from the
 * directory that the mirror fills. The mirror's process writes it, so it is hostile input.
 */
#pragma once

#include "document.h"

/* `document` owns all texts. A text that is missing is "". */
struct mirror_report {
	struct document *document;
	const char *kind;
	const char *source;
	const char *revision;
	const char *endpoint;
	const char *offer; /* the word for a state that is held back (fs/mirror/mirror.h) */
	double pid, files;
	double changed, contact; /* seconds since 1970; 0: never */
	bool is_connected;
	bool is_running;
	double trouble_count;
	const struct node *sandbox;  /* NULL: missing */
	const struct node *troubles; /* a list; NULL: missing */
};

struct mirror_trouble_report {
	const char *subject;
	const char *message;
	double since;
};

/**
 * Opens STATE of the mirror that fills `directory`, a link into STATE. Returns a descriptor for
 * close(2); -ENOENT: `directory` is no mirror's; or another -errno.
 */
int mirror_report_open(const char *directory);

/** Reads the report's text. Returns 0 with *ret for free(3), or -errno. */
int mirror_report_text(int state, char **ret, size_t *len);

/** Parses the report `name`. Returns 0 with *ret for mirror_report_fini(), PROBLEM or -errno. */
int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem);
void mirror_report_fini(struct mirror_report *report);

/** Opens and parses a report. False: `directory` is no mirror's, or the report can't be read. */
bool mirror_report_of(const char *directory, struct mirror_report *ret);

/** Returns the number of faults in `troubles`; trouble_count may be larger. */
uint32_t mirror_report_listed(const struct mirror_report *report);

/** Returns the fault with index `i`; its texts live as long as `report`. */
struct mirror_trouble_report mirror_report_trouble(const struct mirror_report *report, uint32_t i);
