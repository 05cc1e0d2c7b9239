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

/** Reads the settings again. May look through the mount. One thread. */
void named_files_look(struct named_files *files);

/** Whether what the descriptor (O_PATH) leads to is one of them, or beneath one. Any thread. */
bool named_files_has(struct named_files *files, int fd);

/* Bytes of "/proc/self/fd/N". */
#define NAMED_FILES_LINK_MAX (sizeof("/proc/self/fd/") + 3 * sizeof(int))

/** The name by which the descriptor is opened once more. */
void named_files_link(int fd, char ret[NAMED_FILES_LINK_MAX]);
