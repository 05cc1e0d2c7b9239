#include "view.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "change_hook.h"
#include "cleanup.h"
#include "coroutine.h"
#include "entry.h"
#include "expand.h"
#include "gate.h"
#include "layer_task.h"
#include "look.h"
#include "other_names.h"
#include "placeholder.h"
#include "queue.h"
#include "read_ahead.h"
#include "runner.h"
#include "settings.h"
#include "worker.h"

void view_log(struct view *view, const char *line, const struct problem *problem)
{
	if (view->callbacks.log)
		view->callbacks.log(view->callbacks.context, line, problem);
}

void view_wake(struct view *view)
{
	if (view->waker.publisher == coroutine_self())
		return;
	view->waker.count++;
	coroutine_wake(&view->waker.queue);
}

static int make_root(struct view *view)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	if (!lookup)
		return -ENOMEM;
	int r = union_look_up(
		view->composer.settings, union_all_layers(view->composer.settings), "", lookup);
	if (r < 0)
		return r;
	if (lookup->kind != UNION_DIRECTORY) {
		/* All layers are optional and missing: an empty tree, readable by its mounter. */
		union_lookup_fini(lookup);
		lookup->kind = UNION_DIRECTORY;
	}
	r = attach_make(view, view->composer.settings, NULL, "", lookup, &view->root);
	if (r < 0)
		return r;
	view->root->inode.ino = VIEW_INO_ROOT;
	inode_hold(view, &view->root->inode);
	queue_scan(view, view->root, SCAN_NAMES);
	return 0;
}

int view_new(struct settings *settings, const struct view_callbacks *callbacks, struct view **ret)
{
	CLEANUP(view_freep) struct view *view = calloc(1, sizeof(*view));
	if (!view)
		return -ENOMEM;
	view->inodes.next = VIEW_INO_RESERVED + 1;
	view->callbacks = *callbacks;
	if (settings->options.coherence == COHERENCE_STRICT && callbacks->use != VIEW_RENDERED)
		view->callbacks.use = VIEW_STRICT;
	view->looks.done_end = &view->looks.done;
	view->gate.queue_end = &view->gate.queue;
	/* The kernel sends it when a program opens a source on which a look holds a lease. */
	signal(SIGIO, SIG_IGN);
	int r = inode_table_init(&view->inodes.table);
	if (r == 0)
		r = pool_new(true, &view->pool);
	if (r == 0)
		r = source_cache_new((size_t)settings->options.cache_mib << 20,
			!view_is_strict(view), &view->cache);
	if (r < 0)
		return r;
	view->finder = (struct finder){view, dependency_list, dependency_find};
	view->composer = (struct composer){
		.settings = settings_ref(settings),
		.cache = view->cache,
		.mounter = {geteuid(), getegid()},
		.finder = &view->finder,
		.is_cancelled = &view->is_stopped,
	};
	r = inotify_new(&view->watch.inotify);
	if (r < 0)
		return r;
	inotify_limit(view->watch.inotify, settings->options.watches);
	r = make_root(view);
	if (r < 0)
		return r;
	*ret = take_ptr(view);
	return 0;
}

/* Frees the inodes that the kernel still holds. */
static void free_inodes(struct view *view)
{
	for (size_t i = 0; i < view->inodes.table.size && view->inodes.table.buckets; i++)
		while (view->inodes.table.buckets[i]) {
			struct inode *inode = view->inodes.table.buckets[i];
			if (inode == &view->root->inode) {
				inode_table_remove(&view->inodes.table, inode);
				continue;
			}
			view_forget(view, inode->ino, inode->kernel_refs);
		}
}

/* Frees a directory and those below it that something in them must be remembered for. */
static void free_tree(struct view *view, struct directory *directory)
{
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		if (entry->use->directory)
			free_tree(view, entry->use->directory);
	watch_remove(&view->watch, &directory->watches);
	directory_free(directory);
}

void view_set_runner(struct view *view, struct runner *runner)
{
	view->gate.runner = runner;
}

void view_set_last_good(struct view *view, struct last_good *last_good)
{
	view->last_good = last_good;
}

int view_use_workers(struct view *view)
{
	int r = workers_new(inotify_fd(view->watch.inotify), &view->workers);

	if (r < 0)
		return r;
	layer_tasks_use(&(struct layer_tasks){
		.workers = view->workers,
		.composer = view->composer,
		.log = view->callbacks.log,
		.context = view->callbacks.context,
	});
	return settings_note_remote(view->composer.settings);
}

struct workers *view_workers(struct view *view)
{
	return view->workers;
}

int view_start(struct view *view)
{
	struct pool *pool;
	int r = pool_new(false, &pool);

	if (r < 0)
		return r;
	pool_free(view->pool);
	view->pool = pool;
	return placeholder_look_again(view);
}

void view_stop(struct view *view)
{
	/* Ends the merges that are under way. */
	atomic_store(&view->is_stopped, true);
	if (view->workers)
		workers_cancel(view->workers);
	gate_stop(view);
	pool_stop(view->pool);
	read_ahead_drop_all(view);
	/* From here on, an object that is freed was not forgotten by the kernel. */
	view->last_good = NULL;
}

/* Drops results that are not published yet: the daemon that resumes the view merges them again. */
static void drop_done(struct view *view)
{
	while (view->looks.done) {
		struct look *look = view->looks.done;
		view->looks.done = look->next;
		look_drop(look);
	}
	view->looks.done_end = &view->looks.done;
}

void view_pause(struct view *view)
{
	atomic_store(&view->is_stopped, true);
	if (view->workers)
		workers_cancel(view->workers);
	pool_stop(view->pool);
	read_ahead_drop_all(view);
	drop_done(view);
	view->looks.under_way = view->looks.scans = view->looks.patient = 0;
	view->hooks.batch.revision = 0;
}

int view_resume(struct view *view)
{
	/* New jobs are not cancelled. */
	atomic_store(&view->is_stopped, false);
	/* The same pool: it may get a verdict at any moment. */
	int r = pool_resume(view->pool);

	if (r < 0)
		return r;
	view_look_again(view);
	return placeholder_look_again(view);
}

void view_look_again(struct view *view)
{
	view->queue.is_overflowed = true;
	view_wake(view);
}

void view_note_event(struct view *view, const char *path)
{
	struct entry *entry = entry_at(view, path);
	if (entry) {
		queue_touch(view, entry);
		queue_entry(view, entry);
		view_wake(view);
	}
}

void view_run(struct view *view, struct pool_job *job, uint64_t bytes)
{
	pool_add(view->pool, job, bytes);
}

void view_run_later(struct view *view, struct pool_job *job, unsigned delay_us)
{
	pool_add_later(view->pool, job, delay_us);
}

void view_freep(struct view **place)
{
	struct view *view = *place;

	if (!view)
		return;
	gate_stop(view);
	pool_free(view->pool);
	read_ahead_drop_all(view);
	if (view->workers)
		layer_tasks_use(NULL);
	workers_free(view->workers);
	if (view->root) {
		/* A look that waits for the publisher has its directory in use. */
		drop_done(view);
		queue_fini(view);
		other_names_fini(view);
		dependency_fini(view);
		free_inodes(view);
		free_tree(view, view->root);
	}
	change_hooks_free(view);
	gate_fini(view);
	inode_table_fini(&view->inodes.table);
	inode_memory_fini(&view->inodes.memory);
	inotify_free(view->watch.inotify);
	source_cache_free(view->cache);
	settings_unref(view->composer.settings);
	free(view);
}

bool view_was_freed(struct view *view)
{
	bool was_freed = view->inodes.freed_bytes >= VIEW_TRIM_BYTES;
	if (was_freed)
		view->inodes.freed_bytes = 0;
	return was_freed;
}

int view_stat(struct view *view, uint64_t ino, struct stat *ret)
{
	int r = 0;

	struct inode *inode = inode_table_find(&view->inodes.table, ino);
	if (!inode || inode->type == INODE_PLACEHOLDER)
		r = -ESTALE;
	else if (inode->type == INODE_DIRECTORY)
		directory_stat((struct directory *)inode, ret);
	else
		version_stat((struct version *)inode, ret);
	return r;
}

int view_version(struct view *view, uint64_t ino, struct version **ret)
{
	int r = 0;

	struct inode *inode = inode_table_find(&view->inodes.table, ino);
	if (!inode || inode->type == INODE_PLACEHOLDER)
		r = -ESTALE;
	else if (inode->type == INODE_DIRECTORY)
		r = -EISDIR;
	else
		*ret = version_ref((struct version *)inode);
	return r;
}

/* A fault often quotes its source, which not every user may read. */
static char *error_text(const struct entry *entry, bool is_trusted)
{
	CLEANUP(freep) struct fault *fault = malloc(sizeof(*fault));
	CLEANUP(freep) char *path = NULL;
	char *text = malloc(FAULT_TEXT_MAX);

	if (!text || !fault || directory_join(entry->parent, entry->name, &path) < 0) {
		free(text);
		return NULL;
	}
	*fault = *entry->use->fault;
	if (!is_trusted)
		problem_set(&fault->problem, path, 0, 0,
			"a source can't be used; root, and the user who mounts, see which and why");
	fault_text(fault, path, text);
	return text;
}

static char *cause_text(const struct fault *fault)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];

	problem_format(&fault->problem, text, sizeof(text));
	return strdup(text);
}

/* Copies the attribute. NULL: no memory; or it has none, and *has is false. */
static char *copy_attribute(const struct version *version, enum view_attribute attribute, bool *has)
{
	const char *value = NULL;

	switch (attribute) {
	case VIEW_LAYERS:
		value = version->layers;
		break;
	case VIEW_SOURCES:
		value = version->sources;
		break;
	case VIEW_STRATEGY:
		value = version->strategy;
		break;
	case VIEW_CAUSE:
		*has = version->entry && version->entry->use->fault;
		return *has ? cause_text(version->entry->use->fault) : NULL;
	case VIEW_ERROR:
	case VIEW_PUBLIC_ERROR:
		*has = version->entry && version->entry->use->fault;
		return *has ? error_text(version->entry, attribute == VIEW_ERROR) : NULL;
	}
	*has = value && *value;
	return *has ? strdup(value) : NULL;
}

void view_drop_names(struct version *version)
{
	free(take_ptr(version->layers));
	free(take_ptr(version->sources));
}

int view_attribute(struct view *view, uint64_t ino, enum view_attribute attribute, char **ret)
{
	bool has = false;
	char *value = NULL;

	struct inode *inode = inode_table_find(&view->inodes.table, ino);
	if (inode && inode->type == INODE_VERSION)
		value = copy_attribute((struct version *)inode, attribute, &has);
	if (!value)
		return has ? -ENOMEM : -ENODATA;
	*ret = value;
	return 0;
}

static void visit_faults(struct directory *directory,
	void (*each)(void *context, const char *path, const struct fault *fault), void *context)
{
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		CLEANUP(freep) char *path = NULL;
		if (entry->use->directory)
			visit_faults(entry->use->directory, each, context);
		if (entry->use->fault && directory_join(directory, entry->name, &path) == 0)
			each(context, path, entry->use->fault);
	}
}

void view_faults(struct view *view,
	void (*each)(void *context, const char *path, const struct fault *fault), void *context)
{
	if (view->counts.faults)
		visit_faults(view->root, each, context);
}

void view_adopt(struct view *view, struct version *version, struct stat *ret)
{
	version->inode.ino = view->inodes.next++;
	inode_hold(view, &version->inode);
	version_stat(version, ret);
	version_unref(version);
}

struct settings *view_settings(struct view *view)
{
	return settings_ref(view->composer.settings);
}

const atomic_bool *view_cancels(const struct view *view)
{
	return &view->is_stopped;
}

struct mounter view_mounter(const struct view *view)
{
	return view->composer.mounter;
}

void view_count(struct view *view, struct view_counts *ret)
{
	*ret = view->counts;
	ret->watch_error = view->polling.error;
	ret->polling = view->polling.need;
	ret->watches = inotify_watch_count(view->watch.inotify);
	ret->cache_bytes = source_cache_bytes(view->cache);
}

uint64_t view_basis(struct view *view, uint64_t parent, const char *name)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *path = NULL;
	layer_mask layers = 0;
	uint64_t basis = 0;

	struct directory *directory = inode_directory(view, parent);
	if (directory && directory_join(directory, name, &path) == 0)
		layers = directory->layers;
	struct composer composer = view->composer;
	settings_ref(composer.settings);
	if (lookup && path &&
		expand_look_up(&view->finder, composer.settings, layers, path, lookup) == 0)
		basis = compose_basis(&composer, path, lookup, view->callbacks.basis_seed);
	settings_unref(composer.settings);
	return basis;
}
