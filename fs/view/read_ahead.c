#include "read_ahead.h"

#include "events.h"
#include "queue.h"
#include "settings.h"

/* How many names after the one that is asked for are looked at: enough for two workers. */
#define AHEAD_NAMES 3

/* Returns the first listed entry at `*index` or after it, and raises *index beyond it; or NULL. */
static struct entry *next_listed(const struct directory *directory, size_t *index)
{
	while (*index < directory->order.count) {
		struct entry *entry = directory_listed(directory, (*index)++);
		if (entry)
			return entry;
	}
	return NULL;
}

/* Returns whether the two names before this place in the listing are files that are shown. */
static bool is_in_order(const struct directory *directory, size_t index)
{
	size_t shown = 0;

	while (shown < 2 && index > 0) {
		const struct entry *entry = directory_listed(directory, --index);
		if (entry && !entry->use->version)
			return false;
		shown += entry != NULL;
	}
	return shown == 2;
}

static bool is_quiet(const struct entry *entry)
{
	return entry_pending(entry) == PENDING_NONE &&
	       !(entry->use->pending && entry->use->pending->plan.is_event);
}

static void begin(struct view *view, struct entry *entry)
{
	if (entry->kind != UNION_FILE || entry->use->version || entry->use->look ||
		entry->use->fault || entry->use->placeholder || !is_quiet(entry))
		return;
	struct look *look = look_new(view, entry, LOOK_AHEAD);
	if (!look)
		return;
	if (settings_check(look->composer.settings, look->path))
		look_free(look);
	else
		look_begin(look);
}

void read_ahead_begin(struct view *view, struct directory *directory, const char *name)
{
	const struct entry *entry = directory_find(directory, name);

	if (!entry || !entry->is_listed || view_is_strict(view) || directory_is_polled(directory) ||
		settings_may_wait(view->composer.settings))
		return;
	size_t index = directory_seek(directory, entry->place - 1);
	if (!is_in_order(directory, index))
		return;
	index++;
	for (unsigned i = 0; i < AHEAD_NAMES; i++) {
		struct entry *next = next_listed(directory, &index);
		if (!next)
			break;
		begin(view, next);
	}
}

/* Returns whether the result depends only on the sources that the directory's watches see. */
static bool is_plain(const struct look *look)
{
	const struct union_lookup *lookup = &look->result.lookup;

	for (unsigned i = 0; i < lookup->count; i++)
		if (lookup->found[i].path || lookup->found[i].error)
			return false;
	return lookup->kind == UNION_FILE && !lookup->expanded && !look->result.asked.count &&
	       !look->result.problem.message[0];
}

/* Returns whether nothing has happened since the look began. */
static bool is_current(const struct view *view, const struct look *look)
{
	const struct entry *entry = look->entry;
	const struct directory *parent = entry->parent;

	return !look_is_overtaken(look) && is_quiet(entry) && !parent->inode.is_removed &&
	       look->composer.settings == view->composer.settings &&
	       look->layers == parent->layers && parent->changed <= look->began &&
	       entry->use->written <= look->read && parent->scans.due == SCAN_NONE &&
	       parent->scans.running == SCAN_NONE && !view->queue.is_overflowed;
}

void read_ahead_end(struct look *look)
{
	struct view *view = look->view;
	struct looks *looks = &view->looks;

	if (look->result.code != 0 || look->is_closed || !is_plain(look) ||
		!is_current(view, look)) {
		look_free(look);
		return;
	}
	size_t place = looks->ahead_next++ % AHEAD_MAX;
	if (looks->ahead[place])
		look_free(looks->ahead[place]);
	looks->ahead[place] = look;
}

/* Takes a look out of the kept ones. Returns whether it was one. */
static bool take(struct view *view, const struct look *look)
{
	for (size_t i = 0; i < AHEAD_MAX; i++)
		if (view->looks.ahead[i] == look) {
			view->looks.ahead[i] = NULL;
			return true;
		}
	return false;
}

bool read_ahead_join(struct view *view, struct entry *entry, struct view_caller *caller)
{
	struct look *look = entry->use->look;
	bool is_kept = take(view, look);

	if (look->is_closed)
		return false;
	events_take(view);
	if (is_kept && !is_current(view, look)) {
		look_free(look);
		return false;
	}
	look->purpose = LOOK_FIRST;
	look->callers = caller;
	if (is_kept)
		lookup_end(look);
	return true;
}

void read_ahead_drop(struct view *view, struct entry *entry)
{
	struct look *look = entry->use->look;

	if (look && take(view, look))
		look_free(look);
}

void read_ahead_drop_all(struct view *view)
{
	for (size_t i = 0; i < AHEAD_MAX; i++) {
		struct look *look = view->looks.ahead[i];
		view->looks.ahead[i] = NULL;
		if (look)
			look_free(look);
	}
}
