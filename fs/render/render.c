#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "publisher.h"
#include "runner.h"

/* Names that are looked up at once: so many the pool can compose beside each other. */
#define LOOKS 32

/* An answer that is not to be kept: somebody writes the source just now. */
#define PASSING_TRIES 100
#define PASSING_PAUSE_NS 10000000

struct render {
	struct rendered *rendered;
	struct runner *runner; /* NULL: no plyfs.yaml names programs */
	struct view *view;
	struct publisher *publisher;
	struct rendered_options options;
	unsigned failed; /* paths that could not be made, in this walk */

	pthread_mutex_t mutex; /* of the looks */
	pthread_cond_t answered;

	pthread_mutex_t files; /* of all that follows: rights are taken away from any thread */
	void *directories;     /* a tsearch(3) tree of struct shown_directory, by number */
};

/* A directory that the view knows to be shown. */
struct shown_directory {
	uint64_t ino;
	char *path;
};

/* A name that is looked up. */
struct look {
	struct view_caller caller; /* first */
	struct render *render;
	char *name;
	int result;
	bool is_answered; /* mutex */
	struct stat stat;
};

/* The names of a directory. */
struct names {
	struct look **items;
	size_t count;
	size_t capacity;
	bool has_failed; /* for lack of memory */
};

static void log_line(const struct render *render, const char *line)
{
	if (render->options.log)
		render->options.log(render->options.context, line);
}

/*
 * Says what could not be done. Returns 0, or a lack of memory. What has gone since it was listed is
 * not missed: the publisher knows of it.
 */
static int complain(
	struct render *render, const char *path, int result, const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];

	if (result == -ENOMEM)
		return result;
	if (result == -ESTALE)
		return 0;
	if (result == PROBLEM)
		problem_format(problem, line, sizeof(line));
	else if (result == -EIO)
		snprintf(line, sizeof(line), "%s: does not merge, and never did", path);
	else
		snprintf(line, sizeof(line), "%s: %s", path, strerror(-result));
	render->failed++;
	log_line(render, line);
	return 0;
}

static void on_answer(struct view_caller *caller, int result, const struct stat *stat)
{
	struct look *look = (struct look *)caller;

	pthread_mutex_lock(&look->render->mutex);
	look->result = result;
	if (result >= 0)
		look->stat = *stat;
	look->is_answered = true;
	pthread_cond_broadcast(&look->render->answered);
	pthread_mutex_unlock(&look->render->mutex);
}

static void ask(struct render *render, uint64_t parent, struct look *look)
{
	struct stat stat;

	look->caller = (struct view_caller){.answer = on_answer};
	look->is_answered = false;
	int r = view_lookup(render->view, parent, look->name, &look->caller, &stat);
	if (r != VIEW_LATER)
		on_answer(&look->caller, r, &stat);
}

static void wait_for(struct render *render, struct look *look)
{
	pthread_mutex_lock(&render->mutex);
	while (!look->is_answered)
		pthread_cond_wait(&render->answered, &render->mutex);
	pthread_mutex_unlock(&render->mutex);
}

/* Until it is an answer that stays. */
static void settle(struct render *render, uint64_t parent, struct look *look)
{
	wait_for(render, look);
	for (int try = 0; look->result == VIEW_PASSING && try < PASSING_TRIES; try++) {
		view_forget(render->view, look->stat.st_ino, 1);
		nanosleep(&(struct timespec){.tv_nsec = PASSING_PAUSE_NS}, NULL);
		ask(render, parent, look);
		wait_for(render, look);
	}
}

static bool take_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct names *names = context;
	struct look *look = calloc(1, sizeof(*look));

	(void)ino;
	(void)type;
	(void)cookie;
	if (!look || !(look->name = strdup(name)) ||
		array_grow(names->items, names->count, names->capacity) < 0) {
		free(look ? look->name : NULL);
		free(look);
		names->has_failed = true;
		return false;
	}
	names->items[names->count++] = look;
	return true;
}

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->items[i]->name);
		free(names->items[i]);
	}
	free(names->items);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct shown_directory *left = a, *right = b;

	return (left->ino > right->ino) - (left->ino < right->ino);
}

static void shown_free(void *shown)
{
	free(((struct shown_directory *)shown)->path);
	free(shown);
}

static int add_shown(struct render *render, uint64_t ino, const char *path)
{
	struct shown_directory *shown = calloc(1, sizeof(*shown)), **found;

	if (!shown)
		return -ENOMEM;
	*shown = (struct shown_directory){ino, strdup(path)};
	found = shown->path ? tsearch(shown, &render->directories, compare_numbers) : NULL;
	if (!found || *found != shown)
		shown_free(shown);
	return found ? 0 : -ENOMEM;
}

static void drop_shown(struct render *render, uint64_t ino)
{
	const struct shown_directory key = {.ino = ino};
	struct shown_directory **found = tfind(&key, &render->directories, compare_numbers);
	struct shown_directory *shown = found ? *found : NULL;

	if (!shown)
		return;
	tdelete(&key, &render->directories, compare_numbers);
	shown_free(shown);
}

/* As the kernel would, when it is told to forget a directory's attributes: asks for them. */
static int on_tell(void *context, uint64_t ino)
{
	const struct shown_directory key = {.ino = ino};
	struct render *render = context;
	struct problem problem;
	struct stat stat;
	int r = 0;

	pthread_mutex_lock(&render->files);
	struct shown_directory **found = tfind(&key, &render->directories, compare_numbers);
	if (found)
		r = view_stat(render->view, ino, &stat);
	if (found && r == 0)
		r = rendered_put_directory(render->rendered, (*found)->path, &stat, NULL, &problem);
	if (found && r != 0)
		complain(render, (*found)->path, r, &problem);
	pthread_mutex_unlock(&render->files);
	return 0;
}

static int walk_directory(struct render *render, const char *path, uint64_t ino);

/* What it has by now: since it was looked up, something may have been taken away from it. */
static int put_directory(struct render *render, const char *path, uint64_t ino)
{
	struct problem problem;
	struct owned *owned;
	struct stat stat;

	pthread_mutex_lock(&render->files);
	int r = add_shown(render, ino, path);
	if (r == 0)
		r = view_stat(render->view, ino, &stat);
	if (r == 0)
		r = rendered_put_directory(render->rendered, path, &stat, &owned, &problem);
	if (r == 0) {
		owned->is_seen = true;
		owned->ino = ino;
	}
	pthread_mutex_unlock(&render->files);
	return r == 0 ? walk_directory(render, path, ino) : complain(render, path, r, &problem);
}

static int put_file(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;
	struct owned *owned;

	int r = view_version(render->view, ino, &version);
	pthread_mutex_lock(&render->files);
	if (r == 0)
		r = rendered_put(render->rendered, path, version, &owned, &problem);
	if (r == 0)
		owned->ino = ino;
	else /* What was good before, by another plyfs, stays. */
		owned = manifest_find(rendered_manifest(render->rendered), path);
	bool is_changed = r == 0 && owned->is_changed;
	if (owned)
		owned->is_seen = true;
	if (is_changed)
		owned->is_changed = false;
	pthread_mutex_unlock(&render->files);
	if (is_changed)
		view_note_change(render->view, path);
	return r == 0 ? 0 : complain(render, path, r, &problem);
}

static int put_name(struct render *render, const char *directory, const struct look *look)
{
	CLEANUP(freep) char *path = NULL;

	if (look->result == -ENOENT)
		return 0;
	if (asprintf(&path, "%s%s%s", directory, *directory ? "/" : "", look->name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (look->result < 0)
		return complain(render, path, look->result, NULL);
	return S_ISDIR(look->stat.st_mode) ? put_directory(render, path, look->stat.st_ino)
					   : put_file(render, path, look->stat.st_ino);
}

/* Lists and looks up all that is in the directory, so that the view knows that it is shown. */
static int walk_directory(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(names_fini) struct names names = {0};
	size_t asked = 0;
	int r = view_list(render->view, ino, 0, take_name, &names);

	if (r == 0 && names.has_failed)
		r = -ENOMEM;
	if (r < 0)
		return complain(render, path, r == -ENOENT ? -ESTALE : r, NULL);
	for (size_t i = 0; i < names.count; i++) {
		struct look *look = names.items[i];

		look->render = render;
		if (!*path && strcmp(look->name, PLYFS_NAME) == 0)
			look->result = -ENOENT;
	}
	for (size_t done = 0; r == 0 && done < names.count; done++) {
		struct look *look = names.items[done];

		for (; asked < names.count && asked < done + LOOKS; asked++)
			if (names.items[asked]->result == 0)
				ask(render, ino, names.items[asked]);
			else
				names.items[asked]->is_answered = true;
		settle(render, ino, look);
		r = put_name(render, path, look);
	}
	/* Those that were asked for are answered before their names go. */
	for (size_t i = 0; i < asked; i++)
		wait_for(render, names.items[i]);
	return r;
}

/* What another run has made and nobody shows any more. */
static int remove_unseen(struct render *render)
{
	CLEANUP(freep) struct owned **all = NULL;
	struct problem problem;
	size_t count;
	int r = manifest_list(rendered_manifest(render->rendered), "", &all, &count);

	/* From the end on: what is in a directory comes behind it. */
	for (size_t i = count; r == 0 && i-- > 0;) {
		if (all[i]->is_seen)
			continue;
		CLEANUP(freep) char *path = strdup(all[i]->path);
		if (!path)
			return -ENOMEM;
		pthread_mutex_lock(&render->files);
		int removed = rendered_remove(render->rendered, path, &problem);
		pthread_mutex_unlock(&render->files);
		if (removed != 0)
			r = complain(render, path, removed, &problem);
		else
			view_note_change(render->view, path);
	}
	return r;
}

int render_all(struct render *render)
{
	render->failed = 0;
	int r = walk_directory(render, "", VIEW_INO_ROOT);
	if (r == 0)
		r = remove_unseen(render);
	return r < 0 ? r : (int)render->failed;
}

/* The operations. What could not be done is tried again after a while. */

static int op_replace(void *context, const struct change *change)
{
	struct render *render = context;
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;
	struct owned *owned = NULL;
	struct stat staged;

	int r = view_lookup_staged(render->view, &staged);
	if (r < 0)
		return r;
	r = view_version(render->view, staged.st_ino, &version);
	/* What says that reading fails is told by the log: what was there, if anything, stays. */
	bool is_broken = r == 0 && version->kind == VERSION_BROKEN;
	pthread_mutex_lock(&render->files);
	if (r == 0 && !is_broken)
		r = rendered_put(render->rendered, change->path, version, &owned, &problem);
	pthread_mutex_unlock(&render->files);
	if (r != 0)
		complain(render, change->path, r, &problem);
	if (r == 0)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	if (r != 0 || is_broken) {
		view_forget(render->view, staged.st_ino, 1);
		return r <= 0 ? r : -EBUSY;
	}
	if (owned->ino)
		view_forget(render->view, owned->ino, 1);
	owned->ino = staged.st_ino;
	return 0;
}

/* The numbers of what is ours at the path and below. 0 with *ret for free(3), or -ENOMEM. */
static int find_numbers(
	const struct render *render, const char *path, uint64_t **ret, size_t *count)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t all_count;
	int r = manifest_list(rendered_manifest(render->rendered), path, &all, &all_count);

	*count = 0;
	*ret = r == 0 ? calloc(all_count + 1, sizeof(**ret)) : NULL;
	if (!*ret)
		return -ENOMEM;
	/* From the end on: what is in a directory is forgotten before it. */
	for (size_t i = all_count; i-- > 0;)
		if (all[i]->ino)
			(*ret)[(*count)++] = all[i]->ino;
	return 0;
}

/* A directory goes with all that lies in it, and the view must not count on any of that. */
static int op_remove(void *context, const struct change *change)
{
	struct render *render = context;
	CLEANUP(freep) uint64_t *numbers = NULL;
	struct problem problem;
	size_t count;

	pthread_mutex_lock(&render->files);
	int r = find_numbers(render, change->path, &numbers, &count);
	if (r == 0)
		r = rendered_remove(render->rendered, change->path, &problem);
	for (size_t i = 0; r == 0 && i < count; i++)
		drop_shown(render, numbers[i]);
	pthread_mutex_unlock(&render->files);
	if (r != 0)
		complain(render, change->path, r, &problem);
	if (r == 0)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	for (size_t i = 0; r == 0 && i < count; i++)
		view_forget(render->view, numbers[i], 1);
	return r <= 0 ? r : -EBUSY;
}

static int op_make_directory(void *context, const struct change *change)
{
	struct render *render = context;
	struct stat shown = {0};

	int r = view_apply_change(render->view, change->parent_ino, true, &shown);
	if (r != 0 || !shown.st_ino)
		return r;
	return put_directory(render, change->path, shown.st_ino);
}

static void op_set_attributes(void *context, const struct change *change)
{
	struct render *render = context;

	if (change->kind == CHANGE_ATTRIBUTES)
		view_tell_attributes(render->view, change);
}

static const struct publisher_ops ops = {
	.replace = op_replace,
	.remove = op_remove,
	.make_directory = op_make_directory,
	.remove_directory = op_remove,
	.set_attributes = op_set_attributes,
};

static void on_log(void *context, const char *line)
{
	log_line(context, line);
}

int render_new(struct settings *settings, const struct rendered_options *options,
	struct render **ret, struct problem *problem)
{
	CLEANUP(render_freep) struct render *render = calloc(1, sizeof(*render));
	int r = render ? 0 : -ENOMEM;

	if (r == 0) {
		const struct view_callbacks callbacks = {
			.log = on_log, .tell = on_tell, .context = render};

		render->options = *options;
		pthread_mutex_init(&render->mutex, NULL);
		pthread_mutex_init(&render->files, NULL);
		pthread_cond_init(&render->answered, NULL);
		r = rendered_open(options, &render->rendered, problem);
		if (r == 0 && settings->path)
			r = runner_new(settings, -1, &render->runner);
		if (r == 0)
			r = view_new(settings, &callbacks, &render->view);
		if (r == 0)
			view_set_runner(render->view, render->runner);
	}
	settings_unref(settings);
	if (r == 0)
		r = view_start(render->view);
	if (r == 0)
		r = publisher_new(render->view,
			&(struct publisher_options){.ops = &ops, .context = render},
			&render->publisher);
	if (r == 0)
		*ret = take_ptr(render);
	return r;
}

unsigned render_tell(struct render *render)
{
	return view_tell_notices(render->view);
}

void render_watch(struct render *render)
{
	publisher_run(render->publisher);
}

void render_stop(struct render *render)
{
	publisher_stop(render->publisher);
}

void render_free(struct render *render)
{
	if (!render)
		return;
	if (render->view)
		view_stop(render->view);
	publisher_free(render->publisher);
	view_free(render->view);
	runner_free(render->runner);
	rendered_free(render->rendered);
	tdestroy(render->directories, shown_free);
	pthread_cond_destroy(&render->answered);
	pthread_mutex_destroy(&render->files);
	pthread_mutex_destroy(&render->mutex);
	free(render);
}

void render_freep(struct render **render)
{
	render_free(*render);
}
