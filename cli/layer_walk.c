#include "layer_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"

/* Bits of fts_number of a directory, for what is in it. */
enum {
	CLOSED = 1, /* other users can't get to it */
	LINKED = 2, /* a link leads to it */
};

static void note(struct walk_fault *fault, const FTSENT *entry, long state)
{
	if (fault->count++ == 0)
		snprintf(fault->first, sizeof(fault->first), "%s", entry->fts_path);
	fault->linked += (state & LINKED) != 0;
}

/* Returns whether a directory above `path` keeps other users out. */
static bool is_closed_above(const char *path)
{
	CLEANUP(freep) char *real = realpath(path, NULL);
	struct stat above;

	while (real && real[1]) {
		char *slash = strrchr(real, '/');

		slash[slash == real] = '\0';
		if (stat(real, &above) == 0 && !(above.st_mode & S_IXOTH))
			return true;
	}
	return false;
}

static bool is_link(const FTSENT *entry)
{
	struct stat found;

	return lstat(entry->fts_accpath, &found) == 0 && S_ISLNK(found.st_mode);
}

/* Returns what the entry inherits from the directories above. */
static long state_of(const struct layer *layer, const FTSENT *entry)
{
	if (entry->fts_level == FTS_ROOTLEVEL)
		return is_closed_above(layer->place) ? CLOSED : 0;
	if (layer->follow && is_link(entry))
		return LINKED | (is_closed_above(entry->fts_accpath) ? CLOSED : 0);
	return entry->fts_parent->fts_number;
}

/* Returns whether the directory begins a file system of the kernel's, or is /dev. */
static bool is_of_the_kernel(const FTSENT *entry, long state)
{
	const FTSENT *above = entry->fts_parent;
	char path[PATH_MAX] = "";

	/* Only a link or a mount leads to another file system. */
	if (entry->fts_level == FTS_ROOTLEVEL ||
		(state == above->fts_number &&
			entry->fts_statp->st_dev == above->fts_statp->st_dev))
		return false;
	CLEANUP(closep) int fd = open(entry->fts_accpath, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	(void)descriptor_path(fd, path);
	return layer_is_kernels_own(fd) || strcmp(path, "/dev") == 0 ||
	       strncmp(path, "/dev/", 5) == 0;
}

static void take_entry(struct layer_walk *walk, FTSENT *entry, long state)
{
	bool is_directory = entry->fts_info == FTS_D;
	/* In a directory, also the right to search it is needed. */
	mode_t needed = is_directory ? S_IWOTH | S_IXOTH : S_IWOTH;

	/* A directory that can't be listed comes twice: as FTS_D, then as FTS_DNR. */
	walk->directories += is_directory;
	if (entry->fts_info == FTS_DNR ||
		(entry->fts_info == FTS_NS && entry->fts_errno == EACCES) ||
		(entry->fts_info == FTS_F && eaccess(entry->fts_accpath, R_OK) < 0 &&
			errno == EACCES))
		note(&walk->unreadable, entry, state);
	if ((is_directory || entry->fts_info == FTS_F) && !(state & CLOSED) &&
		(entry->fts_statp->st_mode & needed) == needed)
		note(&walk->writable, entry, state);
	if (is_directory)
		entry->fts_number = state | (entry->fts_statp->st_mode & S_IXOTH ? 0 : CLOSED);
}

/* Returns whether a mount does not show the entry. */
static bool is_left_out(const struct layer *layer, const FTSENT *entry)
{
	const char *inner = entry->fts_path + strlen(layer->place);
	bool is_hidden = layer->follow && entry->fts_level > FTS_ROOTLEVEL &&
			 strncmp(entry->fts_name, "..", 2) == 0;

	return is_hidden || layer_excludes(layer, inner + (*inner == '/'));
}

bool layer_walk(const struct layer *layer, int64_t end_ms, struct layer_walk *walk)
{
	int options = FTS_NOCHDIR | FTS_COMFOLLOW | (layer->follow ? FTS_LOGICAL : FTS_PHYSICAL);
	FTS *tree = fts_open((char *[]){layer->place, NULL}, options, NULL);
	FTSENT *entry;
	bool is_cut = false;

	while (tree && !is_cut && (entry = fts_read(tree))) {
		is_cut = clock_ms() >= end_ms;
		if (entry->fts_info == FTS_DP)
			continue;
		bool is_skipped = is_left_out(layer, entry);
		long state = is_skipped ? 0 : state_of(layer, entry);
		if (entry->fts_info == FTS_D && !is_skipped)
			is_skipped = is_of_the_kernel(entry, state);
		if (is_skipped)
			(void)fts_set(tree, entry, FTS_SKIP);
		else
			take_entry(walk, entry, state);
	}
	if (tree)
		fts_close(tree);
	return !is_cut;
}
