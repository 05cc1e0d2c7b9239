/* URI references, resolved as in RFC 3986. Two URIs count as equal if their texts are equal. */
#pragma once

#include "arena.h"

/**
 * Returns `reference` without its "#" and fragment. *fragment is the fragment; `data` NULL: none.
 */
struct span uri_split(struct span reference, struct span *fragment);

/**
 * Resolves `reference`, which has no fragment, against `base` (absolute, or ""). *ret is
 * NUL-terminated, in `arena`. Returns 0 or -ENOMEM.
 */
int uri_resolve(struct span base, struct span reference, struct arena *arena, struct span *ret);

/** Copies `text` to `arena` with each %XX decoded. Returns 0 or -ENOMEM. */
int uri_decode(struct span text, struct arena *arena, struct span *ret);
