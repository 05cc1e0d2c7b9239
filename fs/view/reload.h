/*
 * Reloading: gives a view new settings while it is in use, because plyfs.yaml was edited, or
 * because another directory is now at the path of a layer. Jobs under way end with the settings
 * that they began with, and are then repeated.
 */
#pragma once

#include "view.h"

/**
 * Gives the view new settings, and queues everything that is shown, to be refreshed. Takes a
 * reference to `settings`. Only the publisher may call it. May wait. Returns 0; or -errno with
 * nothing changed.
 */
int view_reload(struct view *view, struct settings *settings);
