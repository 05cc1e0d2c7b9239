#include "gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "compose_task.h"
#include "descriptor.h"
#include "entry.h"
#include "line_map.h"
#include "look.h"
#include "runner.h"

/* If an optional program is missing, the retries begin here: the first comes after a minute. */
#define OPTIONAL_TRIES 6

/* Positive result of start(). */
#define UNCHECKED 1

/* Bytes that are to be judged. */
struct candidate {
	struct run run; /* first */
	struct view *view;
	struct entry *entry; /* in use */
	char *path;
	char *command; /* program_key() of its check */
	struct version *version;
	struct line_map *lines;        /* where its lines are from; NULL: not known */
	struct look *parked;           /* first looks that go on with the verdict */
	struct settings *settings;     /* with which it runs; NULL: it waits */
	const struct program *program; /* theirs */
	bool is_wanted;                /* a look that would have shown it has ended */
	struct candidate *next;        /* of the same entry */
};

/* A missing program of a check. */
struct gate_missing {
	struct view_unchecked unchecked;
	char program[PROGRAM_NAME_MAX];
	struct gate_missing *next;
};

/* The state of a path that has a check. */
struct checked {
	char *command;                /* program_key() of the check that gave the verdicts */
	struct version *passed;       /* the last bytes that it accepted; NULL: none yet */
	struct version *failed;       /* the last bytes that it rejected; NULL: none yet */
	struct problem problem;       /* why it rejected them */
	struct candidate *candidates; /* oldest first; only the first may be running */
	struct checked *next;         /* in the queue: while the first candidate does not run */

	struct gate_missing *missing; /* its program, missing at the last try; else NULL */
	bool is_let_through;          /* … and it is optional, so the bytes may be shown */

	/* The check could not run, and will be tried again. */
	unsigned tries;      /* in a row */
	int64_t again_ms;    /* CLOCK_MONOTONIC */
	struct entry *entry; /* in use; NULL: no retry is due */
	struct checked *next_retry;
};

static void forget_answers(struct checked *checked)
{
	version_unref(take_ptr(checked->passed));
	version_unref(take_ptr(checked->failed));
	free(take_ptr(checked->command));
	checked->missing = NULL;
	checked->is_let_through = false;
}

void gate_forget(struct entry *entry)
{
	struct checked *checked = entry->use->checked;

	if (checked)
		forget_answers(checked);
	free(checked);
}

static void candidate_free(struct candidate *candidate)
{
	entry_leave(candidate->view, candidate->entry);
	version_unref(candidate->version);
	line_map_freep(&candidate->lines);
	settings_unref(candidate->settings);
	free(candidate->path);
	free(candidate->command);
	free(candidate);
}

static struct candidate *candidate_new(const struct look *look, const char *command)
{
	struct candidate *candidate = calloc(1, sizeof(*candidate));
	char *path = strdup(look->path), *copy = strdup(command);

	if (!candidate || !path || !copy) {
		free(candidate);
		free(path);
		free(copy);
		return NULL;
	}
	*candidate = (struct candidate){.view = look->view,
		.entry = look->entry,
		.path = path,
		.command = copy,
		.version = version_ref(look->result.version)};
	entry_enter(look->view, look->entry);
	return candidate;
}

static bool has_same_bytes(const struct version *a, const struct version *b)
{
	return a && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void queue(struct gate *gate, struct checked *checked)
{
	checked->next = NULL;
	*gate->queue_end = checked;
	gate->queue_end = &checked->next;
}

/* Drops the candidates that a newer one replaces. Returns whether a look wanted one of them. */
static bool drop_older(struct checked *checked)
{
	bool was_wanted = false;

	for (struct candidate **at = &checked->candidates; *at;) {
		struct candidate *candidate = *at;

		if (candidate->settings || candidate->parked) {
			at = &candidate->next;
			continue;
		}
		was_wanted |= candidate->is_wanted;
		*at = candidate->next;
		candidate_free(candidate);
	}
	return was_wanted;
}

/* Returns the candidate with these bytes, or makes one. NULL: no memory. */
static struct candidate *find_candidate(const struct look *look, struct checked *checked,
	const char *command, struct line_map **lines)
{
	struct candidate **at = &checked->candidates;
	bool is_first = !*at;

	for (; *at; at = &(*at)->next)
		if (strcmp((*at)->command, command) == 0 &&
			has_same_bytes((*at)->version, look->result.version))
			return *at;
	struct candidate *candidate = candidate_new(look, command);
	if (!candidate)
		return NULL;
	candidate->lines = take_ptr(*lines);
	candidate->is_wanted = drop_older(checked);
	for (at = &checked->candidates; *at; at = &(*at)->next)
		;
	*at = candidate;
	/* If it replaces all others, the path is in the queue already. */
	if (is_first)
		queue(&look->view->gate, checked);
	return candidate;
}

static int wait_for(struct look *look, struct candidate *candidate)
{
	if (look->purpose == LOOK_REFRESH || look->shown) {
		candidate->is_wanted = true;
		return look->purpose == LOOK_REFRESH ? LOOK_AT_GATE : LOOK_IS_CURRENT;
	}
	look->next = candidate->parked;
	candidate->parked = look;
	return LOOK_IS_PARKED;
}

static struct checked *checked_of(struct entry *entry, const char *command)
{
	struct checked *checked = entry->use->checked;

	if (!checked)
		checked = entry_used(entry)->checked = calloc(1, sizeof(*checked));
	if (!checked || (checked->command && strcmp(checked->command, command) == 0))
		return checked;
	forget_answers(checked);
	checked->command = strdup(command);
	return checked->command ? checked : NULL;
}

/* Returns 0 or PROBLEM if the bytes have a verdict, LOOK_AT_GATE if they have none, or -errno. */
static int recall(struct look *look, const char *command)
{
	struct view *view = look->view;

	/* The settings have changed: this version will not be shown. */
	if (look->composer.settings != view->composer.settings)
		return 0;
	if (runner_is_stopped(view->gate.runner))
		return -ENOTCONN;
	struct checked *checked = checked_of(look->entry, command);
	if (!checked)
		return -ENOMEM;
	if (has_same_bytes(checked->passed, look->result.version)) {
		/* Two versions of the same bytes share one copy. */
		version_unref(checked->passed);
		checked->passed = version_ref(look->result.version);
		return 0;
	}
	if (has_same_bytes(checked->failed, look->result.version)) {
		look->result.problem = checked->problem;
		return PROBLEM;
	}
	return LOOK_AT_GATE;
}

/* If the bytes have no verdict and `lines` is not NULL, makes the look wait for one. */
static int judge(struct look *look, const char *command, struct line_map **lines)
{
	int r = recall(look, command);
	if (r == LOOK_AT_GATE && lines) {
		struct candidate *candidate =
			find_candidate(look, look->entry->use->checked, command, lines);
		r = candidate ? wait_for(look, candidate) : -ENOMEM;
	}
	return r;
}

static void start_next(struct view *view);

/* Other settings may have named a check for the path. */
static void forget_check(struct look *look)
{
	if (look->entry->use->checked)
		forget_answers(look->entry->use->checked);
}

int gate_judge(struct look *look)
{
	const struct settings *settings = look->composer.settings;
	const struct program *program = look->result.version->kind == VERSION_BYTES
						? settings_check(settings, look->path)
						: NULL;

	if (!program) {
		forget_check(look);
		return 0;
	}
	CLEANUP(freep) char *command = program_key(program);
	CLEANUP(line_map_freep) struct line_map *lines = NULL;
	if (!command)
		return -ENOMEM;
	struct view *view = look->view;
	int r = judge(look, command, NULL);
	if (r != LOOK_AT_GATE)
		return r;
	if (look->purpose == LOOK_FIRST)
		lookup_takes_long(look);
	/* Another merge finds out where each line is from. It costs less than running a program. */
	r = view->workers ? map_lines_by(view->workers, &look->composer, look->path,
				    &look->result.lookup, look->result.version, &lines)
			  : 0;
	if (r == 0)
		r = judge(look, command, &lines);
	start_next(view);
	return r;
}

/* Returns whether the run says nothing of the bytes: a missing program, or a busy machine. */
static bool is_unjudged(const struct run_result *result)
{
	return result->end != RUN_EXITED && result->end != RUN_KILLED;
}

static void retry(struct view *view, struct entry *entry, struct checked *checked)
{
	/* The bytes are shown already, so there is no hurry. */
	if (checked->is_let_through && checked->tries < OPTIONAL_TRIES)
		checked->tries = OPTIONAL_TRIES;
	checked->again_ms = clock_ms() + backoff_pause(&run_pause_ms, checked->tries++);
	view_wake(view);
	if (checked->entry)
		return;
	checked->entry = entry;
	entry_enter(view, entry);
	checked->next_retry = view->gate.retries;
	view->gate.retries = checked;
}

static void end_retry(struct view *view, struct checked **place)
{
	struct checked *checked = *place;
	struct entry *entry = take_ptr(checked->entry);

	*place = checked->next_retry;
	entry_leave(view, entry);
}

int64_t gate_retry(struct view *view, int64_t now_ms)
{
	int64_t next = -1;

	for (struct checked **at = &view->gate.retries; *at;) {
		struct checked *checked = *at;
		int64_t left_ms = checked->again_ms - now_ms;

		if (left_ms > 0) {
			next = next < 0 || left_ms < next ? left_ms : next;
			at = &checked->next_retry;
			continue;
		}
		version_unref(take_ptr(checked->failed));
		if (checked->is_let_through)
			version_unref(take_ptr(checked->passed));
		queue_entry(view, checked->entry);
		end_retry(view, at);
	}
	return next;
}

/* Returns the record of a missing program; NULL: no memory. */
static struct gate_missing *missing(struct gate *gate, const char *program, const char *why)
{
	struct gate_missing *missing = gate->missing;

	while (missing && (strcmp(missing->program, program) != 0 || missing->unchecked.why != why))
		missing = missing->next;
	if (missing || !(missing = calloc(1, sizeof(*missing))))
		return missing;
	strcpy(missing->program, program);
	missing->unchecked = (struct view_unchecked){.program = missing->program, .why = why};
	missing->next = gate->missing;
	gate->missing = missing;
	return missing;
}

/* Notes for the status whether the program is missing. */
static void note_missing(struct view *view, struct checked *checked,
	const struct run_result *result, const struct program *program)
{
	char name[PROGRAM_NAME_MAX];
	const char *why;

	checked->missing = NULL;
	if (run_is_missing(result, program, name, &why))
		checked->missing = missing(&view->gate, name, why);
	checked->is_let_through = checked->missing && program->is_optional;
}

/* Returns whether the bytes may be shown. */
static bool is_let_through(const struct run_result *result, const struct program *program)
{
	char name[PROGRAM_NAME_MAX];
	const char *why;

	return run_is_good(result) ||
	       (program && program->is_optional && run_is_missing(result, program, name, &why));
}

static void remember(struct candidate *candidate, const struct run_result *result,
	const struct program *program, const struct problem *problem)
{
	struct checked *checked = candidate->entry->use->checked;

	if (!checked->command || strcmp(checked->command, candidate->command) != 0)
		return;
	note_missing(candidate->view, checked, result, program);
	struct version **place =
		is_let_through(result, program) ? &checked->passed : &checked->failed;
	version_unref(*place);
	*place = version_ref(candidate->version);
	if (place == &checked->failed)
		checked->problem = *problem;
	if (is_unjudged(result) || checked->missing)
		retry(candidate->view, candidate->entry, checked);
	else
		checked->tries = 0;
}

/* Continues the parked looks with the result. `problem`: why the check failed. */
static void go_on(struct look *parked, int result, const struct problem *problem)
{
	for (struct look *look = parked, *next; look; look = next) {
		next = look->next;
		if (result == PROBLEM)
			look->result.problem = *problem;
		look_judged(look, result);
	}
}

static void finish(struct candidate *candidate, const struct run_result *result)
{
	struct view *view = candidate->view;
	struct problem problem;

	const struct program *program = candidate->program;
	const struct run_subject subject = {
		candidate->path, "the check", program, candidate->lines};
	int r = is_let_through(result, program) ? 0 : PROBLEM;
	if (r == PROBLEM)
		run_problem(result, &subject, &problem);
	struct checked *checked = candidate->entry->use->checked;
	view->gate.running--;
	checked->candidates = candidate->next;
	if (checked->candidates)
		queue(&view->gate, checked);
	if (runner_is_stopped(view->gate.runner))
		r = -ENOTCONN;
	else
		remember(candidate, result, program, &problem);
	if (!runner_is_stopped(view->gate.runner) && candidate->is_wanted)
		queue_entry(view, candidate->entry);
	struct look *parked = take_ptr(candidate->parked);
	candidate_free(candidate);
	go_on(parked, r, &problem);
}

static void on_done(struct run *run, const struct run_result *result)
{
	struct candidate *candidate = (struct candidate *)run;
	struct view *view = candidate->view;

	finish(candidate, result);
	start_next(view);
}

static struct candidate *take_next(struct gate *gate)
{
	struct checked *checked = gate->queue;

	if (!checked || gate->running == RUN_SLOTS)
		return NULL;
	gate->queue = checked->next;
	if (!gate->queue)
		gate->queue_end = &gate->queue;
	gate->running++;
	return checked->candidates;
}

/* Starts the check of the settings in force. Returns 0, UNCHECKED: there is none, or -errno. */
static int start(struct candidate *candidate)
{
	struct view *view = candidate->view;
	candidate->settings = view_settings(view);
	const struct program *program = settings_check(candidate->settings, candidate->path);
	char *command = program ? program_key(program) : strdup("");

	if (!command)
		return -ENOMEM;
	char *old = candidate->command;
	candidate->command = command;
	free(old);
	candidate->program = program;
	if (!program)
		return UNCHECKED;
	CLEANUP(closep) int fd = runner_file(candidate->version->data, candidate->version->size);
	if (fd < 0)
		return fd;
	return runner_run(
		view->gate.runner, RUN_CHECK, program, candidate->path, fd, &candidate->run);
}

static void start_next(struct view *view)
{
	struct candidate *candidate;

	for (;;) {
		candidate = take_next(&view->gate);
		if (!candidate)
			return;
		candidate->run.done = on_done;
		int r = start(candidate);
		const struct run_result result = run_unstarted(r);
		const struct run_result good = {.end = RUN_EXITED};
		if (r)
			finish(candidate, r == UNCHECKED ? &good : &result);
	}
}

void gate_stop(struct view *view)
{
	while (view->gate.retries)
		end_retry(view, &view->gate.retries);
	if (view->gate.runner)
		runner_stop(view->gate.runner);
	start_next(view);
}

void gate_fini(struct view *view)
{
	for (struct gate_missing *missing; (missing = view->gate.missing);) {
		view->gate.missing = missing->next;
		free(missing);
	}
}

/* Counts names that are shown. A name that is only remembered does not count. */
static void count_missing(const struct directory *directory)
{
	for (const struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		const struct checked *checked = entry->use->checked;

		if (entry->use->directory)
			count_missing(entry->use->directory);
		if (!checked || !checked->missing || (!entry->use->version && !entry->use->fault))
			continue;
		checked->missing->unchecked.files++;
		checked->missing->unchecked.shown += checked->is_let_through;
	}
}

void view_unchecked(struct view *view,
	void (*each)(void *context, const struct view_unchecked *unchecked), void *context)
{
	for (struct gate_missing *missing = view->gate.missing; missing; missing = missing->next)
		missing->unchecked.files = missing->unchecked.shown = 0;
	if (view->gate.missing)
		count_missing(view->root);
	for (const struct gate_missing *missing = view->gate.missing; missing;
		missing = missing->next)
		if (missing->unchecked.files)
			each(context, &missing->unchecked);
}
