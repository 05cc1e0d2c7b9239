#include "other_names.h"

#include <stdlib.h>

#include "array.h"
#include "clock.h"
#include "entry.h"
#include "look.h"
#include "queue.h"

/*
 * So many names at most are noted before one pass over the shown versions looks for their other
 * names. All files of a layer may get a second name at once (cp -l).
 */
#define NOTES_MAX 4096

/* Lookups wake the publisher for another pass after so long: a pass examines all versions. */
#define REST_MS 100

static int compare_files(const void *a, const void *b)
{
	const struct source_name *one = a, *other = b;

	if (one->dev != other->dev)
		return one->dev < other->dev ? -1 : 1;
	return one->ino == other->ino ? 0 : one->ino < other->ino ? -1 : 1;
}

/* Returns whether one of the version's sources is also a file of another entry in `names`. */
static bool is_among(const struct source_name *names, size_t count, const struct version *version)
{
	for (size_t i = 0; i < version->stamp_count; i++) {
		const struct source_name wanted = {
			.dev = version->stamps[i].dev, .ino = version->stamps[i].ino};
		const struct source_name *found =
			bsearch(&wanted, names, count, sizeof(*names), compare_files);

		if (found && (found->is_shared || found->entry != version->entry))
			return true;
	}
	return false;
}

/* Sorts the names by file, and marks files that several entries have. */
static void sort(struct source_name *names, size_t count)
{
	qsort(names, count, sizeof(*names), compare_files);
	for (size_t i = 0, end; i < count; i = end) {
		bool is_shared = false;

		for (end = i + 1; end < count && compare_files(&names[i], &names[end]) == 0; end++)
			is_shared |= names[end].entry != names[i].entry;
		for (size_t j = i; j < end; j++)
			names[j].is_shared = is_shared;
	}
}

/* Queues the entries whose sources are in `names`, which is sorted. */
static void queue_those(struct view *view, const struct source_name *names, size_t count)
{
	for (size_t i = 0; i < view->inodes.table.size; i++)
		for (struct inode *inode = view->inodes.table.buckets[i]; inode;
			inode = inode->next) {
			struct version *version = (struct version *)inode;
			if (inode->type == INODE_VERSION && version->entry &&
				is_among(names, count, version))
				queue_entry(view, version->entry);
		}
}

void other_names_fini(struct view *view)
{
	struct other_names *others = &view->other_names;

	for (size_t i = 0; i < others->count; i++)
		entry_leave(view, others->items[i].entry);
	free(others->items);
	*others = (struct other_names){.passed_ms = clock_ms()};
}

int64_t other_names_rest(const struct view *view, int64_t now_ms)
{
	return view->other_names.passed_ms + REST_MS - now_ms;
}

bool other_names_queue(struct view *view)
{
	struct other_names *others = &view->other_names;

	if (!others->count)
		return false;
	sort(others->items, others->count);
	queue_those(view, others->items, others->count);
	other_names_fini(view);
	return true;
}

void other_names_note(struct view *view, const struct look *look)
{
	struct other_names *others = &view->other_names;

	for (unsigned i = 0; i < look->result.lookup.count; i++) {
		const struct stat *stat = &look->result.lookup.found[i].stat;
		const struct source_name name = {
			.dev = stat->st_dev, .ino = stat->st_ino, .entry = look->entry};

		if (stat->st_nlink < 2)
			continue;
		if (array_grow(others->items, others->count, others->capacity) < 0) {
			queue_those(view, &name, 1);
			continue;
		}
		entry_enter(view, look->entry);
		others->items[others->count++] = name;
	}
	if (others->count >= NOTES_MAX)
		other_names_queue(view);
	else if (others->count && other_names_rest(view, clock_ms()) <= 0)
		view_wake(view);
}
