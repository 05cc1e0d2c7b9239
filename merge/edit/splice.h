/*
 * Splices, put together: a text that changes more than once, told as one change of what it was.
 *
 *      a: 1|b: 2|c: 3      pieces: of the first text, or new
 *      ╰──╯ b: 7 ╰──╯
 */
#pragma once

#include "edit.h"

struct splice_piece;

struct patched {
	struct arena *arena;
	struct span original; /* both live as long as the arena */
	struct span text;     /* as it is now */
	struct splice_piece *pieces; /* of `text` */
	size_t count;
};

/** A text that nothing was done to. `text` is borrowed. 0 or -ENOMEM. */
int patched_begin(struct patched *patched, struct arena *arena, struct span text);

/**
 * Does the splices, which are of patched->text and in any order; of two at one offset, the first
 * is in front. *ret is another state; `patched` stays good. Returns 0; EDIT_CANNOT when two
 * overlap; or -ENOMEM.
 */
int patched_splice(const struct patched *patched, const struct splice *splices, size_t count,
	struct patched *ret);

/** All that was done, as splices of the original. 0 with *ret in the arena, or -ENOMEM. */
int patched_splices(const struct patched *patched, struct splice **ret, size_t *count);
