/*
 * What the settings name by now: the layers with all that is beneath them, plyfs.yaml, presets,
 * schemas.
 */
#pragma once

#include "settings.h"

struct named_files;

/**
 * Of what the settings in force, whose layers need not be open any more, and plyfs.yaml say now.
 * `settings` must outlive *ret. Returns 0 with *ret, which is never freed, or -ENOMEM.
 */
int named_files_new(const struct settings *settings, struct named_files **ret);

/**
 * Reads the settings again: what they name is named beside what those in force do, until the next
 * look. May look through the mount. One thread.
 */
void named_files_look(struct named_files *files);

/**
 * Whether the last look came to its end, and met that directory as a layer; and with `follows`, a
 * layer whose links are followed.
 */
bool named_files_were_found(struct named_files *files, int directory, bool follows);

/** What was read last is in force. */
void named_files_take(struct named_files *files);

/** Whether what the descriptor (O_PATH) leads to is one of them, or beneath one. Any thread. */
bool named_files_has(struct named_files *files, int fd);
