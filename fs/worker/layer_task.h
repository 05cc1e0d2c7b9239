/*
 * Layer tasks: workers look into layers on network and FUSE file systems for the daemon, and follow
 * links that lead to such a file system.
 *
 *      coroutine of the daemon ── layer_stat(), layer_list() … ──▶ plyfs-worker ──▶ file system
 *
 * The daemon makes no system call that such a file system has to answer, except to read a source
 * above 64 MiB (compose_task.h). If the file system does not answer within the settings' answer_ms,
 * the caller gets -ETIMEDOUT. While the worker goes on waiting, later callers get the error at
 * once. If a link of a local layer leads to such a file system, only lookups through the link wait
 * for that file system. The publisher waits only LAYER_HURRY_MS, and then gets -LAYER_LATE
 * (layer.h), which is no failure: the shown versions stay.
 */
#pragma once

#include "worker.h"

#define LAYER_HURRY_MS 500

struct layer_tasks {
	struct workers *workers;
	/* New workers get composer.mounter. Jobs get composer.is_cancelled (may be NULL), and the
	 * settings of their layer in place of composer.settings. */
	struct composer composer;
	/* Logs that a layer is silent, or answers again. `problem` is always NULL. If `log` is
	 * NULL, nothing is logged. */
	void (*log)(void *context, const char *line, const struct problem *problem);
	void *context;
};

/**
 * Makes workers look into all remote layers (layer_delegate() in layer.h). `tasks` is copied; NULL:
 * this process looks into all layers. Call this function while no coroutine looks into a layer.
 */
void layer_tasks_use(const struct layer_tasks *tasks);

/**
 * Sets how many milliseconds the calling coroutine waits for a layer from now on; 0: the settings'
 * answer_ms. Returns the former value.
 */
int layer_tasks_patience(int ms);

/**
 * Makes a worker watch the directory `path` of a remote layer for the events in `mask`. *ret gets
 * the directory's attributes, read after the watch was made. Returns the number of the watch, for
 * watch_end() (watch.h); or -errno.
 */
int layer_task_watch(const struct layer *layer, const char *path, uint32_t mask, struct stat *ret);
