/*
 * The reader of MIME messages (RFC 2045). It decodes the parts that contain no other parts. Meson
 * chooses mime.c, which uses GMime, or mime_none.c, which refuses every message.
 */
#pragma once

#include "document.h"

/* One part. Its strings lie in the arena that mime_read() was given. */
struct mime_part {
	const char *type;         /* "text/cloud-config": in small letters, without parameters */
	struct span text;         /* decoded; NUL-terminated */
	struct text_place place;  /* where `text` stands in the message */
	const char *merge_type;   /* value of Merge-Type, else of X-Merge-Type; NULL: none */
	uint32_t merge_type_line; /* the line of that header, starting at 1 */
};

/**
 * Reads the parts of the message `text`. Returns 0 with *count parts at *ret, in their order, in
 * `arena`; PROBLEM if the message is broken or has more than `max` parts; or -ENOMEM.
 */
int mime_read(const struct source *source, struct span text, size_t max, struct arena *arena,
	struct mime_part **ret, size_t *count, struct problem *problem);

/** Loads the library that mime_read() needs. Without this call the first message loads it. */
void mime_load(void);
