/*
 * Prints the status of a mirror, as text or, with `is_raw`, JSON. Has a mirror show a generation
 * that it holds back.
 */
#pragma once

#include <stdbool.h>

/**
 * Both return an exit code. `directory` is the link that the mirror turns to its newest generation.
 * `state` is the mirror's state directory; NULL: the one that the link leads into.
 */
int mirror_control_status(const char *directory, const char *state, bool is_raw);
int mirror_control_confirm(const char *directory, const char *state);
