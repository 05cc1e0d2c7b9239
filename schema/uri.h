/* URI references, resolved as in RFC 3986. Two URIs count as equal if their texts are equal. */
#pragma once

#include "arena.h"

/**
 * Splits `reference` at its "#". Returns the text before the "#", and sets *fragment to the text
 * behind it; fragment->data NULL: there is no "#". Both spans lie in `reference`.
 */
struct span uri_split(struct span reference, struct span *fragment);

/**
 * Resolves `reference`, which must have no fragment, against `base`, an absolute URI or "". Returns
 * 0 with *ret, NUL-terminated, in `arena`; or -ENOMEM.
 */
int uri_resolve(struct span base, struct span reference, struct arena *arena, struct span *ret);

/** Copies `text` into `arena` with each %XX decoded. Returns 0 with *ret, or -ENOMEM. */
int uri_decode(struct span text, struct arena *arena, struct span *ret);
