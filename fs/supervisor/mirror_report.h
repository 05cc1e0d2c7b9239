/*
 * The report of a mirror: the file status.json (fs/mirror/mirror_status.h) in STATE, the mirror's
 * state directory. The directory that a mirror fills is a link into STATE. The report is hostile
 * input, because the mirror's process writes it.
 */
#pragma once

#include <stdio.h>

#include "document.h"
#include "report.h"

/* Size of mirror_report.idle, in bytes. */
#define MIRROR_IDLE_MAX 96

/* The text for a stopped mirror, as a format of printf(3); both arguments are the mirror's pid. */
#define MIRROR_STOPPED "its process %d is stopped; let it go on: kill -CONT %d"

/* Made by mirror_report_read(). */
struct mirror_report {
	struct document *document; /* owns `map` */
	const struct node *map;    /* for the functions of report.h */
	const struct node *faults; /* a list in `map`; NULL: there is none */
	pid_t pid; /* of the running mirror; 0: STATE's owner runs none that the report names */
	char idle[MIRROR_IDLE_MAX]; /* why no process fills the directory; "": a process does */
};

/**
 * Opens STATE of the mirror that fills `directory`. Returns a descriptor for close(2); -ENOENT: no
 * mirror fills `directory`; or another -errno.
 */
int mirror_report_open(const char *directory);

/** Reads the report in STATE, open as `state`. Returns 0 with *ret for free(3), or -errno. */
int mirror_report_text(int state, char **ret, size_t *len);

/**
 * Reads and parses the report in `state`. Messages call the report `name`. The document's first
 * root is the report's map. Returns 0 with *ret for document_free(), PROBLEM or -errno.
 */
int mirror_report_document(
	int state, const char *name, struct document **ret, struct problem *problem);

/** Reads and parses the report. Returns 0 with *ret for mirror_report_fini(), PROBLEM or -errno. */
int mirror_report_read(
	int state, const char *name, struct mirror_report *ret, struct problem *problem);
void mirror_report_fini(struct mirror_report *report);

/** Returns whether the mirror runs, and reports that it is connected to its store. */
bool mirror_report_is_connected(const struct mirror_report *report);

/**
 * Opens and reads the report of the mirror that fills `directory`. Returns true with *ret for
 * mirror_report_fini(); false: there is none, or it can't be read.
 */
bool mirror_report_of(const char *directory, struct mirror_report *ret);

/** Writes a text such as "fleet: etcd /fleet/ at 4711 from https://…" for the layer `name`. */
void mirror_report_put(FILE *out, const char *name, const struct mirror_report *report);
