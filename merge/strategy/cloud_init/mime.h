/*
 * The reader of MIME messages (RFC 2045): mime.c, which uses GMime; or, in a build without GMime,
 * mime_none.c, which refuses all messages.
 */
#pragma once

#include "document.h"

/* A part that contains no other parts. Its strings are in the arena of mime_read(). */
struct mime_part {
	const char *type;         /* "text/cloud-config": in small letters, without parameters */
	struct span text;         /* decoded; NUL-terminated */
	struct text_place place;  /* where `text` stands in the message */
	const char *merge_type;   /* value of Merge-Type, else of X-Merge-Type; NULL: none */
	uint32_t merge_type_line; /* the line of that header, starting at 1 */
};

/**
 * Reads the message `text`. Returns 0 with *count parts at *ret, in `arena`; PROBLEM if the message
 * can't be read or has more than `max` parts; or -ENOMEM.
 */
int mime_read(const struct source *source, struct span text, size_t max, struct arena *arena,
	struct mime_part **ret, size_t *count, struct problem *problem);

/** Loads the library that mime_read() needs. Without this call, the first mime_read() loads it. */
void mime_load(void);
