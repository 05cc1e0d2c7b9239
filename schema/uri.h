/* URI references, resolved as in RFC 3986. Two URIs count as equal if their texts are equal. */
#pragma once

#include "arena.h"

/**
 * Returns `reference` without "#" and fragment. *fragment becomes the fragment; its `data` is NULL
 * if there is no "#".
 */
struct span uri_split(struct span reference, struct span *fragment);

/**
 * Resolves `reference`, which must have no fragment, against `base` (absolute, or ""). Returns 0
 * with *ret, NUL-terminated, in `arena`; or -ENOMEM.
 */
int uri_resolve(struct span base, struct span reference, struct arena *arena, struct span *ret);

/** Copies `text` into `arena` with each %XX decoded. Returns 0 with *ret, or -ENOMEM. */
int uri_decode(struct span text, struct arena *arena, struct span *ret);
