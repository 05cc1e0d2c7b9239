/* Reloading of settings. Jobs under way end with the old settings, and are then repeated. */
#pragma once

#include "view.h"

/**
 * Gives the view new settings, and queues everything that is shown. Takes a reference to
 * `settings`. Only the publisher may call this function. May wait. Returns 0; or -errno, with
 * nothing changed.
 */
int view_reload(struct view *view, struct settings *settings);
