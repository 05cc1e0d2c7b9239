/*
 * What each layer changes in one file: the difference between the merge of the layers below it and
 * the merge with it, from the lowest layer up.
 *
 *      nothing ── vendor ──▶ text ── site ──▶ text ── host ──▶ what a mount shows
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences. `path` is relative to the root, with no "." or "..". *differs is set when
 * there are any. Returns an exit code, after a complaint when it is not EXIT_DONE.
 */
int layer_diff(
	const struct unified *how, struct settings *settings, const char *path, bool *differs);
