/*
 * What a mirror says of itself (STATE/status.json, fs/mirror/mirror_status.h), for others: read by
 * way of the directory that it keeps, whoever runs it.
 *
 * It is another process's word, so nothing here trusts it.
 */
#pragma once

#include "document.h"

/* All texts are the document's; "": it does not say. */
struct mirror_report {
	struct document *document;
	const char *kind;
	const char *source;
	const char *revision;
	const char *endpoint;
	const char *offer; /* what is held back, and could be confirmed */
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

/** The text as it is. Returns 0 with *ret for free(3), or -errno. */
int mirror_report_text(int state, char **ret, size_t *len);

/** Returns 0 with *ret for mirror_report_fini(); PROBLEM, in `name`; or -errno. */
int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem);
void mirror_report_fini(struct mirror_report *report);

/** Both in one: whether `directory` is a mirror's that can be asked. */
bool mirror_report_of(const char *directory, struct mirror_report *ret);

/** How many troubles are listed, and one of them. */
uint32_t mirror_report_listed(const struct mirror_report *report);
struct mirror_trouble_report mirror_report_trouble(const struct mirror_report *report, uint32_t i);
