/*
 * Reloading: changes the settings of a view, or the directories of its layers, while it is in use.
 * Jobs under way end with the settings that they began with, and are then repeated.
 */
#pragma once

#include "view.h"

/**
 * Gives the view new settings, and refreshes everything that is shown. Takes a reference to
 * `settings`. Only the publisher may call it. May wait. Returns 0; or -errno: nothing has changed.
 */
int view_reload(struct view *view, struct settings *settings);
