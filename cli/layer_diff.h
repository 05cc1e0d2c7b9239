/*
 * The change that each layer makes to one file, from the lowest layer up: the difference between
 * the merge without the layer and the merge with it, both without the higher layers.
 *
 *      nothing ── vendor ──▶ text ── site ──▶ text ── host ──▶ as in a mount
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences. `path` is relative to the root, with no "." or "..". Returns EXIT_DONE,
 * or another exit code after an error message.
 */
int layer_diff(struct unified *how, struct settings *settings, const char *path);
