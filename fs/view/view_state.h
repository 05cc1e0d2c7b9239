/*
 * A view's state: what the kernel knows of it, for a view that comes after it in another process.
 *
 * In it: each object's number and how often the kernel knows it; the bytes of versions, shown or
 * not; names, their places in listings, the rights and times that were shown; what is wrong with a
 * path; who is still to be told of a change. Not in it: what follows from the layers. The new view
 * looks at all that was shown as after an overflow, and publishes what has changed meanwhile.
 *
 * Of a look that was under way only the number remains that was promised, and its path: the new view
 * looks at it again.
 */
#pragma once

#include "record.h"
#include "view.h"

/** After view_pause(), with the publisher at rest. */
void view_put_state(struct view *view, struct record *record);

/**
 * Has a new view, before view_start(), show what the record says, which the kernel knows already.
 * Returns 0; -EBADMSG; or another -errno. Then it can only be freed.
 */
int view_take_state(struct view *view, struct record *record);
