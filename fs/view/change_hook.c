#include "change_hook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "change.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "entry.h"
#include "look.h"
#include "path_list.h"
#include "queue.h"
#include "runner.h"
#include "state.h"
#include "traverse.h"

/* Tries in a row. */
#define TRIES 12

/* Levels of a new directory in which files are looked for. */
#define DEPTH_MAX 64

/* When so many paths have been added, the list is sorted, and duplicates go. */
#define SORT_STEP 1024

struct change_hook {
	struct run run; /* first */
	struct view *view;
	char *command;                 /* program_key() */
	struct path_list due;          /* of the next run */
	struct path_list passed;       /* RUNNING: of this run */
	size_t sorted;                 /* number of `due` when it was last sorted */
	struct settings *settings;     /* RUNNING: with which it was started; else NULL */
	const struct program *program; /* theirs */
	int64_t not_before_ms;         /* CLOCK_MONOTONIC; not before */
	struct change_hook_state state;
	struct change_hook *next;
};

/* Adds the path to those of the next run. If memory is short, the path is lost. */
static void add(struct change_hook *change_hook, const char *path)
{
	struct path_list *due = &change_hook->due;

	(void)path_list_add(due, path, strlen(path));
	if (due->count < 2 * change_hook->sorted + SORT_STEP)
		return;
	path_list_sort(due);
	change_hook->sorted = due->count;
}

/* Returns the paths, one a line. A byte that would end the line is escaped as in C. */
static char *paths_text(struct path_list *list, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	path_list_sort(list);
	for (size_t i = 0; i < list->count; i++) {
		for (const char *c = list->paths[i]; *c; c++)
			if (*c == '\n' || *c == '\\')
				fprintf(out, "\\%c", *c == '\n' ? 'n' : '\\');
			else
				fputc(*c, out);
		fputc('\n', out);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static struct change_hook *change_hook_of(struct view *view, const struct program *program)
{
	CLEANUP(freep) char *command = program_key(program);
	struct change_hook **at = &view->hooks.first;

	for (; command && *at; at = &(*at)->next)
		if (strcmp((*at)->command, command) == 0)
			return *at;
	struct change_hook *change_hook = command ? calloc(1, sizeof(*change_hook)) : NULL;
	if (!change_hook)
		return NULL;
	change_hook->state.name = strdup(program->words[0]);
	if (!change_hook->state.name) {
		free(change_hook);
		return NULL;
	}
	change_hook->view = view;
	change_hook->command = take_ptr(command);
	*at = change_hook;
	return change_hook;
}

void view_note_change(struct view *view, const char *path)
{
	const struct program *program = settings_on_change(view->composer.settings, path);
	struct change_hook *change_hook = program ? change_hook_of(view, program) : NULL;

	if (!change_hook)
		return;
	add(change_hook, path);
	/* A new change is reported at once, even after failures. */
	change_hook->state.failures = 0;
	if (change_hook->state.phase == CHANGE_HOOK_GIVEN_UP)
		change_hook->state.phase = CHANGE_HOOK_RESTS;
	change_hook->not_before_ms = 0;
}

static int note_traversed(void *context, const struct traversed *found)
{
	if (found->kind != UNION_DIRECTORY)
		view_note_change(context, found->path);
	return 0;
}

/* Notes the files below a new directory: lookups show them, without a change of their own. */
void change_hook_directory(struct view *view, const char *path)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);
	const struct traversal traversal = {settings, NULL, DEPTH_MAX, note_traversed, view};

	if (settings->program)
		(void)traverse(&traversal, path);
}

void change_hook_gone(struct view *view, const struct directory *directory)
{
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		CLEANUP(freep) char *path = NULL;
		if (entry->use->directory)
			change_hook_gone(view, entry->use->directory);
		if (entry->use->hook && directory_join(directory, entry->name, &path) == 0)
			view_note_change(view, path);
	}
}

void change_hook_change(struct view *view, const struct change *change)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);

	if (!settings->program)
		return;
	/* A file that can't be read is of no use to a command. */
	if (change->kind == CHANGE_REPLACE && change->version->kind == VERSION_BROKEN)
		return;
	if (change->kind == CHANGE_MAKE_DIRECTORY) {
		change_hook_directory(view, change->path);
		return;
	}
	/* An overtaken change counts, too, if a look has shown another file or removed this one. */
	if (view->publication.change &&
		(view->publication.done ||
			entry_has_news(change->entry, NEWS_OBJECT, change->began)))
		view_note_change(view, change->path);
}

void change_hook_pin(struct view *view, struct entry *entry)
{
	CLEANUP(freep) char *path = NULL;

	if (entry->use->hook || !view->composer.settings->program ||
		directory_join(entry->parent, entry->name, &path) < 0 ||
		!settings_on_change(view->composer.settings, path))
		return;
	entry_used(entry)->hook = HOOK_PINNED;
	entry->parent->keep_alive_count++;
}

void change_hook_unpin(struct entry *entry)
{
	if (!entry->use->hook)
		return;
	entry->parent->keep_alive_count--;
	entry_used(entry)->hook = HOOK_NONE;
}

/* Adds the paths of the failed run to those of the next one. */
static void take_back(struct change_hook *change_hook)
{
	for (size_t i = 0; i < change_hook->passed.count; i++)
		add(change_hook, change_hook->passed.paths[i]);
	path_list_fini(&change_hook->passed);
}

static void fail(struct change_hook *change_hook, const struct run_result *result)
{
	struct change_hook_state *state = &change_hook->state;
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
	struct problem *problem = &state->problem;

	run_problem(result,
		&(struct run_subject){.what = "on_change", .program = change_hook->program},
		problem);
	bool is_news = state->failures == 0;
	change_hook->not_before_ms = clock_ms() + backoff_pause(&run_pause_ms, state->failures++);
	/* If changes came during the run, the next try is made soon. */
	if (change_hook->due.count)
		change_hook->not_before_ms = clock_ms() + run_pause_ms.first;
	else if (state->failures >= TRIES)
		state->phase = CHANGE_HOOK_GIVEN_UP;
	problem_format(problem, line, sizeof(line));
	if (is_news || state->phase == CHANGE_HOOK_GIVEN_UP)
		view_log(change_hook->view, line, problem);
	take_back(change_hook);
}

/*
 * Passes each path to the hook of its present command: plyfs.yaml may name another one by now. If
 * a run has failed and none of its paths is left, the hook is as if it had not run.
 */
static void route(struct change_hook *change_hook)
{
	struct view *view = change_hook->view;
	struct path_list due = change_hook->due;

	change_hook->due = (struct path_list){0};
	change_hook->sorted = 0;
	for (size_t i = 0; i < due.count; i++) {
		const struct program *program =
			settings_on_change(view->composer.settings, due.paths[i]);
		if (program && change_hook_of(view, program) == change_hook)
			add(change_hook, due.paths[i]);
		else
			view_note_change(view, due.paths[i]);
	}
	path_list_fini(&due);
	struct change_hook_state *state = &change_hook->state;
	if (change_hook->due.count || state->phase == CHANGE_HOOK_RUNS ||
		!state->problem.message[0])
		return;
	*state = (struct change_hook_state){.name = state->name};
}

void change_hooks_route(struct view *view)
{
	for (struct change_hook *at = view->hooks.first; at; at = at->next)
		route(at);
}

static void finish(struct change_hook *change_hook, const struct run_result *result)
{
	struct change_hook_state *state = &change_hook->state;
	bool had_failed = state->problem.message[0];

	state->phase = CHANGE_HOOK_RESTS;
	clock_gettime(CLOCK_REALTIME, &state->ended);
	if (run_is_good(result)) {
		if (had_failed)
			view_log(change_hook->view, "on_change: works again", NULL);
		state->problem.message[0] = '\0';
		state->failures = 0;
		path_list_fini(&change_hook->passed);
	} else {
		fail(change_hook, result);
		if (change_hook->settings != change_hook->view->composer.settings)
			route(change_hook);
	}
	view_wake(change_hook->view);
}

static void on_done(struct run *run, const struct run_result *result)
{
	struct change_hook *change_hook = (struct change_hook *)run;
	struct view *view = change_hook->view;

	view->hooks.running--;
	view->hooks.has_ended = true;
	if (runner_is_stopped(view->gate.runner))
		change_hook->state.phase = CHANGE_HOOK_RESTS;
	else
		finish(change_hook, result);
	change_hook->program = NULL;
	settings_unref(take_ptr(change_hook->settings));
}

static bool is_of_batch(const struct view *view, const struct look *look)
{
	return look->refresh.plan.since <= view->hooks.batch.revision;
}

void change_hook_look_begins(struct view *view, const struct look *look)
{
	view->hooks.batch.awaited += is_of_batch(view, look);
}

void change_hook_look_ends(struct view *view, const struct look *look)
{
	view->hooks.batch.awaited -= is_of_batch(view, look);
}

/* Returns whether the batch that ends is shown. If none ends yet, one does from now on. */
static bool is_batch_shown(struct view *view)
{
	struct batch *batch = &view->hooks.batch;

	if (!batch->revision)
		*batch = (struct batch){view->revision, view->looks.under_way - view->looks.scans};
	if (batch->awaited || queue_since(view) <= batch->revision)
		return false;
	batch->revision = 0;
	return true;
}

/* Returns whether a command could run now. */
static bool is_any_due(const struct view *view)
{
	int64_t now = clock_ms();

	for (const struct change_hook *change_hook = view->hooks.first; change_hook;
		change_hook = change_hook->next)
		if (change_hook->due.count && change_hook->state.phase == CHANGE_HOOK_RESTS &&
			change_hook->not_before_ms <= now)
			return true;
	return false;
}

/* Returns a command that is due now, and marks it as running; *text has its paths. Returns NULL if
 * none is due; then *next_ms is the time until one is, or -1. */
static struct change_hook *take_due(struct view *view, int64_t *next_ms, char **text, size_t *size)
{
	int64_t now = clock_ms();

	*next_ms = -1;
	if (view->hooks.are_held)
		return NULL;
	for (struct change_hook *change_hook = view->hooks.first; change_hook;
		change_hook = change_hook->next) {
		if (!change_hook->due.count || change_hook->state.phase != CHANGE_HOOK_RESTS)
			continue;
		int64_t left_ms =
			change_hook->not_before_ms > now ? change_hook->not_before_ms - now : 0;
		if (left_ms == 0 && view->hooks.running < RUN_SLOTS &&
			(*text = paths_text(&change_hook->due, size))) {
			change_hook->passed = change_hook->due;
			change_hook->due = (struct path_list){0};
			change_hook->sorted = 0;
			change_hook->state.phase = CHANGE_HOOK_RUNS;
			clock_gettime(CLOCK_REALTIME, &change_hook->state.began);
			view->hooks.running++;
			return change_hook;
		}
		/* If all slots are taken, the end of a run wakes the publisher. */
		if (left_ms && (*next_ms < 0 || left_ms < *next_ms))
			*next_ms = left_ms;
	}
	return NULL;
}

static int start(struct view *view, struct change_hook *change_hook, const char *text, size_t size)
{
	const char *path = change_hook->passed.paths[0];

	change_hook->settings = view_settings(view);
	change_hook->program = settings_on_change(change_hook->settings, path);
	CLEANUP(closep) int fd = runner_file(text, size);
	if (fd < 0)
		return fd;
	change_hook->run.done = on_done;
	return runner_run(view->gate.runner, RUN_ON_CHANGE, change_hook->program, path, fd,
		&change_hook->run);
}

/* Starts due commands. Returns as change_hooks_run(). */
static int run_due(struct view *view)
{
	for (;;) {
		CLEANUP(freep) char *text = NULL;
		int64_t next_ms;
		size_t size = 0;

		struct change_hook *change_hook = take_due(view, &next_ms, &text, &size);
		if (!change_hook)
			return (int)next_ms;
		int r = start(view, change_hook, text, size);
		const struct run_result result = run_unstarted(r);
		if (r)
			on_done(&change_hook->run, &result);
	}
}

int change_hooks_run(struct view *view)
{
	/* The look that the batch waits for wakes the publisher when it ends. */
	return is_any_due(view) && !is_batch_shown(view) ? -1 : run_due(view);
}

bool change_hooks_have_ended(struct view *view)
{
	bool have_ended = view->hooks.has_ended;
	view->hooks.has_ended = false;
	return have_ended;
}

void view_hold_change_hooks(struct view *view, bool are_held)
{
	if (view->hooks.are_held && !are_held)
		view_wake(view);
	view->hooks.are_held = are_held;
}

void change_hooks_free(struct view *view)
{
	for (struct change_hook *change_hook = view->hooks.first, *next; change_hook;
		change_hook = next) {
		next = change_hook->next;
		path_list_fini(&change_hook->due);
		path_list_fini(&change_hook->passed);
		free(change_hook->command);
		free(change_hook->state.name);
		free(change_hook);
	}
	view->hooks.first = NULL;
}

void change_hook_each_path(
	const struct view *view, void (*each)(void *context, const char *path), void *context)
{
	for (const struct change_hook *change_hook = view->hooks.first; change_hook;
		change_hook = change_hook->next) {
		for (size_t i = 0; i < change_hook->due.count; i++)
			each(context, change_hook->due.paths[i]);
		for (size_t i = 0; i < change_hook->passed.count; i++)
			each(context, change_hook->passed.paths[i]);
	}
}

void view_change_hooks(struct view *view,
	void (*each)(void *context, const struct change_hook_state *state), void *context)
{
	for (struct change_hook *change_hook = view->hooks.first; change_hook;
		change_hook = change_hook->next) {
		int64_t left_ms = change_hook->not_before_ms - clock_ms();
		change_hook->state.waiting = change_hook->due.count + change_hook->passed.count;
		if (!change_hook->state.began.tv_sec && !change_hook->state.waiting)
			continue;
		change_hook->state.again_ms =
			change_hook->state.failures && left_ms > 0 ? left_ms : 0;
		each(context, &change_hook->state);
	}
}

static unsigned count_failed(const struct view *view)
{
	unsigned failed = 0;

	for (const struct change_hook *change_hook = view->hooks.first; change_hook;
		change_hook = change_hook->next)
		failed += change_hook->state.problem.message[0] != '\0';
	return failed;
}

unsigned view_run_change_hooks(struct view *view)
{
	for (;;) {
		view->waker.count = 0;
		/* The tree is complete, and nothing empties the queue: this batch is shown. */
		run_due(view);
		unsigned failed = count_failed(view);
		bool is_over = !view->hooks.running;
		/* Another try needs a mount, or a render that watches. */
		if (is_over)
			return failed;
		if (!view->waker.count)
			coroutine_poll(NULL, 0, NULL, &view->waker.queue);
	}
}
