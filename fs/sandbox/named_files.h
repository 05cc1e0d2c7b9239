/*
 * The files that the settings name at the moment: layers with everything beneath them, plyfs.yaml,
 * presets, schemas.
 */
#pragma once

#include "settings.h"

struct named_files;

/**
 * Makes the set of the files that `settings` name. These are in force, must outlive *ret, and may
 * have closed layers. Returns 0 with *ret, which is never freed; or -ENOMEM.
 */
int named_files_new(const struct settings *settings, struct named_files **ret);

/**
 * Reads plyfs.yaml again. Until the next call, its files are in the set besides those of the
 * settings in force. May access the mount. One thread.
 */
void named_files_look(struct named_files *files);

/**
 * Returns whether named_files_look() has last succeeded, and has found the open `directory` as a
 * layer; with `follows`, as one whose links are followed.
 */
bool named_files_were_found(struct named_files *files, int directory, bool follows);

/** Puts in force the settings that named_files_look() has read last. */
void named_files_take(struct named_files *files);

/** Returns whether `fd` (O_PATH) is one of the files, or beneath a layer. Any thread. */
bool named_files_has(struct named_files *files, int fd);
