#include "look.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attributes.h"
#include "backoff.h"
#include "change_hook.h"
#include "cleanup.h"
#include "clock.h"
#include "compose_task.h"
#include "entry.h"
#include "events.h"
#include "expand.h"
#include "gate.h"
#include "last_good.h"
#include "layer_task.h"
#include "link_watch.h"
#include "other_names.h"
#include "placeholder.h"
#include "queue.h"
#include "read_ahead.h"

/* Tries of the publisher's look, before it waits for the writer. */
#define REFRESH_TRIES 21

/* The kernel reports the close of a file just before it allows a lease on the file (F_SETLEASE), so
 * the first try often still meets the writer. */
static const struct backoff writer_us = {60, COMPOSE_PAUSE_NS / 1000};
#define TRIES_AT_ONCE 4

/* Larger files are not read ahead. */
#define AHEAD_BYTES (64u << 10)

/* If composing takes longer, a file system is slow, or does not answer, or the machine is busy. */
#define LONG_US 100000u

static void begin_in_pool(struct pool_job *job);
static void compose_in_pool(struct pool_job *job);
static void drop(struct pool_job *job);

/* Returns whether sources of the shown version may be fallbacks. */
static bool may_fall_back(const struct look *look)
{
	return look->shown && look->shown->kind == VERSION_BYTES &&
	       look->composer.settings->options.on_error != ON_ERROR_FAIL;
}

struct look *look_new(struct view *view, struct entry *entry, enum look_purpose purpose)
{
	struct directory *parent = entry->parent;
	struct look *look = calloc(1, sizeof(*look));

	if (!look || !entry_use(entry) || directory_join(parent, entry->name, &look->path) < 0) {
		free(look);
		return NULL;
	}
	look->job.drop = drop;
	look->view = view;
	look->purpose = purpose;
	look->entry = entry;
	look->layers = parent->layers;
	look->shown = entry->use->version ? version_ref(entry->use->version) : NULL;
	look->fallbacks = (struct fallbacks){.shown = look->shown, .cache = view->cache};
	look->was_directory = entry_was_directory(view, entry);
	look->child = entry->use->directory;
	if (look->child)
		look->child->users++;
	look->began = view->revision;
	look->composer = view->composer;
	settings_ref(look->composer.settings);
	if (may_fall_back(look))
		look->composer.fallbacks = &look->fallbacks;
	union_lookup_init(&look->result.lookup);
	entry_enter(view, entry);
	look->next_same = entry->use->looks;
	entry_used(entry)->looks = look;
	if (purpose != LOOK_STRICT && !entry->use->look)
		entry_used(entry)->look = look;
	return look;
}

static void drop_found(struct look *look)
{
	version_unref(take_ptr(look->result.version));
	path_list_fini(&look->result.asked);
	if (look->result.directory)
		attach_drop(look->view, take_ptr(look->result.directory));
	look->result.problem.message[0] = '\0';
}

static void leave(struct look *look)
{
	struct view *view = look->view;
	struct look **place = &entry_used(look->entry)->looks;

	while (*place != look)
		place = &(*place)->next_same;
	*place = look->next_same;
	/* It may have been the last one for which a wider right has waited. */
	if (attributes_await(view, look->entry))
		view_wake(view);
	entry_leave(view, look->entry);
}

void look_free(struct look *look)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;

	if (entry->use->look == look)
		entry_used(entry)->look = NULL;
	/* Queues the name again if an event arrived meanwhile. */
	if (entry_pending(entry) == PENDING_QUEUED)
		queue_entry_scope(view, entry, entry->use->pending->plan.scope);
	drop_found(look);
	if (look->child)
		directory_leave(view, take_ptr(look->child));
	leave(look);
	fallbacks_clear(&look->fallbacks);
	version_unref(look->shown);
	settings_unref(look->composer.settings);
	union_lookup_fini(&look->result.lookup);
	free(look->path);
	free(look);
}

void look_answer(struct view_caller *callers, int result, const struct stat *stat)
{
	for (struct view_caller *caller = callers, *next; caller; caller = next) {
		next = caller->next;
		caller->answer(caller, result, stat);
	}
}

void look_drop(struct look *look)
{
	if (look->purpose == LOOK_REFRESH) {
		if (look->refresh.plan.is_event)
			queue_touch(look->view, look->entry);
		queue_entry_scope(look->view, look->entry, look->refresh.plan.scope);
	}
	look_free(look);
}

/* The view ends or pauses: answers the callers. */
static void drop(struct pool_job *job)
{
	struct look *look = (struct look *)job;
	struct view *view = look->view;

	struct view_caller *callers = take_ptr(look->callers);
	struct view_caller *waiters =
		look->purpose == LOOK_FIRST ? placeholder_suspend(view, look->entry) : NULL;
	look_drop(look);
	look_answer(callers, -ENOTCONN, NULL);
	look_answer(waiters, -ENOTCONN, NULL);
}

/* The look waits for the publisher. Its callers must not wait: the publisher may wait for them. */
static void end_refresh(struct look *look)
{
	struct view *view = look->view;
	char name[NAME_MAX + 1];

	struct view_caller *callers = take_ptr(look->callers);
	strcpy(name, look->entry->name);
	look->is_closed = true;
	look->next = NULL;
	*view->looks.done_end = look;
	view->looks.done_end = &look->next;
	view_wake(view);
	if (callers)
		lookup_again(view, name, callers);
}

static void end(struct look *look, int result)
{
	look->result.code = result;
	if (look->purpose == LOOK_REFRESH)
		end_refresh(look);
	else if (look->purpose == LOOK_AHEAD)
		read_ahead_end(look);
	else
		lookup_end(look);
}

/*
 * If nothing is shown, takes the version from the last-good store, for users who may read both that
 * version and the present sources. Returns 0, with or without a version; or a shortage as -errno.
 */
static int recall(struct look *look)
{
	const struct composer *composer = &look->composer;
	struct version *kept;

	if (!look->view->last_good || look->shown ||
		composer->settings->options.on_error == ON_ERROR_FAIL)
		return 0;
	int r = last_good_find(look->view->last_good, look->path, &kept);
	if (r < 0)
		return layer_is_shortage(r) ? r : 0;
	version_restrict(kept, look->result.version, &composer->mounter);
	version_unref(look->result.version);
	look->result.version = kept;
	return 0;
}

/* Replaces a version that can't be shown by the last good one, or by a broken version. */
static int take_problem(struct look *look)
{
	version_unref(take_ptr(look->result.version));
	int r = compose_broken(
		&look->composer, look->path, &look->result.lookup, &look->result.version);
	if (r == 0)
		r = recall(look);
	return r < 0 ? r : PROBLEM;
}

/* Looks again after a pause. After the last try, a request shows the fault; the publisher waits. */
static void try_again(struct look *look, int result)
{
	/* A program that rewrites the file all the time leaves only short pauses. */
	bool is_refresh = look->purpose == LOOK_REFRESH;
	unsigned pause_us = backoff_pause(&writer_us, look->tries);
	unsigned limit = !is_refresh ? COMPOSE_TRIES : look->refresh.is_large ? 0 : REFRESH_TRIES;

	if (look->purpose == LOOK_AHEAD) {
		end(look, result);
		return;
	}
	if (++look->tries < limit) {
		if (look->tries == TRIES_AT_ONCE)
			lookup_takes_long(look);
		pool_add_later(look->view->pool, &look->job, pause_us);
		return;
	}
	if (is_refresh) {
		end(look, result);
		return;
	}
	compose_is_restless(look->path, &look->result.problem);
	end(look, take_problem(look));
}

/* Estimates the bytes that composing reads. Dependencies count if the shown version had them. */
static uint64_t cost_of(const struct look *look)
{
	const struct composer *composer = &look->composer;
	uint64_t before = 0;

	if (look->result.lookup.kind == UNION_LINK ||
		compose_held_source(composer, look->path, &look->result.lookup))
		return 0;
	const uint64_t bytes = union_lookup_bytes(&look->result.lookup);
	for (size_t i = 0; look->shown && i < look->shown->stamp_count; i++)
		before += (uint64_t)look->shown->stamps[i].size;
	return bytes > before ? bytes : before;
}

/* Returns whether the look needs a version. The publisher compares files, and shows new ones. */
static bool is_to_be_composed(const struct look *look)
{
	if (look->result.lookup.kind == UNION_NONE || look->result.lookup.kind == UNION_DIRECTORY)
		return false;
	if (look->purpose != LOOK_REFRESH)
		return true;
	return look->refresh.is_known ? look->refresh.kind != UNION_DIRECTORY
				      : look->shown || look_is_compared(look);
}

/* Returns whether a rescan or a poll has found a file that no program has read yet. */
static bool is_unread(const struct look *look)
{
	const struct entry *entry = look->entry;

	return look->purpose == LOOK_REFRESH && look->refresh.plan.scope < SCOPE_FULL &&
	       !look->shown && !entry->use->last.fingerprint && !entry_is_unannounced(entry) &&
	       union_is_leaf(look->result.lookup.kind) &&
	       look->result.lookup.kind == look->refresh.kind;
}

/* Returns whether the shown version is the last good one, or made with a fallback. */
static bool has_kept(const struct entry *entry)
{
	const struct fault *fault = entry->use->fault;

	return fault &&
	       (fault->serves == FAULT_SERVES_LAST_GOOD || fault->serves == FAULT_SERVES_FALLBACK);
}

/* Returns whether the shown version is current, by the stamps of its sources. */
static bool is_current(const struct look *look)
{
	bool has_scope = look->purpose == LOOK_STRICT ||
			 (look->purpose == LOOK_REFRESH && look->refresh.plan.scope == SCOPE_POLL);

	if (look->result.lookup.kind == UNION_NONE || look->result.lookup.kind == UNION_DIRECTORY)
		return false;
	/* If the source is repaired, with its old content, the fault must end. */
	if (look->purpose == LOOK_REFRESH && has_kept(look->entry))
		return false;
	/* A lookup has shown it or its time first: notify watchers. */
	if (look->purpose == LOOK_REFRESH &&
		(entry_is_unannounced(look->entry) || look->entry->known == KNOWN_TOUCHED))
		return false;
	if (!has_scope || !look->shown)
		return false;
	return compose_is_current(&look->composer, look->path, &look->result.lookup, look->shown);
}

/* A directory of its sources can't be listed: show a file that can't be read. */
static int take_failure(struct look *look, int error)
{
	struct union_lookup *lookup = &look->result.lookup;

	/* The rights of the sources that can be examined count. */
	int r = union_look_up(look->composer.settings, look->layers, look->path, lookup);
	if (r < 0)
		return r;
	if (lookup->kind != UNION_FILE)
		union_lookup_fini(lookup);
	lookup->kind = UNION_FILE;
	look->result.is_failed = true;
	compose_failed(look->path, error, &look->result.problem);
	return take_problem(look);
}

/* Takes a result that needs no composing. */
static int take_found(struct look *look)
{
	struct view *view = look->view;
	bool is_directory = look->result.lookup.kind == UNION_DIRECTORY;

	if (look->purpose == LOOK_REFRESH || look->result.lookup.kind == UNION_NONE)
		return 0;
	if (is_directory && look->child) {
		if (attach_update(view, look->composer.settings, look->child, &look->result.lookup))
			attributes_notify_waits(view, look->child);
		return LOOK_IS_CURRENT;
	}
	if (is_directory)
		return attach_make(view, look->composer.settings, look->entry->parent,
			look->entry->name, &look->result.lookup, &look->result.directory);
	return 0;
}

/* A large look does not count: however many wait, the publisher begins as many others. */
static void count_large(struct look *look)
{
	if (look->purpose != LOOK_REFRESH || look->refresh.is_large)
		return;
	look->refresh.is_large = true;
	look->view->looks.under_way--;
	change_hook_look_ends(look->view, look);
	view_wake(look->view);
}

/*
 * Looks the path up in the layers. Returns 0 or -errno; -LAYER_LATE: nothing is known yet, so what
 * is shown stays, and the name is looked up again.
 */
static int find(struct look *look)
{
	struct composer *composer = &look->composer;
	struct union_lookup *lookup = &look->result.lookup;
	bool is_refresh = look->purpose == LOOK_REFRESH;

	composer->takes_unfinished =
		look->refresh.plan.takes_unfinished || look->tries == COMPOSE_TRIES - 1;
	link_watch_follow(look->view, composer->settings, look->layers, look->path);
	int r = expand_look_up(
		&look->view->finder, composer->settings, look->layers, look->path, lookup);
	if (r != 0)
		return r;
	/* A walk of all directories would never end. */
	if (look->view->callbacks.use == VIEW_RENDERED &&
		directory_would_hold_itself(look->entry->parent, lookup))
		union_lookup_reset(lookup);
	look_heed_past(look);
	bool is_late = look_heed_silence(look) || lookup->whiteout_error == LAYER_LATE;
	/* A file that may be hidden stays, with a fault, and loses the rights that it has lost. */
	if (!is_refresh || (!is_late && union_is_leaf(look->refresh.kind)))
		r = -lookup->whiteout_error;
	if (!is_refresh || r != 0)
		return r;
	/* A layer that does not answer may hide this, or have another kind of object. */
	bool is_unknown =
		lookup->whiteout_error || (lookup->failure && lookup->kind != look->refresh.kind);
	return is_late || is_unknown ? -LAYER_LATE : 0;
}

/* Looks the name up. Returns true: to be composed, at *cost bytes; false: the look has ended. */
static bool look_up(struct look *look, uint64_t *cost)
{
	struct view *view = look->view;

	bool is_refresh = look->purpose == LOOK_REFRESH;
	bool is_hurried = is_refresh && !look->refresh.plan.is_patient;
	int patience_ms = layer_tasks_patience(is_hurried ? LAYER_HURRY_MS : 0);
	if (look->refresh.plan.is_patient)
		count_large(look);
	int r = find(look);

	look->result.is_failed = union_has_failed(&look->result.lookup);
	if (r < 0 && !(is_refresh && r == -LAYER_LATE) && !layer_is_shortage(r))
		r = take_failure(look, -r);
	layer_tasks_patience(patience_ms);
	if (r != 0 || is_unread(look)) {
		end(look, r ? r : LOOK_IS_CURRENT);
		return false;
	}
	if (link_watch_sources(view, look->composer.settings, look->path, &look->result.lookup))
		other_names_note(view, look);
	if (is_current(look)) {
		end(look, LOOK_IS_CURRENT);
		return false;
	}
	if (!is_to_be_composed(look)) {
		end(look, take_found(look));
		return false;
	}
	/* Before the sources are read: a racy source may change after that. */
	look->result.basis = compose_basis(
		&look->composer, look->path, &look->result.lookup, view->callbacks.basis_seed);
	look->job.run = compose_in_pool;
	*cost = cost_of(look);
	if (look->purpose == LOOK_AHEAD && *cost > AHEAD_BYTES) {
		end(look, LOOK_IS_CURRENT);
		return false;
	}
	if (*cost > POOL_LARGE_BYTES) {
		count_large(look);
		lookup_takes_long(look);
	}
	return true;
}

void look_begin(struct look *look)
{
	uint64_t cost;

	if (look_up(look, &cost))
		pool_add(look->view->pool, &look->job, cost);
}

/* Composes a small file at once, in the same coroutine. */
static void begin_in_pool(struct pool_job *job)
{
	struct look *look = (struct look *)job;
	uint64_t cost;

	if (!look_up(look, &cost))
		return;
	if (cost > POOL_LARGE_BYTES)
		pool_add(look->view->pool, &look->job, cost);
	else
		compose_in_pool(&look->job);
}

void look_begin_in_pool(struct look *look)
{
	look->job.run = begin_in_pool;
	pool_add(look->view->pool, &look->job, 0);
}

/* Takes what composing returned. If memory is short, everything stays as it is. */
static int take_composed(struct look *look, int result)
{
	if (layer_is_shortage(result))
		return result;
	look->result.is_failed |= look->doubts & DOUBT_FAILED || layer_has_failed(result);
	/* A worker's deadline has passed, and the problem says so. */
	if (result == -ETIMEDOUT && look->result.problem.message[0])
		result = PROBLEM;
	if (result < 0)
		result = compose_failed(look->path, -result, &look->result.problem);
	if (result == 0 && look->result.version->fallback_count) {
		version_restrict(look->result.version, look->shown, &look->composer.mounter);
		directory_restrict(
			look->entry->parent, look->result.version, &look->composer.mounter);
	}
	if (result == 0)
		result = gate_judge(look);
	return result == PROBLEM ? take_problem(look) : result;
}

static void end_in_pool(struct pool_job *job)
{
	struct look *look = (struct look *)job;

	end(look, look->result.code == PROBLEM ? take_problem(look) : look->result.code);
}

void look_judged(struct look *look, int result)
{
	look->result.code = result;
	look->job.run = end_in_pool;
	pool_add(look->view->pool, &look->job, 0);
}

/* Returns whether a poll found a file just written: no event reports that its writer is done. */
static bool is_fresh(const struct look *look)
{
	if (look->purpose != LOOK_REFRESH || look->refresh.plan.takes_unfinished)
		return false;
	for (unsigned i = 0; i < look->result.lookup.count; i++) {
		int64_t age_ms = clock_age_ms(look->result.lookup.found[i].stat.st_mtim);
		if (age_ms >= 0 && age_ms < EVENTS_QUIET_MS)
			return true;
	}
	return false;
}

static void take_long(struct pool_job *job)
{
	lookup_takes_long((struct look *)job);
}

static int compose_look(struct look *look)
{
	const struct composer *composer = &look->composer;
	struct workers *workers = look->view->workers;

	if (!workers)
		return compose(composer, look->path, &look->result.lookup, &look->result.asked,
			&look->result.version, &look->result.problem);
	look->job.run = take_long;
	if (!look->is_closed)
		pool_add_later(look->view->pool, &look->job, LONG_US);
	int r = compose_by(workers, composer, look->path, &look->result.lookup, &look->result.asked,
		&look->result.version, &look->result.problem);
	pool_take_back(look->view->pool, &look->job);
	return r;
}

/* Notes the basis of the version, if no check judges it, and only the sources went into it. */
static void note_basis(struct look *look)
{
	const struct composer *composer = &look->composer;

	if (look->result.basis && !look->result.asked.count && !look->result.problem.message[0] &&
		!settings_check(composer->settings, look->path) &&
		compose_is_current(
			composer, look->path, &look->result.lookup, look->result.version))
		look->result.version->basis = look->result.basis;
}

static void compose_in_pool(struct pool_job *job)
{
	struct look *look = (struct look *)job;

	drop_found(look);
	look->read = look->view->revision;
	look->doubts = 0;
	look->composer.doubts = &look->doubts;
	fallbacks_clear(&look->fallbacks);
	int r = compose_look(look);
	if (r == 0)
		source_cache_hold(look->view->cache, look->result.version);
	look->job.run = begin_in_pool; /* the next time */
	if (r == -ECANCELED) {
		drop(job);
		return;
	}
	if (r == COMPOSE_MOVED || r == COMPOSE_UNSETTLED) {
		try_again(look, r);
		return;
	}
	/* A program may have begun to write while we read. The last try takes what is there. */
	bool is_doubtful =
		look->doubts & DOUBT_WRITER || r == PROBLEM || look->result.problem.message[0];
	if (is_doubtful && look->refresh.plan.scope == SCOPE_POLL && is_fresh(look)) {
		end(look, COMPOSE_UNSETTLED);
		return;
	}
	if (!layer_is_shortage(r) && is_doubtful && events_meet_writer(look->view, look) &&
		!(look->purpose != LOOK_REFRESH && look->composer.takes_unfinished)) {
		try_again(look, LOOK_MET_WRITER);
		return;
	}
	if (r == 0)
		note_basis(look);
	r = take_composed(look, r);
	if (r != LOOK_IS_PARKED)
		end(look, r);
}
