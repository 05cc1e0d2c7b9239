/*
 * MIME messages (RFC 2045): the parts that are no containers, decoded. Chosen by meson: mime.c,
 * which uses GMime, or mime_none.c, which refuses each message with the reason.
 */
#pragma once

#include "document.h"

/* One part. Its strings lie in the arena. */
struct mime_part {
	const char *type;         /* "text/cloud-config": in small letters, without parameters */
	struct span text;         /* decoded; NUL-terminated */
	struct text_place place;  /* where `text` stands in the message */
	const char *merge_type;   /* the header Merge-Type, or else X-Merge-Type; NULL: none */
	uint32_t merge_type_line; /* starting at 1 */
};

/**
 * The parts of the message `text`, in its order, at most `max`. 0 with *ret in `arena`, PROBLEM for
 * a broken message, or -ENOMEM.
 */
int mime_read(const struct source *source, struct span text, size_t max, struct arena *arena,
	struct mime_part **ret, size_t *count, struct problem *problem);

/** Loads what messages are read with, which is else done when the first one comes. */
void mime_load(void);
