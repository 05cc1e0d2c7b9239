#include "refresh.h"

#include <errno.h>
#include <string.h>

#include "attach.h"
#include "attributes.h"
#include "change_hook.h"
#include "cleanup.h"
#include "clock.h"
#include "entry.h"
#include "events.h"
#include "gate.h"
#include "look.h"
#include "names.h"
#include "other_names.h"
#include "queue.h"

/* Looks that are under way, or wait for their decision. Each holds a version in memory. */
#define LOOKS_MAX 64

/* Queues the name again after the delay, and leaves what it shows. */
static bool wait(struct view *view, const struct look *look, int64_t quiet_ms)
{
	if (look->refresh.plan.is_event)
		queue_touch(view, look->entry);
	if (quiet_ms == SHORTAGE_MS)
		queue_later(view, look->entry, quiet_ms);
	else
		queue_debounce(view, look->entry, quiet_ms);
	return false;
}

/* Returns whether the result can't be decided on; then the name is queued again if needed. */
static bool is_unusable(struct view *view, const struct look *look)
{
	int r = look->result.code;

	if (r == LOOK_MET_WRITER) {
		/* No event of its own queues it again. */
		if (!entry_pending(look->entry))
			wait(view, look, EVENTS_QUIET_MS);
	} else if (r == COMPOSE_MOVED || r == COMPOSE_UNSETTLED) {
		wait(view, look, r == COMPOSE_MOVED ? EVENTS_GONE_MS : EVENTS_QUIET_MS);
	} else if (r < 0) {
		wait(view, look, SHORTAGE_MS);
		if (r == -LAYER_LATE && look->entry->use->pending)
			look->entry->use->pending->plan.is_patient = true;
	}
	/* A new name has had another event, and may be a temporary one. */
	if (look->refresh.kind == UNION_NONE && entry_pending(look->entry) == PENDING_GONE &&
		!queue_is_overdue(look->entry))
		return true;
	/* A right may have been taken away: then the shown file must admit fewer users at once. */
	if (r == LOOK_AT_GATE && look->entry->use->version && look->result.version)
		return look->entry->use->version->kind != VERSION_BYTES;
	return r != 0 && r != PROBLEM && r != LOOK_IS_CURRENT;
}

/*
 * The new version waits for its check. But if its sources have taken a right away, the shown
 * version loses that right at once. Returns whether there is such a change to publish.
 */
static bool narrow_shown(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;
	struct version *kept =
		version_narrow(entry->use->version, look->result.version, &view->composer.mounter);

	if (!kept || version_same(entry->use->version, kept)) {
		version_unref(kept);
		return false;
	}
	entry_prepare_version(view, entry, kept);
	look->refresh.change->kind = CHANGE_REPLACE;
	look->refresh.change->version = kept;
	return true;
}

/*
 * A source is broken: unless the settings say otherwise, the shown bytes stay, but lose the rights
 * that a source has lost, and get none by a directory that is opened. The look's version, a broken
 * one, has the sources' present rights. If the kernel has forgotten the file since the look began,
 * the look has its version. False: no memory.
 */
static bool keep_last_good(struct view *view, struct look *look)
{
	const struct version *version =
		look->entry->use->version ? look->entry->use->version : look->shown;

	if (view->composer.settings->options.on_error == ON_ERROR_FAIL || !version ||
		version->kind == VERSION_BROKEN)
		return true;
	struct version *kept =
		version_narrow(version, look->result.version, &view->composer.mounter);
	version_unref(look->result.version);
	look->result.version = kept;
	if (kept)
		directory_restrict(look->entry->parent, kept, &view->composer.mounter);
	return kept != NULL;
}

/* Returns whether the file's only source has another time. */
static bool is_touched(const struct look *look)
{
	return look->result.code == 0 &&
	       version_is_touched(look->entry->use->version, look->result.version);
}

/* Takes a result with the same bytes. Returns whether it must publish a new time. */
static bool take_time(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;

	if (!entry->use->version)
		return false; /* the kernel sends a LOOKUP before it shows it */
	bool has_time = is_touched(look);
	if (has_time)
		entry_take_time(view, entry, look->result.version);
	has_time |= entry->known == KNOWN_TOUCHED;
	entry->known = KNOWN_SHOWN;
	version_take_sources(entry->use->version, look->result.version);
	look->refresh.change->kind = CHANGE_TIME;
	look->refresh.change->attributes_ino = entry->use->version->inode.ino;
	return has_time && look->refresh.is_known;
}

/*
 * Prepares the version that replaces what is shown. If it has the same bytes, it only announces the
 * name: its mtime stays, unless the only source has another one.
 */
static void prepare(struct view *view, struct look *look, bool is_same)
{
	struct entry *entry = look->entry;
	struct version *version = look->result.version;
	const struct version *shown = is_same ? entry->use->version : NULL;
	struct timespec mtime = {0};

	if (shown)
		mtime = is_touched(look) ? version->mtime : shown->mtime;
	entry_prepare_version(view, entry, version);
	if (shown)
		version->mtime = mtime;
}

/* Returns whether the look is outdated: something else is shown or known by now. */
static bool was_overtaken(const struct view *view, const struct look *look)
{
	const struct entry *entry = look->entry;

	return look->composer.settings != view->composer.settings ||
	       entry->kind != look->refresh.kind ||
	       (entry->parent->inode.kernel_refs > 0) != look->refresh.is_known ||
	       look_is_overtaken(look);
}

/* Queues the name of an outdated look again. This alone is no event of the name: an event would
 * announce a name which no program has read. */
static bool look_again(struct view *view, const struct look *look)
{
	queue_entry_scope(view, look->entry, look->refresh.plan.scope);
	if (look->refresh.plan.is_event)
		queue_touch(view, look->entry);
	return false;
}

/* Returns whether the file must be published. */
static bool decide_file_waits(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;

	if (dependency_remember(view, look) < 0)
		return wait(view, look, SHORTAGE_MS);
	(void)dependency_is_late(view, look);
	if (!look->result.version)
		return wait(view, look, EVENTS_GONE_MS);
	if (attributes_settle_waits(view, entry->parent) < 0)
		return wait(view, look, SHORTAGE_MS);
	if (was_overtaken(view, look))
		return look_again(view, look);
	if (look->result.code == LOOK_AT_GATE)
		return entry->use->version && narrow_shown(view, look);
	if (look->result.code == PROBLEM && !keep_last_good(view, look))
		return wait(view, look, SHORTAGE_MS);

	struct version *version = look->result.version;
	bool is_same = entry->use->version ? version_same(entry->use->version, version)
					   : entry_has_forgotten(entry, version);
	view->counts.compositions++;
	/* If a mount covers the path, its fault stays until the change is made. */
	if (is_same || !entry_is_covered(entry)) {
		if (look->result.problem.message[0])
			entry_set_fault(view, entry, &look->result.problem, version,
				look->result.code == 0);
		else
			entry_clear_fault(view, entry);
	}
	if (is_same && (entry->known == KNOWN_SHOWN || entry->known == KNOWN_TOUCHED))
		return take_time(view, look);
	/* No program has seen the former file, but there was a change: watchers are woken. */
	prepare(view, look, is_same);
	look->refresh.change->kind = CHANGE_REPLACE;
	look->refresh.change->version = version_ref(version);
	return true;
}

static bool make_directory_waits(struct view *view, const struct look *look)
{
	look->refresh.change->kind = CHANGE_MAKE_DIRECTORY;
	int r = attach_make(view, look->composer.settings, look->entry->parent, look->entry->name,
		&look->result.lookup, &look->refresh.change->directory);
	if (layer_is_shortage(r))
		wait(view, look, SHORTAGE_MS);
	return r == 0;
}

static bool decide_directory_waits(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;
	struct directory *directory = entry->use->directory;
	bool is_unannounced = entry_is_unannounced(entry);

	/* With the parent, the kernel has forgotten that the name was absent. */
	if (!directory && entry->known == KNOWN_MISSED && !look->refresh.is_known)
		entry->known = KNOWN_SHOWN;
	if (!directory)
		entry_note_places(entry, &look->result.lookup);
	if (!directory)
		return is_unannounced && look->refresh.is_known && make_directory_waits(view, look);
	directory->users++;
	bool is_changed =
		attach_update(view, look->composer.settings, directory, &look->result.lookup);
	if (is_changed) {
		look->refresh.change->kind = CHANGE_ATTRIBUTES;
		look->refresh.change->attributes_ino = directory->inode.ino;
	} else if (is_unannounced) {
		/* The kernel knows the directory from a lookup: mkdir(2) would fail. */
		look->refresh.change->kind = CHANGE_LISTING;
		entry->known = KNOWN_SHOWN;
	}
	if (is_changed && is_unannounced)
		queue_entry(view, entry);
	directory_leave(view, directory);
	return is_changed || is_unannounced;
}

static bool is_found_by_poll(const struct look *look)
{
	return look->refresh.plan.scope == SCOPE_POLL && look->result.code != LOOK_IS_CURRENT &&
	       look->result.lookup.kind != UNION_DIRECTORY;
}

/* Returns whether names that depend on this one must be looked at again. */
static bool is_news(const struct look *look)
{
	/* A rescan queues the names in a directory by themselves. */
	bool is_rescanned = look->refresh.plan.scope == SCOPE_RESCAN &&
			    look->refresh.kind == UNION_DIRECTORY &&
			    look->result.lookup.kind == UNION_DIRECTORY;

	return (look->refresh.plan.is_event && !is_rescanned) || is_found_by_poll(look);
}

/* Returns whether something is mounted in the directory: then its removal waits. */
static bool has_covered(const struct directory *directory)
{
	bool is_found = false;

	for (const struct entry *entry = NULL;
		!is_found && (entry = directory_next(directory, entry));)
		is_found |= entry_is_covered(entry) ||
			    (entry->use->directory && has_covered(entry->use->directory));
	return is_found;
}

/*
 * rmdir(2) removes a directory with all that is in it, but wakes only the watchers of the directory
 * itself. So the entries in it are removed first, one by one.
 */
static bool remove_directory(struct view *view, const struct look *look)
{
	struct directory *directory = look->entry->use->directory;
	bool is_empty = true;

	if (directory)
		directory->layers = 0; /* nothing in it shows any more, whatever hides it */
	for (struct entry *entry = NULL; directory && (entry = directory_next(directory, entry));) {
		if (!entry->use->version && !entry->use->directory)
			continue;
		is_empty = false;
		queue_entry(view, entry);
	}
	/* Report the names in it that are not shown any more: no event follows. */
	if (directory && is_empty)
		change_hook_gone(view, directory);
	if (!is_empty) {
		if (is_news(look))
			queue_touch(view, look->entry);
		if (has_covered(directory))
			wait(view, look, SHORTAGE_MS);
		else
			queue_debounce(view, look->entry, EVENTS_GONE_MS);
	}
	look->refresh.change->kind = CHANGE_REMOVE_DIRECTORY;
	return is_empty;
}

/*
 * The kernel does not know the directory, so no program can see or watch the name. The entry is
 * kept up to date for names that depend on it.
 */
static bool decide_unknown_waits(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;
	enum union_kind now = look->result.lookup.kind;

	if (look->refresh.kind == UNION_DIRECTORY && now == UNION_DIRECTORY) {
		decide_directory_waits(view, look);
		return false;
	}
	/* A last good version stays, but must not outlive its fault. */
	bool is_file = entry->use->version && look->shown && union_is_leaf(now);
	bool is_same = look_is_compared(look) && look->result.version && entry->kind == now &&
		       entry_has_forgotten(entry, look->result.version);
	bool is_changed =
		look->refresh.plan.is_event && !is_same && (entry->use->hook || entry->kind != now);
	if (is_changed && entry->use->hook == HOOK_PINNED)
		entry_used(entry)->hook = HOOK_NOTED;
	if (is_changed && entry->use->directory)
		change_hook_gone(view, entry->use->directory);
	if (is_changed && (union_is_leaf(entry->kind) || union_is_leaf(now)))
		view_note_change(view, look->path);
	if (!is_file)
		entry_note(view, entry, now);
	if (is_changed && now == UNION_DIRECTORY)
		change_hook_directory(view, look->path);
	if (!is_file || !decide_file_waits(view, look))
		return false;
	entry_show_version(view, entry, look->refresh.change->version);
	version_unref(take_ptr(look->refresh.change->version));
	return false;
}

/* Returns whether a change must be published, so that the path shows what the layers have. */
static bool decide_kind_waits(struct view *view, struct look *look)
{
	enum union_kind now = look->result.lookup.kind;
	bool is_directory = now == UNION_DIRECTORY;

	switch (look->refresh.kind) {
	case UNION_DIRECTORY:
		if (is_directory && entry_is_covered(look->entry))
			entry_clear_fault(view, look->entry);
		if (is_directory)
			return decide_directory_waits(view, look);
		if (!entry_has_news(look->entry, NEWS_FOUND, look->began))
			return remove_directory(view, look);
		if (is_news(look))
			queue_touch(view, look->entry);
		queue_entry(view, look->entry);
		return false;
	case UNION_FILE:
	case UNION_LINK:
		if (now != UNION_NONE && !is_directory)
			return decide_file_waits(view, look);
		look->refresh.change->kind = CHANGE_REMOVE;
		return true;
	case UNION_NONE:
		break;
	}
	if (now == UNION_NONE)
		return false;
	return is_directory ? make_directory_waits(view, look) : decide_file_waits(view, look);
}

/* Returns whether a directory is shown and no layer can be looked at: then it stays. */
static bool is_out_of_sight(const struct look *look)
{
	return look->refresh.kind == UNION_DIRECTORY && union_is_out_of_sight(&look->result.lookup);
}

/* Touches the names that depend on this one. They are looked at after it. */
static void touch(struct view *view, const struct look *look)
{
	if (is_found_by_poll(look))
		source_cache_touch(view->cache, look->path);
	if (is_news(look))
		dependency_touch(view, look->entry->parent, look->entry->name);
}

/* Returns whether there is a change; then the change has the entry in use. */
static bool decide_waits(struct view *view, struct look *look)
{
	struct entry *entry = look->entry;
	struct change *change = look->refresh.change;

	if (entry->parent->inode.is_removed)
		return false;
	if (was_overtaken(view, look))
		return look_again(view, look);
	if (is_unusable(view, look)) {
		if (look->refresh.plan.is_event)
			queue_touch(view, entry);
		return false;
	}
	touch(view, look);
	look_heed_unseen(look);
	if (entry->kind == UNION_NONE && look->result.lookup.kind == UNION_NONE)
		entry->known = KNOWN_ABSENT;
	if (look->result.code == LOOK_IS_CURRENT || is_out_of_sight(look))
		return false;
	if (!(look->refresh.is_known ? decide_kind_waits(view, look)
				     : decide_unknown_waits(view, look)))
		return false;
	change->is_news = is_news(look);
	change->began = look->began;
	change->parent = entry->parent;
	change->entry = entry;
	change->parent_ino = entry->parent->inode.ino;
	change->path = take_ptr(look->path);
	entry_enter(view, entry);
	/* The old object is removed first, and the name queued again for the new one. Its
	 * dependents find nothing until then, and so must look again, too. */
	if ((change->kind == CHANGE_REMOVE || change->kind == CHANGE_REMOVE_DIRECTORY) &&
		look->result.lookup.kind != UNION_NONE) {
		if (change->is_news)
			queue_touch(view, entry);
		queue_entry(view, entry);
	}
	return true;
}

/* Begins a look at a queued entry, whose parent is in use. NULL: not needed, or no memory. */
static struct look *begin_look(struct view *view, struct entry *entry)
{
	struct directory *parent = entry->parent;
	struct pending *pending = entry->use->pending;
	uint64_t since = pending->plan.since;

	if (parent->inode.is_removed || union_is_mark(entry->name))
		return NULL;
	parent->changed = ++view->revision;
	struct look *look = look_new(view, entry, LOOK_REFRESH);
	if (!look) {
		queue_shortage(view);
		return NULL;
	}
	if (since < entry->use->used_since)
		entry_used(entry)->used_since = since;
	look->refresh.plan = pending->plan;
	look->refresh.plan.is_patient &= view->looks.patient < PATIENT_MAX;
	view->looks.patient += look->refresh.plan.is_patient;
	pending->plan.is_event = pending->plan.takes_unfinished = false;
	pending->plan.is_patient &= !look->refresh.plan.is_patient;
	if (look->refresh.plan.is_event)
		source_cache_touch(view->cache, look->path);
	look->refresh.kind = entry->kind;
	look->refresh.is_known = parent->inode.kernel_refs > 0;
	view->looks.under_way++;
	change_hook_look_begins(view, look);
	return look;
}

/* Begins looks at queued names, up to LOOKS_MAX. */
static void begin_looks(struct view *view)
{
	struct entry *entry;

	while (view->looks.under_way < LOOKS_MAX && (entry = queue_take(view))) {
		struct directory *parent = entry->parent;
		struct look *look = begin_look(view, entry);
		if (!look)
			directory_tidy(parent, entry);
		directory_leave(view, parent);
		if (!look)
			continue;
		look_begin_in_pool(look);
	}
}

/* Decides on one look. Returns 0: with a change; 1: without one; 2: no look has ended. */
static int decide_next(struct view *view, struct change *ret)
{
	struct look *look = view->looks.done;
	if (!look)
		return 2;
	view->looks.done = look->next;
	if (!view->looks.done)
		view->looks.done_end = &view->looks.done;
	look->refresh.change = ret;
	view->queue.cause = look->entry->use->used_since;
	view->looks.last_ms = clock_ms();
	bool is_change = decide_waits(view, look);
	view->queue.cause = 0;
	if (!is_change) {
		version_unref(take_ptr(ret->version));
		*ret = (struct change){0};
	}
	view->looks.patient -= look->refresh.plan.is_patient;
	if (!look->refresh.is_large) {
		view->looks.under_way--;
		change_hook_look_ends(view, look);
	}
	look_free(look);
	return is_change ? 0 : 1;
}

/* Refreshes the root, which has no name. Returns whether the kernel must be notified. */
static bool refresh_root(struct view *view)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	const struct settings *settings = view->composer.settings;

	view->queue.root = ROOT_LOOKED_AT;
	int r = lookup ? union_look_up(settings, union_all_layers(settings), "", lookup) : -ENOMEM;
	bool is_changed = r == 0 && lookup->kind == UNION_DIRECTORY && !lookup->whiteout_error &&
			  attach_update(view, settings, view->root, lookup);
	if (view->queue.root == ROOT_LOOKED_AT)
		view->queue.root = ROOT_RESTS;
	if (r == 0 && lookup->failure)
		attach_failed(view, view->root);
	if (layer_is_shortage(r))
		queue_shortage(view);
	return is_changed;
}

/* Finds changed attributes without a look: of the root, or of a directory that opens. */
static bool next_attributes(struct view *view, struct change *ret)
{
	*ret = (struct change){.kind = CHANGE_ATTRIBUTES};
	if (view->queue.root == ROOT_CHANGED && refresh_root(view)) {
		ret->attributes_ino = VIEW_INO_ROOT;
		return true;
	}
	struct directory *directory = attributes_open(view);
	if (directory) {
		ret->attributes_ino = directory->inode.ino;
		directory_leave(view, directory);
	}
	return directory != NULL;
}

int view_next_change(struct view *view, struct change *ret)
{
	for (;;) {
		if (next_attributes(view, ret))
			return 0;
		*ret = (struct change){0};
		begin_looks(view);
		int r = decide_next(view, ret);
		if (r == 0)
			return 0;
		if (r == 2 && !names_scan_next(view) && !other_names_queue(view))
			return 1;
	}
}

/* Scans all directories in memory below this one. Their depth is bounded by PATH_MAX. Returns
 * whether some must be polled. */
static bool rescan_below(struct view *view, struct directory *directory, bool is_poll)
{
	bool is_polled = directory_is_polled(directory);

	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		if (entry->use->directory)
			is_polled |= rescan_below(view, entry->use->directory, is_poll);
	if (is_poll && !directory_is_polled(directory))
		return is_polled;
	/* Its own name as well: inotify may have room for the missing watch by now. */
	struct entry *own = is_poll ? directory_own_entry(directory) : NULL;
	if (own)
		queue_entry_scope(view, own, SCOPE_POLL);
	queue_scan(view, directory, is_poll ? SCAN_POLL : SCAN_ALL);
	return is_polled;
}

/* Polls if it is due. Returns the milliseconds until the next poll. */
static int64_t poll_layers(struct view *view, int64_t now)
{
	int64_t interval = view->composer.settings->options.poll_ms;
	bool is_busy = view->looks.under_way || view_has_work(view);

	/* A poll may take longer than the interval. The rest after it is for all other work. */
	if (view->polling.is_under_way)
		view->polling.last_ms = now;
	view->polling.is_under_way &= is_busy;
	if (now >= view->polling.last_ms + interval) {
		view->polling.last_ms = now;
		view->polling.is_under_way = true;
		view->queue.root = ROOT_CHANGED;
		/* Each look tries to add the missing watches: polling may no longer be needed. */
		bool is_polled = rescan_below(view, view->root, true);
		view->polling.idle = is_polled ? 0 : view->polling.idle + 1;
		/* Not at once: a directory that is being looked up is not in the tree yet. */
		if (view->polling.idle > 2) {
			view->polling.need = POLLING_NONE;
			view->polling.error = 0;
		}
	}
	return view->polling.last_ms + interval - now;
}

int view_take_events(struct view *view)
{
	events_take(view);
	return view_take_due(view);
}

int view_take_due(struct view *view)
{
	int64_t now = clock_ms();
	if (view->queue.rescan_ms && now >= view->queue.rescan_ms) {
		view->queue.rescan_ms = 0;
		view->queue.is_overflowed = true;
	}
	if (view->queue.is_overflowed) {
		view->queue.is_overflowed = false;
		view->queue.root = ROOT_CHANGED;
		rescan_below(view, view->root, false);
	}
	int64_t retry = gate_retry(view, now);
	int64_t next = queue_due(view, now);
	if (retry >= 0 && (next < 0 || retry < next))
		next = retry;
	if (view->queue.rescan_ms && (next < 0 || view->queue.rescan_ms - now < next))
		next = view->queue.rescan_ms - now;
	int64_t rest = other_names_rest(view, now);
	if (rest > 0 && (next < 0 || rest < next))
		next = rest;
	if (view->polling.need) {
		int64_t poll_at = poll_layers(view, now);
		if (next < 0 || poll_at < next)
			next = poll_at;
	}
	return (int)next;
}

bool view_has_work(struct view *view)
{
	bool is_full = view->looks.under_way >= LOOKS_MAX;
	return view->looks.done || view->queue.scans.count || view->queue.root == ROOT_CHANGED ||
	       view->queue.is_overflowed || view->other_names.count ||
	       (view->queue.late.count && view->looks.patient < PATIENT_MAX) ||
	       (!is_full && view->queue.first);
}

bool view_is_settled(struct view *view, bool is_patient)
{
	return !view->looks.done && !view->looks.under_way && !view->queue.scans.count &&
	       !view->queue.late.count && view->queue.root != ROOT_CHANGED &&
	       !view->queue.is_overflowed && !view->queue.rescan_ms && !view->queue.first &&
	       !view->other_names.count && !(is_patient && view->queue.debounced.count);
}
