/*
 * Layers on network and FUSE file systems, and links that lead to such a file system: workers look
 * into them for the daemon.
 *
 *      coroutine of the daemon ── layer_stat(), layer_list() … ──▶ plyfs-worker ──▶ file system
 *
 * Contract: the daemon makes no system call that such a file system has to answer, except to read a
 * source above 64 MiB (compose_task.h). If the file system does not answer within the settings'
 * answer_ms, the caller gets -ETIMEDOUT. While a worker still waits, later callers get -ETIMEDOUT
 * at once. If a link of a local layer leads to such a file system, only paths through such links
 * wait for it. A layer without an answer counts as one that could not be examined (union.h). The
 * publisher serves all layers, so it waits only LAYER_HURRY_MS.
 */
#pragma once

#include "worker.h"

#define LAYER_HURRY_MS 500

struct layer_tasks {
	struct workers *workers;
	struct composer composer; /* with is_cancelled; `settings` is not used */
	/* Logs that a layer is silent, or answers again; `problem` is NULL. */
	void (*log)(void *context, const char *line, const struct problem *problem);
	void *context;
};

/**
 * From now on workers look into the remote layers of all settings (layer.h). `tasks` is copied;
 * NULL: the calling process looks into them itself. Call it while no coroutine looks into a layer.
 */
void layer_tasks_use(const struct layer_tasks *tasks);

/**
 * Sets how many milliseconds the calling coroutine waits for a layer from now on; 0: the settings'
 * answer_ms. Returns the former value.
 */
int layer_tasks_patience(int ms);

/**
 * Has a worker watch the directory `path` of a remote layer for the events of `mask`. *ret gets the
 * directory's state after that, *is_remote whether it lies on a remote file system itself.
 * Returns the number of the watch, for watch_end(); or -errno.
 */
int layer_task_watch(const struct layer *layer, const char *path, uint32_t mask, struct stat *ret,
	bool *is_remote);
