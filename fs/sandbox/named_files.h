/*
 * The files that the settings name at the moment: layers with everything beneath them, plyfs.yaml,
 * presets, schemas.
 */
#pragma once

#include "settings.h"

struct named_files;

/**
 * Makes the set of the settings in force, whose layers may be closed. `settings` must outlive *ret.
 * Returns 0 with *ret, which is never freed, or -ENOMEM.
 */
int named_files_new(const struct settings *settings, struct named_files **ret);

/**
 * Reads plyfs.yaml again, and adds its files to those of the settings in force, until the next
 * call. May access the mount. One thread.
 */
void named_files_look(struct named_files *files);

/**
 * Returns whether the last reading succeeded and found that directory as a layer, with `follows`
 * one whose links are followed.
 */
bool named_files_were_found(struct named_files *files, int directory, bool follows);

/** Makes the settings that were read last those in force. */
void named_files_take(struct named_files *files);

/** Returns whether the descriptor (O_PATH) is one of these files, or beneath one. Any thread. */
bool named_files_has(struct named_files *files, int fd);
