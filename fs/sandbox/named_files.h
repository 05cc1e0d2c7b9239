/*
 * The files that the settings name at the moment: layers with everything beneath them, plyfs.yaml,
 * presets, schemas; if a layer has `follow`, all files except those in /proc and the like.
 */
#pragma once

#include "settings.h"

struct named_files;

/**
 * Makes the set of the files that `settings`, which are in force, name. Borrows the settings for
 * ever: neither the settings nor *ret are ever freed. Returns 0 with *ret, or -ENOMEM.
 */
int named_files_new(const struct settings *settings, struct named_files **ret);

/**
 * Reads plyfs.yaml again. Until the next call, the files that it names are in the set besides those
 * of the settings in force. May access the mount. Only one thread may call it.
 */
void named_files_look(struct named_files *files);

/**
 * Returns true if the last named_files_look() has succeeded, and has found the open `directory` as
 * a layer and, if `follows`, any layer with `follow`. False also after named_files_take().
 */
bool named_files_were_found(struct named_files *files, int directory, bool follows);

/** Puts in force the settings that the last named_files_look() has read, if it succeeded. */
void named_files_take(struct named_files *files);

/** Returns whether `fd` (O_PATH) is in the set. Any thread. */
bool named_files_has(struct named_files *files, int fd);
