#include "other_names.h"

#include <stdlib.h>

#include "array.h"
#include "look.h"
#include "queue.h"

/*
 * So many names at most are noted before one pass over the shown versions looks for their other
 * names. All files of a layer may get a second name at once (cp -l).
 */
#define NOTES_MAX 4096

static int compare_files(const void *a, const void *b)
{
	const struct source_name *one = a, *other = b;

	if (one->dev != other->dev)
		return one->dev < other->dev ? -1 : 1;
	return one->ino == other->ino ? 0 : one->ino < other->ino ? -1 : 1;
}

/* Returns whether one of the version's sources is in `names`. */
static bool is_among(const struct source_name *names, size_t count, const struct version *version)
{
	for (size_t i = 0; i < version->stamp_count; i++) {
		const struct source_name wanted = {version->stamps[i].dev, version->stamps[i].ino};

		if (bsearch(&wanted, names, count, sizeof(*names), compare_files))
			return true;
	}
	return false;
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

	free(others->items);
	*others = (struct other_names){0};
}

bool other_names_queue(struct view *view)
{
	struct other_names *others = &view->other_names;

	if (!others->count)
		return false;
	qsort(others->items, others->count, sizeof(*others->items), compare_files);
	queue_those(view, others->items, others->count);
	other_names_fini(view);
	return true;
}

void other_names_note(struct view *view, const struct look *look)
{
	struct other_names *others = &view->other_names;

	for (unsigned i = 0; i < look->result.lookup.count; i++) {
		const struct stat *stat = &look->result.lookup.found[i].stat;
		const struct source_name name = {stat->st_dev, stat->st_ino};

		if (stat->st_nlink > 1 &&
			array_push(others->items, others->count, others->capacity, name) < 0)
			queue_those(view, &name, 1);
	}
	if (others->count >= NOTES_MAX)
		other_names_queue(view);
}
