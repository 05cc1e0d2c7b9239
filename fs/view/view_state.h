/*
 * A view's state: what the kernel knows of the view, as a record (record.h). A new view, in another
 * program or process, is made from it.
 *
 * The record has each object's number and the kernel's references to it; the bytes of versions;
 * names, their places in listings, their rights and times; faults; and changes that no change hook
 * has got. It does not have what the layers show: the new view looks everything up again, as after
 * an overflow of inotify's queue, and publishes the differences.
 *
 * Of a look (look.h) under way the record has only the placeholder's number and path: the new view
 * begins the look again.
 */
#pragma once

#include "record.h"
#include "view.h"

/** Writes the state into `record`. Call it after view_pause(), when the publisher has ended. */
void view_put_state(struct view *view, struct record *record);

/**
 * Puts the objects of the record into `view`, which must be new: call it before view_start().
 * Returns 0; -EBADMSG; or another -errno. After an error the view can only be freed.
 */
int view_take_state(struct view *view, struct record *record);
