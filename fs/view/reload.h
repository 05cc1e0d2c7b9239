/*
 * Reloading: other settings, or the same with other directories behind the layers, while the view
 * is in use. Threads that look something up finish with the settings they began with; what they
 * found is then looked up again.
 */
#pragma once

#include "view.h"

/**
 * Has the view work with `settings` from now on, and everything that is shown refreshed. Called by
 * the publisher's thread. Takes a reference. Returns 0 or -ENOMEM (nothing has changed then).
 */
int view_reload(struct view *view, struct settings *settings);
