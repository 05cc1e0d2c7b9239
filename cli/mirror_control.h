/* A mirror, seen from outside: prints its status, and confirms a state that it holds back. */
#pragma once

#include <stdbool.h>

/** Both take the mirrored directory, and its state directory or NULL. They return an exit code. */
int mirror_control_status(const char *directory, const char *state, bool is_raw);
int mirror_control_confirm(const char *directory, const char *state);
