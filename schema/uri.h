/*
 * URI references, as RFC 3986 resolves them. Two are the same when their texts are.
 */
#pragma once

#include "arena.h"

/** `reference` without its "#" and fragment, which goes to *fragment; `data` NULL: it has none. */
struct span uri_split(struct span reference, struct span *fragment);

/**
 * What `reference`, without a fragment, stands for where `base` (absolute, or "") holds; in
 * `arena`, NUL-terminated. Returns 0 or -ENOMEM.
 */
int uri_resolve(struct span base, struct span reference, struct arena *arena, struct span *ret);

/** `text` with each %XX decoded, in `arena`. Returns 0 or -ENOMEM. */
int uri_decode(struct span text, struct arena *arena, struct span *ret);
