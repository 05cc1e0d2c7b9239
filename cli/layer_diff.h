/*
 * The change that each layer makes to one file, from the lowest layer up: the difference between
 * the merge of the lower layers alone and the merge with this layer.
 *
 *      nothing ── vendor ──▶ text ── site ──▶ text ── host ──▶ as in a mount
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences. `path` is relative to the root, without "." and "..". Returns EXIT_DONE,
 * or another exit code after an error message.
 */
int layer_diff(struct unified *how, struct settings *settings, const char *path);
