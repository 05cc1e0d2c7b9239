/* The names in a directory, as they are listed. */
#pragma once

#include "directory.h"
#include "listing.h"

struct view;

/**
 * Call names_begin() before a listing is taken, and names_end() after it is installed. A name that
 * is removed in between keeps its entry, so that the listing does not bring the name back.
 */
void names_begin(struct directory *directory);
void names_end(struct directory *directory);

/** Makes entries for a listing's names, but publishes none. May wait. Returns 0 or -ENOMEM. */
int names_install(struct view *view, struct directory *directory, const struct listing *listing);

/** Forgets which layers have the names: new settings may give the layers other ranks. */
void names_forget_layers(struct directory *directory);

/**
 * If directory->names is NAMES_SOME, lists the directory, which must be in use (directory.h). May
 * wait. Returns 0 or -errno.
 */
int names_complete(struct view *view, struct directory *directory);

/** Lists one of the directories to be scanned. May wait. Returns false if none is to be scanned. */
bool names_scan_next(struct view *view);
