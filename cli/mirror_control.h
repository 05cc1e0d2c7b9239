/* The status of a mirror, as text or, with `is_raw`, JSON; and the release of a state held back. */
#pragma once

#include <stdbool.h>

/** Both return an exit code. `state` is the state directory; NULL: `directory` leads to it. */
int mirror_control_status(const char *directory, const char *state, bool is_raw);
int mirror_control_confirm(const char *directory, const char *state);
