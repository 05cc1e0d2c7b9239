/* Prints a mirror's status, with `is_raw` as JSON, and confirms a state that it holds back. */
#pragma once

#include <stdbool.h>

/** Both take the mirrored directory and its state directory (may be NULL). Return an exit code. */
int mirror_control_status(const char *directory, const char *state, bool is_raw);
int mirror_control_confirm(const char *directory, const char *state);
