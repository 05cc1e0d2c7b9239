#include "gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "entry.h"
#include "look.h"
#include "runner.h"
#include "verdict.h"

/* Bytes that are to be judged. */
struct candidate {
	struct run run; /* first */
	struct view *view;
	struct entry *entry; /* in use */
	char *path;
	char *command; /* program_key() of what judges it */
	struct version *version;
	struct verdict *verdict; /* of the versions that are shown meanwhile; NULL: none is */
	bool is_running;
	bool is_wanted;         /* a look has ended that would have shown it */
	struct candidate *next; /* of the same entry */
};

/* What is known of a path that has a check. */
struct checked {
	char *command;                /* that what follows was said by */
	struct version *passed;       /* what it was content with last; NULL: nothing yet */
	struct version *failed;       /* what it was not content with last; NULL likewise */
	struct problem problem;       /* and why */
	struct candidate *candidates; /* the oldest first; one that runs is the first */
	struct checked *next;         /* in the queue */
	bool is_queued;
};

static void forget_answers(struct checked *checked)
{
	version_unref(take_ptr(checked->passed));
	version_unref(take_ptr(checked->failed));
	free(take_ptr(checked->command));
}

void gate_forget(struct entry *entry)
{
	struct checked *checked = take_ptr(entry->checked);

	if (checked)
		forget_answers(checked);
	free(checked);
}

static void candidate_free_locked(struct candidate *candidate)
{
	entry_leave_locked(candidate->view, candidate->entry);
	version_unref(candidate->version);
	verdict_unref(candidate->verdict);
	free(candidate->path);
	free(candidate->command);
	free(candidate);
}

static struct candidate *candidate_new_locked(const struct look *look, const char *command)
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
		.version = version_ref(look->version)};
	entry_enter_locked(look->view, look->entry);
	return candidate;
}

static bool has_same_bytes(const struct version *a, const struct version *b)
{
	return a && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void queue_locked(struct gate *gate, struct checked *checked)
{
	if (checked->is_queued)
		return;
	checked->is_queued = true;
	checked->next = NULL;
	*gate->queue_end = checked;
	gate->queue_end = &checked->next;
}

/* Nobody waits for what a newer one takes the place of. */
static void drop_older_locked(struct checked *checked)
{
	for (struct candidate **at = &checked->candidates; *at;) {
		struct candidate *candidate = *at;

		if (candidate->is_running || candidate->verdict) {
			at = &candidate->next;
			continue;
		}
		*at = candidate->next;
		candidate_free_locked(candidate);
	}
}

/* The one of those bytes that waits or runs, else a new one. NULL: no memory. */
static struct candidate *find_candidate_locked(
	const struct look *look, struct checked *checked, const char *command)
{
	struct candidate **at = &checked->candidates;

	for (; *at; at = &(*at)->next)
		if (strcmp((*at)->command, command) == 0 &&
			has_same_bytes((*at)->version, look->version))
			return *at;
	struct candidate *candidate = candidate_new_locked(look, command);
	if (!candidate)
		return NULL;
	drop_older_locked(checked);
	for (at = &checked->candidates; *at; at = &(*at)->next)
		;
	*at = candidate;
	if (checked->candidates == candidate)
		queue_locked(&look->view->gate, checked);
	return candidate;
}

static int wait_for_locked(struct look *look, struct candidate *candidate)
{
	if (look->purpose == LOOK_REFRESH || look->shown) {
		candidate->is_wanted = true;
		return look->purpose == LOOK_REFRESH ? LOOK_AT_GATE : LOOK_IS_CURRENT;
	}
	if (!candidate->verdict)
		candidate->verdict = verdict_new();
	if (!candidate->verdict)
		return -ENOMEM;
	look->version->verdict = verdict_ref(candidate->verdict);
	return 0;
}

static struct checked *checked_of_locked(struct entry *entry, const char *command)
{
	struct checked *checked = entry->checked;

	if (!checked)
		checked = entry->checked = calloc(1, sizeof(*checked));
	if (!checked || (checked->command && strcmp(checked->command, command) == 0))
		return checked;
	forget_answers(checked);
	checked->command = strdup(command);
	return checked->command ? checked : NULL;
}

static int judge_locked(struct look *look, const char *command)
{
	struct view *view = look->view;

	/* It is not shown in any case. */
	if (look->settings.number != view->settings_number)
		return 0;
	if (view->gate.is_stopped)
		return -ENOTCONN;
	struct checked *checked = checked_of_locked(look->entry, command);
	if (!checked)
		return -ENOMEM;
	if (has_same_bytes(checked->passed, look->version)) {
		/* There need be no second copy. */
		version_unref(checked->passed);
		checked->passed = version_ref(look->version);
		return 0;
	}
	if (has_same_bytes(checked->failed, look->version)) {
		look->problem = checked->problem;
		return PROBLEM;
	}
	struct candidate *candidate = find_candidate_locked(look, checked, command);
	return candidate ? wait_for_locked(look, candidate) : -ENOMEM;
}

static void start_next(struct view *view);

int gate_judge(struct look *look)
{
	const struct settings *settings = look->settings.composer.settings;
	const struct program *program =
		look->version->kind == VERSION_BYTES ? settings_check(settings, look->path) : NULL;

	if (!program)
		return 0;
	CLEANUP(freep) char *command = program_key(program);
	if (!command)
		return -ENOMEM;
	view_lock(look->view);
	int r = judge_locked(look, command);
	view_unlock(look->view);
	start_next(look->view);
	return r;
}

static void remember_locked(
	struct candidate *candidate, const struct run_result *result, const struct problem *problem)
{
	struct checked *checked = candidate->entry->checked;

	if (!checked->command || strcmp(checked->command, candidate->command) != 0)
		return;
	struct version **place = run_is_good(result) ? &checked->passed : &checked->failed;
	version_unref(*place);
	*place = version_ref(candidate->version);
	if (place == &checked->failed)
		checked->problem = *problem;
}

/* Returns who waits for the verdict. */
static struct view_reader *give_verdict_locked(
	struct candidate *candidate, const struct run_result *result, const struct problem *problem)
{
	static const struct version nothing = {.kind = VERSION_BROKEN};
	struct entry *entry = candidate->entry;
	struct verdict *verdict = candidate->verdict;
	bool is_good = run_is_good(result);

	if (!verdict)
		return NULL;
	atomic_store(&verdict->state, is_good ? VERDICT_PASSED : VERDICT_FAILED);
	if (!is_good && entry->version && entry->version->verdict == verdict) {
		entry_set_trouble_locked(candidate->view, entry, problem, &nothing, false);
		candidate->is_wanted = true; /* what says so takes its place */
	}
	return take_ptr(verdict->readers);
}

static void tell(struct view_reader *readers, int result)
{
	for (struct view_reader *reader = readers, *next; reader; reader = next) {
		next = reader->next;
		reader->answer(reader, result);
	}
}

static void finish(struct candidate *candidate, const struct run_result *result)
{
	struct view *view = candidate->view;
	struct view_reader *readers = NULL;
	struct problem problem;

	view_lock(view);
	const struct program *program = settings_check(view->composer.settings, candidate->path);
	if (!run_is_good(result))
		run_problem(result, candidate->path, "the check", program, &problem);
	struct checked *checked = candidate->entry->checked;
	bool is_stopped = view->gate.is_stopped;
	view->gate.running--;
	checked->candidates = candidate->next;
	if (checked->candidates)
		queue_locked(&view->gate, checked);
	if (is_stopped && candidate->verdict) {
		readers = take_ptr(candidate->verdict->readers);
	} else if (!is_stopped) {
		remember_locked(candidate, result, &problem);
		readers = give_verdict_locked(candidate, result, &problem);
		if (candidate->is_wanted)
			queue_entry_locked(view, candidate->entry);
	}
	int told = is_stopped ? -ENOTCONN : run_is_good(result) ? 0 : -EIO;
	candidate_free_locked(candidate);
	view_unlock(view);
	tell(readers, told);
}

static void on_done(struct run *run, const struct run_result *result)
{
	struct candidate *candidate = (struct candidate *)run;
	struct view *view = candidate->view;

	finish(candidate, result);
	start_next(view);
}

static struct candidate *take_next_locked(struct gate *gate)
{
	struct checked *checked = gate->queue;

	if (!checked || gate->running == RUN_SLOTS)
		return NULL;
	gate->queue = checked->next;
	if (!gate->queue)
		gate->queue_end = &gate->queue;
	checked->is_queued = false;
	checked->candidates->is_running = true;
	gate->running++;
	return checked->candidates;
}

/* Whatever plyfs.yaml says by now is what it is judged by. */
static int start(struct candidate *candidate)
{
	struct view *view = candidate->view;
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);
	const struct program *program = settings_check(settings, candidate->path);
	char *command = program ? program_key(program) : strdup("");

	if (!command)
		return -ENOMEM;
	free(candidate->command);
	candidate->command = command;
	CLEANUP(closep) int fd = runner_file(candidate->version->data, candidate->version->size);
	if (fd < 0)
		return fd;
	return view->gate.runner ? runner_run(view->gate.runner, RUN_CHECK, candidate->path, fd,
					   &candidate->run)
				 : -EPIPE;
}

static void start_next(struct view *view)
{
	struct candidate *candidate;

	for (;;) {
		view_lock(view);
		candidate = take_next_locked(&view->gate);
		view_unlock(view);
		if (!candidate)
			return;
		candidate->run.done = on_done;
		int r = start(candidate);
		struct run_result result = {
			.end = r == -EPIPE ? RUN_GONE : RUN_UNSTARTED, .value = -r};
		strcpy(result.output, "preparing it");
		if (r < 0)
			finish(candidate, &result);
	}
}

void gate_reload(struct view *view)
{
	if (view->gate.runner)
		runner_reload(view->gate.runner);
}

void gate_stop(struct view *view)
{
	view_lock(view);
	view->gate.is_stopped = true;
	view_unlock(view);
	if (view->gate.runner)
		runner_stop(view->gate.runner);
	start_next(view);
}

int view_await_verdict(struct view *view, const struct version *version, struct view_reader *reader)
{
	struct verdict *verdict = version->verdict;
	int r = 0;

	if (verdict_state(verdict) == VERDICT_PASSED)
		return 0;
	view_lock(view);
	if (verdict_state(verdict) == VERDICT_FAILED) {
		r = -EIO;
	} else if (verdict_state(verdict) == VERDICT_AWAITED && view->gate.is_stopped) {
		r = -ENOTCONN;
	} else if (verdict_state(verdict) == VERDICT_AWAITED) {
		reader->next = verdict->readers;
		verdict->readers = reader;
		r = VIEW_LATER;
	}
	view_unlock(view);
	return r;
}
