#include "layer_walk.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

static void note(size_t *count, char first[PATH_MAX], const char *path)
{
	if ((*count)++ == 0)
		snprintf(first, PATH_MAX, "%s", path);
}

static void take_entry(struct layer_walk *walk, const FTSENT *entry)
{
	/* A directory that can't be listed comes twice: as FTS_D, then as FTS_DNR. */
	walk->directories += entry->fts_info == FTS_D;
	if (entry->fts_info == FTS_DNR ||
		(entry->fts_info == FTS_NS && entry->fts_errno == EACCES) ||
		(entry->fts_info == FTS_F && eaccess(entry->fts_accpath, R_OK) < 0 &&
			errno == EACCES))
		note(&walk->unreadable, walk->first_unreadable, entry->fts_path);
	if ((entry->fts_info == FTS_D || entry->fts_info == FTS_F) &&
		(entry->fts_statp->st_mode & S_IWOTH))
		note(&walk->writable, walk->first_writable, entry->fts_path);
}

void layer_walk(const struct layer *layer, int64_t end_ms, struct layer_walk *walk)
{
	int options = FTS_NOCHDIR | FTS_COMFOLLOW | (layer->follow ? FTS_LOGICAL : FTS_PHYSICAL);
	FTS *tree = fts_open((char *[]){layer->place, NULL}, options, NULL);
	FTSENT *entry;

	while (tree && !walk->is_cut && (entry = fts_read(tree))) {
		const char *inner = entry->fts_path + strlen(layer->place);

		walk->is_cut = clock_ms() >= end_ms;
		if (layer_excludes(layer, inner + (*inner == '/')))
			(void)fts_set(tree, entry, FTS_SKIP);
		else
			take_entry(walk, entry);
	}
	if (tree)
		fts_close(tree);
}
