/*
 * Control of a mirror: its status, and the confirmation of a state that the mirror holds back
 * because the state looks like an accident (mirror.h).
 */
#pragma once

#include <stdbool.h>

/**
 * mirror_control_status() prints the status, as JSON if `is_raw`. mirror_control_confirm() makes
 * the mirror accept the state that it holds back. Both return an exit code. `directory` is the path
 * of the link that leads to the mirror's newest generation. `state` is the path of the mirror's
 * state directory, as given with --state; NULL: the directory that contains the link's target.
 */
int mirror_control_status(const char *directory, const char *state, bool is_raw);
int mirror_control_confirm(const char *directory, const char *state);
