/*
 * How a directory hangs on the layers: what shows it, with which rights, and how its changes are
 * noticed.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "tree.h"

/* Directories that take each other's place while they are being watched; the last is reported by
 * the watch of the one above. */
#define WATCH_TRIES 8

static struct rights rights_of(const struct view *view, const struct union_lookup *lookup)
{
	struct stat stats[LAYERS_MAX];

	/* No layer has it: all are missing, or only a virtual file leads through it. */
	if (!lookup->count)
		return (struct rights){
			0555, view->composer.mounter.uid, view->composer.mounter.gid};
	for (unsigned i = 0; i < lookup->count; i++)
		stats[i] = lookup->found[i].stat;
	return rights_combine(stats, lookup->count, &view->composer.mounter);
}

bool tree_has_rights(const struct view *view, const struct directory *directory,
	const struct union_lookup *lookup)
{
	struct rights rights = rights_of(view, lookup);

	return rights_equal(&rights, &directory->found_rights);
}

void tree_describe_directory(
	struct view *view, struct directory *directory, const struct union_lookup *lookup)
{
	struct rights rights = rights_of(view, lookup);

	directory->found_rights = rights;
	if (directory->inode.ino)
		rights = tree_admit(view, directory, !lookup->has_unknown);
	directory->mtime = (struct timespec){0};
	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		if (time_is_later(found->stat.st_mtim, directory->mtime))
			directory->mtime = found->stat.st_mtim;
		directory->identities[found->layer] = stamp_of(&found->stat);
	}
	/* Names go with a layer, which its time tells. */
	if (!rights_equal(&rights, &directory->rights) || directory->layers & ~lookup->layers)
		directory->described++;
	directory->is_narrowed |= directory->rights.mode & ~rights.mode ||
				  directory->rights.uid != rights.uid ||
				  directory->rights.gid != rights.gid;
	directory->rights = rights;
	directory->layers = lookup->layers;
}

/*
 * File systems whose files others can change unseen by this kernel's inotify: statfs(2)'s magic
 * numbers, linux/magic.h and the file systems' own headers.
 */
static bool is_remote(int fd)
{
	static const unsigned long types[] = {
		0x6969,     /* NFS */
		0x65735546, /* FUSE, virtiofs */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB 2 */
		0x517b,     /* SMB */
		0x01021997, /* 9p */
		0x00c36400, /* Ceph */
		0x5346414f, /* AFS */
		0x73757245, /* Coda */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
		0x0bd00bd0, /* Lustre */
	};
	struct statfs statfs;

	if (fstatfs(fd, &statfs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if ((unsigned long)statfs.f_type == types[i])
			return true;
	return false;
}

/* What a watch can't tell, polling finds out. */
static void note_watch(struct view *view, struct directory *directory, unsigned layer, int error,
	bool is_remote_layer)
{
	layer_mask bit = (layer_mask)1 << layer;

	pthread_mutex_lock(&view->lock);
	directory->polled &= ~bit;
	if (error && error != ENOENT)
		view->watch_error = error;
	if (error || is_remote_layer) {
		directory->polled |= bit;
		view->is_remote |= is_remote_layer;
		if (!view->is_polling)
			tree_wake(view);
		view->is_polling = true;
	}
	pthread_mutex_unlock(&view->lock);
}

/* Whether the path still leads to the directory that is open as `fd`, or to none. */
static bool is_at(const struct layer *layer, const char *path, int fd)
{
	CLEANUP(closep) int again = layer_open_directory(layer, path);
	struct stat here;
	struct stat there;

	return again < 0 || fstat(fd, &here) < 0 || fstat(again, &there) < 0 ||
	       (here.st_dev == there.st_dev && here.st_ino == there.st_ino);
}

static void watch_layer(
	struct view *view, const struct layer *layer, struct directory *directory, unsigned number)
{
	bool is_settled = false;

	for (int try = 0; !is_settled && try < WATCH_TRIES; try++) {
		CLEANUP(closep) int fd = layer_open_directory(layer, directory->path);
		/* Gone already: its parent's watch has the event. */
		if (fd == -ENOENT || fd == -ENOTDIR)
			return;
		int r = fd < 0 ? fd : watch_add(view->watch, directory, number, fd);
		note_watch(view, directory, number, -r, fd >= 0 && is_remote(fd));
		/* Another took its place, and another thread may have watched that one before. */
		is_settled = r < 0 || is_at(layer, directory->path, fd);
	}
}

void tree_watch(struct view *view, const struct settings *settings, struct directory *directory,
	layer_mask layers)
{
	for (unsigned i = 0; i < settings->layer_count; i++)
		if (layers >> i & 1)
			watch_layer(view, settings->layers[i], directory, i);
}

static bool same_place(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

bool tree_update_directory(struct view *view, const struct settings *settings,
	struct directory *directory, const struct union_lookup *lookup)
{
	layer_mask fresh = 0;

	pthread_mutex_lock(&view->lock);
	/* Looked at by other settings: their ranks mean nothing any more. */
	if (settings != view->composer.settings) {
		pthread_mutex_unlock(&view->lock);
		return false;
	}
	layer_mask lost = directory->layers & ~lookup->layers;
	for (unsigned i = 0; i < lookup->count; i++) {
		unsigned layer = lookup->found[i].layer;
		struct stamp stamp = stamp_of(&lookup->found[i].stat);
		if (!(directory->layers >> layer & 1) ||
			!watch_has(view->watch, directory, layer) ||
			!same_place(&stamp, &directory->identities[layer]))
			fresh |= (layer_mask)1 << layer;
	}
	for (unsigned layer = 0; layer < directory->layer_count; layer++)
		if ((fresh | lost) >> layer & 1)
			watch_remove_layer(view->watch, directory, layer);
	struct rights old_rights = directory->found_rights;
	struct timespec old_mtime = directory->mtime;
	/* Who looks at a name in it now may look in the wrong layers. */
	directory->generation++;
	tree_describe_directory(view, directory, lookup);
	/* Rights of what is made of files below it, but shown elsewhere, follow from its own. */
	if (!rights_equal(&directory->found_rights, &old_rights))
		dependency_reindex(view, directory->path);
	tree_await_calm(view, directory);
	directory->joined |= fresh;
	/* Names went with a layer: later than before, as after any other such change. */
	if (lost && !time_is_later(directory->mtime, old_mtime))
		clock_gettime(CLOCK_REALTIME, &directory->mtime);
	bool is_untold = directory->told != directory->described;
	pthread_mutex_unlock(&view->lock);

	tree_watch(view, settings, directory, fresh);
	if (fresh | lost) {
		pthread_mutex_lock(&view->lock);
		tree_queue_scan(view, directory, true);
		pthread_mutex_unlock(&view->lock);
	}
	return is_untold;
}

int tree_make_directory(struct view *view, const struct era *era, struct directory *parent,
	const char *name, const struct union_lookup *lookup, struct directory **ret)
{
	const struct settings *settings = era->composer.settings;
	struct directory *directory;
	int r = directory_new(parent, name, settings->layer_count, &directory);
	if (r < 0)
		return r;
	tree_describe_directory(view, directory, lookup);
	directory->described = 0;
	directory->is_narrowed = false;
	/* Its events may come, and be done with, before it is shown. */
	directory->users = 1;
	if (parent) {
		pthread_mutex_lock(&view->lock);
		parent->users++;
		pthread_mutex_unlock(&view->lock);
	}
	tree_watch(view, settings, directory, lookup->layers);
	*ret = directory;
	return 0;
}
