/*
 * The names in a directory, as they are listed.
 */
#pragma once

#include "directory.h"
#include "listing.h"

struct view;

/**
 * Enclose a listing that is taken without the lock and then installed: a name that is removed
 * meanwhile keeps an entry, or the listing would bring it back.
 */
void names_begin_locked(struct directory *directory);
void names_end_locked(struct directory *directory);

/**
 * Makes entries for the names of a listing, without publishing. Takes the lock. Returns 0 or
 * -ENOMEM.
 */
int names_install(struct view *view, struct directory *directory, const struct listing *listing);

/** Forgets which layers have the names, because the layers' ranks have changed. */
void names_forget_layers_locked(struct directory *directory);

/** Makes the listing complete, if it is not. Takes the lock; the directory must be in use. */
int names_complete(struct view *view, struct directory *directory);

/** Lists one waiting directory, for the publisher. Returns false if none waits. */
bool names_scan_next(struct view *view);
