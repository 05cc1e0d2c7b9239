#include "render_state.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <search.h>
#include <stdlib.h>

#include "bases.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "helper.h"
#include "populate.h"
#include "publisher.h"
#include "reader_sandbox.h"
#include "refresh.h"
#include "runner.h"
#include "shown_directory.h"
#include "supervisor.h"
#include "text.h"
#include "worker.h"

/*
 * Times for a generation, in ms. It must include all changes made by then, so changes in progress
 * are waited for, in steps. A program that writes without a pause delays it no longer than this.
 */
#define GENERATION_STEP_MS 2
#define GENERATION_WRITER_MS 1000
#define GENERATION_LATEST_MS 5000

/* Holds change hooks back until their changes are visible. */
static void hold_hooks(struct render *render)
{
	view_hold_change_hooks(render->view, rendered_is_to_switch(render->rendered));
}

/* Commits. Watches end meanwhile: events in the tree are our own doing. */
static void commit(struct render *render)
{
	bool is_watched = render->inotify && rendered_is_to_switch(render->rendered);
	struct problem problem;
	bool has_switched;

	if (is_watched)
		shown_watch_all(render, false);
	int r = rendered_commit(render->rendered, &has_switched, &problem);
	/* If the link was removed, the switch could not be foreseen. */
	if (is_watched || (render->inotify && has_switched))
		shown_watch_all(render, true);
	/* If one name fails, the hooks of the others still run. */
	hold_hooks(render);
	if (r == 0) {
		if (render->commit_failure)
			deferred_put_status(render->deferred);
		render->commit_failure = 0;
		return;
	}
	if (r != PROBLEM)
		problem_set(&problem, render->options.directory, 0, 0, "%s", text_error(r));
	if (r != render->commit_failure || rendered_is_removed(render->rendered))
		failure_note(render, render->options.directory, NULL, PROBLEM, &problem);
	render->commit_problem = problem;
	render->commit_failure = r;
	render->failed++;
	deferred_commit(render->deferred, failure_retry_ms(render, r));
}

int render_all(struct render *render)
{
	struct problem problem;
	struct stat root;

	render->failed = 0;
	int r = shown_add(render, VIEW_INO_ROOT, "");
	if (r == 0)
		r = view_stat(render->view, VIEW_INO_ROOT, &root);
	if (r == 0)
		r = rendered_open_to(render->rendered, &root);
	if (r < 0)
		return r;
	if (!render->options.is_atomic)
		shown_watch(shown_find(render, VIEW_INO_ROOT));
	populate_directory(render, "", VIEW_INO_ROOT);
	/* The last good tree stays, as it does if the process is killed here. */
	if (populate_was_replaced(render, &problem)) {
		failure_note(render, problem.source, NULL, PROBLEM, &problem);
		return (int)++render->failed;
	}
	populate_remove_unseen(render);
	commit(render);
	if (render->options.is_atomic)
		shown_watch_beside(render);
	if (render->options.mode != RENDER_DRY)
		render_status_write(render);
	/* Without the bases, the next process makes all files again. */
	(void)bases_write(render->rendered);
	/* Give back the memory that only the first, complete walk needed. */
	malloc_trim(0);
	return (int)render->failed;
}

/* The publisher's operations. A failed one is retried after a while. */

static int replace(struct render *render, const struct change *change)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;
	struct stat staged;

	int r = view_lookup_staged(render->view, &staged);
	if (r < 0)
		return r;
	r = view_version(render->view, staged.st_ino, &version);
	/* The log has the reason why a version is broken. The file that is there, if any, stays. */
	bool is_broken = r == 0 && version->kind == VERSION_BROKEN;
	if (r == 0)
		view_drop_names(version);
	struct owned *owned = manifest_get(render->manifest, change->path);
	if (!owned)
		r = -ENOMEM;
	if (r == 0)
		r = rendered_put(render->rendered, owned, version, &problem);
	if (is_broken && r == RENDERED_BROKEN)
		r = 0;
	bool is_put = !is_broken && r != -ENOMEM && failure_is_over(render, owned, r);
	if (!is_put && r != 0 && owned)
		failure_of_change(render, change->path, owned, r, &problem);
	if (is_put)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	if (r != 0 || is_broken) {
		view_forget(render->view, staged.st_ino, 1);
		return r <= 0 ? r : -EBUSY;
	}
	populate_note_number(render, owned, staged.st_ino);
	return 0;
}

/* Finds the numbers of our names at and below the path. Returns 0 with *ret, or -ENOMEM. */
static int find_numbers(
	const struct render *render, const char *path, uint64_t **ret, size_t *count)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t all_count;
	int r = manifest_list(render->manifest, path, &all, &all_count);

	*count = 0;
	*ret = r == 0 ? calloc(all_count + 1, sizeof(**ret)) : NULL;
	if (!*ret)
		return -ENOMEM;
	/* Backwards: the contents of a directory are forgotten before the directory. */
	for (size_t i = all_count; i-- > 0;)
		if (all[i]->ino)
			(*ret)[(*count)++] = all[i]->ino;
	return 0;
}

/* Forgets the numbers of kept drift, which the view does not show. */
static int forget_kept(const struct render *render, const char *path)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(render->manifest, path, &all, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		all[i]->ino = 0;
	return r;
}

/* Removes a name. A directory goes with its contents, and the view must forget all of them. */
static int remove_shown(struct render *render, const struct change *change)
{
	CLEANUP(freep) uint64_t *numbers = NULL;
	struct problem problem;
	size_t count;

	struct owned *owned = manifest_find(render->manifest, change->path);
	int r = find_numbers(render, change->path, &numbers, &count);
	if (r == 0 && owned)
		r = rendered_remove(render->rendered, owned, &problem);
	if (r == RENDERED_KEPT)
		r = forget_kept(render, change->path);
	for (size_t i = 0; r == 0 && i < count; i++)
		shown_drop(render, numbers[i]);
	if (r != 0)
		failure_of_change(render, change->path, owned, r, &problem);
	if (r == 0)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	for (size_t i = 0; r == 0 && i < count; i++)
		view_forget(render->view, numbers[i], 1);
	return r <= 0 ? r : -EBUSY;
}

/* The view must know a directory before it can be walked. deferred.h tries again what failed. */
static int make_directory(struct render *render, const struct change *change)
{
	struct stat shown = {0};

	int r = view_apply_change(render->view, change->parent_ino, true, &shown);
	if (r < 0 || !shown.st_ino)
		return r;
	r = populate_put_directory(render, change->path, shown.st_ino);
	if (r < 0)
		populate_miss(render, change->parent_ino, change->path, r);
	return 0;
}

static int op_publish(void *context, const struct change *change)
{
	return change->kind == CHANGE_REPLACE          ? replace(context, change)
	       : change->kind == CHANGE_MAKE_DIRECTORY ? make_directory(context, change)
						       : remove_shown(context, change);
}

/* Sets a file's time. A failure is ignored: the bytes are right. */
static void take_time(struct render *render, const struct change *change)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	if (view_version(render->view, change->attributes_ino, &version) < 0)
		return;
	const struct owned *owned = manifest_find(render->manifest, change->path);
	if (owned)
		rendered_take_time(render->rendered, owned, version);
}

static void op_announce(void *context, const struct change *change)
{
	struct render *render = context;

	if (change->kind == CHANGE_TIME)
		take_time(render, change);
	if (change->kind == CHANGE_ATTRIBUTES)
		view_notify_attributes(render->view, change);
}

static void op_batch_end(void *context)
{
	struct render *render = context;

	deferred_put_status(render->deferred);
	if (render->is_removal_due)
		populate_remove_unseen(render);
	if (!render->options.is_atomic)
		commit(render);
	else if (rendered_is_to_switch(render->rendered))
		deferred_commit(render->deferred, GENERATION_QUIET_MS);
	hold_hooks(render);
}

static const struct publisher_ops ops = {
	.publish = op_publish,
	.announce = op_announce,
	.batch_end = op_batch_end,
};

static void put_node(const void *node, VISIT visit, void *context)
{
	if (visit == postorder || visit == leaf)
		populate_again(context, *(char *const *)node);
}

/* Returns whether the view has all changes that belong together. Called by the publisher. */
static bool is_whole(struct render *render, int64_t since_ms)
{
	int64_t waited_ms = clock_ms() - since_ms;

	view_take_events(render->view);
	return waited_ms > GENERATION_LATEST_MS ||
	       view_is_settled(render->view, waited_ms <= GENERATION_WRITER_MS);
}

static bool do_due(void *context, struct publisher_hook *hook)
{
	struct render *render = context;
	struct due due;

	(void)hook;
	bool is_status_due = deferred_take(render->deferred, &due);
	/* If more changes are in progress, tries the generation again in a moment. */
	bool is_early = due.since_ms && !is_whole(render, due.since_ms);
	if (due.since_ms)
		deferred_commit_done(render->deferred, is_early ? GENERATION_STEP_MS : 0);
	twalk_r(due.paths.some, put_node, render);
	tdestroy(due.paths.some, free);
	if (due.paths.are_all)
		populate_all_again(render);
	if (is_status_due)
		render_status_write(render);
	if ((due.since_ms && !is_early) || !render->options.is_atomic)
		commit(render);
	else if (!is_early && rendered_is_to_switch(render->rendered))
		deferred_commit(render->deferred, GENERATION_QUIET_MS);
	/* The paths may have been written into the next generation. */
	hold_hooks(render);
	return false;
}

/* Updates a directory's attributes. In a mount, the kernel asks for them after an invalidation. */
static int on_notify(void *context, uint64_t ino)
{
	struct render *render = context;
	struct owned *owned = NULL;
	struct problem problem;
	int r = 0;

	struct shown_directory *shown = shown_find(render, ino);
	if (shown && *shown->path) {
		owned = manifest_get(render->manifest, shown->path);
		r = owned ? populate_dress(render, owned, ino, !owned->is_closed, &problem)
			  : -ENOMEM;
		if (r != 0 && r != RENDERED_KEPT)
			failure_retry(render, shown->path, owned, r, &problem);
		else if (rendered_is_to_switch(render->rendered))
			deferred_commit(render->deferred, GENERATION_QUIET_MS);
	}
	return 0;
}

static void on_log(void *context, const char *line, const struct problem *problem)
{
	failure_log_line(context, line, problem);
	deferred_put_status(((struct render *)context)->deferred);
}

static void log_line(void *context, const char *line)
{
	on_log(context, line, NULL);
}

static bool on_helpers(void *context, struct publisher_hook *hook)
{
	helper_take(hook->fd, RENEWAL, log_line, context);
	supervisor_look(((struct render *)context)->options.supervisor);
	return false;
}

static void on_outline(void *context, struct settings *outline)
{
	struct render *render = context;

	if (render->options.supervisor)
		supervisor_use(render->options.supervisor, outline);
}

static int add_publisher(struct render *render)
{
	int shown_fd = render->inotify ? inotify_fd(render->inotify) : -1;
	const struct publisher_options options = {.ops = &ops,
		.context = render,
		.hooks = {{.fd = deferred_fd(render->deferred), .events = POLLIN, .handle = do_due},
			{.fd = shown_fd,
				.events = POLLIN,
				.handle = render->inotify ? shown_take_events : NULL},
			{.fd = render->helpers_fd, .events = POLLIN, .handle = on_helpers}},
		.take_outline = on_outline};

	return publisher_new(render->view, &options, &render->publisher);
}

int render_new(struct settings *settings, const struct rendered_options *options,
	struct render **ret, struct problem *problem)
{
	CLEANUP(render_freep) struct render *render = calloc(1, sizeof(*render));
	int r = render ? 0 : -ENOMEM;

	if (r == 0) {
		struct view_callbacks callbacks = {.log = on_log,
			.notify = on_notify,
			.use = VIEW_RENDERED,
			.context = render};

		render->options = *options;
		render->helpers_fd = -1;
		r = deferred_new(&render->deferred);
		if (r == 0)
			r = rendered_open(options, &render->rendered, &render->manifest, problem);
		/*
		 * Watching compares later versions with the present ones, and a generation writes
		 * a file that can't be linked: both need the versions.
		 */
		if (r == 0 && options->mode != RENDER_WATCH && !options->is_atomic)
			callbacks.basis_seed = bases_read(render->rendered, settings);
		if (r == 0 && settings->text.path)
			r = runner_new(&render->runner);
		/* Each layer needs a descriptor, and more while it is read. */
		descriptor_raise_limit();
		sandbox_hide(&options->switches);
		if (r == 0)
			r = reader_sandbox_prepare(
				settings, &options->switches, &render->sandbox, problem);
		if (r == 0)
			r = view_new(settings, &callbacks, &render->view);
		if (r == 0)
			r = view_use_workers(render->view);
		if (r == 0)
			view_set_runner(render->view, render->runner);
	}
	settings_unref(settings);
	/* helper_watch() blocks a signal: coroutines made before it would not block the signal. */
	if (r == 0 && options->mode == RENDER_WATCH) {
		r = inotify_new(&render->inotify);
		render->helpers_fd = helper_watch();
	}
	if (r == 0)
		r = view_start(render->view);
	if (r == 0 && options->supervisor)
		r = supervisor_start(options->supervisor);
	if (r == 0)
		r = add_publisher(render);
	if (r == 0)
		*ret = take_ptr(render);
	return r;
}

struct view *render_view(const struct render *render)
{
	return render->view;
}

int render_watch(struct render *render)
{
	publisher_run(render->publisher);
	/* Do not show changes whose hooks will not run any more: the next run does both. */
	if (!rendered_is_to_switch(render->rendered))
		commit(render);
	render_status_write(render);
	return rendered_is_removed(render->rendered) ? -ENOENT : 0;
}

void render_stop(struct render *render)
{
	publisher_stop(render->publisher);
}

void render_freep(struct render **place)
{
	struct render *render = *place;

	if (!render)
		return;
	supervisor_stop(render->options.supervisor);
	if (render->view)
		view_stop(render->view);
	publisher_freep(&render->publisher);
	view_freep(&render->view);
	runner_free(render->runner);
	rendered_free(render->rendered);
	shown_drop_all(render);
	if (render->inotify)
		inotify_unsubscribe(render->inotify, &render->beside);
	inotify_free(render->inotify);
	deferred_free(render->deferred);
	closep(&render->helpers_fd);
	free(render);
}
