/*
 * The names in a directory, as they are listed.
 */
#pragma once

#include "directory.h"
#include "listing.h"

struct view;

/**
 * Around a listing that is taken without the lock and then installed: a name that goes meanwhile
 * keeps an entry that says so, or the listing would bring it back.
 */
void names_begin_locked(struct directory *directory);
void names_end_locked(struct directory *directory);

/** Gives entries to what a listing found, without publishing anything. Takes the lock. 0 or
 * -ENOMEM. */
int names_install(struct view *view, struct directory *directory, const struct listing *listing);

/** The layers' ranks are others from now on: any may have had the names. */
void names_forget_layers_locked(struct directory *directory);

/** Makes the listing complete, if it is not. Takes the lock; the directory must be in use. */
int names_complete(struct view *view, struct directory *directory);

/** The publisher's: lists one of the directories that wait for it. False when none does. */
bool names_scan_next(struct view *view);
