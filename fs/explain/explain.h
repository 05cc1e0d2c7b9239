/*
 * An explanation: one path's merge, made anew to tell where its values come from (origin.h), with
 * all that it was made of. For the command, and for whoever asks a mount; what is served never
 * waits for it.
 */
#pragma once

#include "offline.h"
#include "store_place.h"

struct merge_request;
struct merge_result;

/* A file that is no source. */
struct passed {
	struct source source;
	char *why; /* NULL: as the strategy says */
};

struct explanation {
	char *path;             /* relative to the root */
	enum version_kind kind; /* VERSION_BYTES: as follows; HELD, LINK: there is no result */
	char *source;           /* HELD, LINK: the only source, as messages name it */
	const char *layer;      /* HELD, LINK: its layer's name and rank */
	unsigned rank;
	const struct merge_request *request; /* its inputs, lowest layer first, with their texts */
	const struct merge_result *result;   /* with origins */
	struct passed *passed; /* what other layers have, which is not looked at; lowest first */
	size_t passed_count;
	struct store_places places; /* of those that are in stores */
};

/**
 * Explains the file `path`  relative to the root and with no "." or "..". With
 * `on_error: skip-layer`, `problem->message` is not empty when a layer was left out.
 * Returns 0 with *ret for explanation_free(), before `offline` is freed; PROBLEM; or -errno as
 * offline_read().
 */
int explain(const struct offline *offline, const char *path, struct explanation **ret,
	struct problem *problem);

/** NULL is fine. */
void explanation_free(struct explanation *explanation);
