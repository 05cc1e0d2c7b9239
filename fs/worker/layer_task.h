/*
 * Layers on network and FUSE file systems, looked into by workers.
 *
 *      thread of the daemon ── layer_stat(), layer_list() … ──▶ plyfs-worker ──▶ file system
 *
 * Contract: no thread of the daemon makes a system call that such a file system has to answer.
 * Without an answer within the settings' answer_ms the caller gets -ETIMEDOUT, and so does each
 * later one at once, until the process that waits has been answered: then the layer counts again.
 * A layer that gave no answer counts as one that could not be examined (union.h). A thread that all
 * other layers need is in a hurry, and does without the answer much earlier.
 */
#pragma once

#include "worker.h"

#define LAYER_HURRY_MS 500

struct layer_tasks {
	struct workers *workers;
	struct composer composer; /* `settings` is not used; is_cancelled applies */
	int watches;              /* the descriptor of inotify(7) that workers_new() was given */
	/* A layer is silent, or answers again; `problem` is NULL. */
	void (*log)(void *context, const char *line, const struct problem *problem);
	void *context;
};

/**
 * From now on workers look into the remote layers of all settings (layer.h). `tasks` is copied.
 * Call it before there is a second thread; NULL: not any more, when there is none.
 */
void layer_tasks_use(const struct layer_tasks *tasks);

/**
 * From now on the calling thread waits for so long; 0: as the settings say. Returns how long it
 * waited before.
 */
int layer_tasks_patience(int ms);

/**
 * Has a worker watch the directory `path` of a remote layer for the events of `mask`. *ret is what
 * the directory was like behind that, and *is_remote whether it lies itself on such a file system.
 * Returns the watch's number, or -errno.
 */
int layer_task_watch(const struct layer *layer, const char *path, uint32_t mask, struct stat *ret,
	bool *is_remote);
