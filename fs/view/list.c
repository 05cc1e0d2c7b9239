/*
 * Listing directories: the layers are asked with no lock held, once, or each time where the mount is
 * strict.
 */
#include <errno.h>

#include "expand.h"
#include "tree.h"

/*
 * Makes the listing complete; with `is_expanded` also with the names that expanding shows, which an
 * expansion itself must not ask for. Drops the lock meanwhile; the directory must be in use. */
static int complete(struct view *view, struct directory *directory, bool is_sync, bool is_expanded)
{
	struct listing listing = {0};
	layer_mask layers = directory->layers;
	struct era era;

	era_init(view, &era);
	tree_begin_listing(directory);
	pthread_mutex_unlock(&view->lock);
	int r = listing_take(era.composer.settings, layers, directory->path, &listing);
	if (r == 0 && listing.error)
		r = -listing.error;
	if (r == 0)
		tree_install_listing(view, directory, &listing);
	if (r == 0 && is_sync) {
		pthread_mutex_lock(&view->lock);
		tree_sync_listing(view, directory, &listing);
		directory->is_expanded = false;
		pthread_mutex_unlock(&view->lock);
	}
	if (r == 0 && is_expanded)
		r = tree_expand(view, &era.composer, directory, &listing, false);
	era_fini(&era);
	listing_free(&listing);
	pthread_mutex_lock(&view->lock);
	tree_end_listing(directory);
	return r;
}

int tree_complete(struct view *view, struct directory *directory)
{
	int r = 0;

	pthread_mutex_lock(&view->lock);
	if (!directory->is_complete && !directory->is_dead)
		r = complete(view, directory, false, false);
	pthread_mutex_unlock(&view->lock);
	return r;
}

static mode_t type_of(enum union_kind kind)
{
	return kind == UNION_DIRECTORY ? S_IFDIR : kind == UNION_LINK ? S_IFLNK : S_IFREG;
}

int view_list(struct view *view, uint64_t ino, uint64_t cookie,
	bool (*each)(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie),
	void *context)
{
	int r = 0;

	pthread_mutex_lock(&view->lock);
	struct directory *directory = tree_directory_of(view, ino);
	if (!directory) {
		pthread_mutex_unlock(&view->lock);
		return -ENOTDIR;
	}
	bool is_sync = tree_is_strict(view) && cookie < DIRECTORY_COOKIE_FIRST;
	directory->users++;
	if ((!directory->is_complete || !directory->is_expanded || is_sync) && !directory->is_dead)
		r = complete(view, directory, is_sync, true);
	for (size_t i = directory_seek(directory, cookie); r == 0 && i < directory->order_count;
		i++) {
		struct entry *entry = directory->order[i];
		if (entry && entry->kind != UNION_NONE &&
			!each(context, entry->name, entry->ino, type_of(entry->kind),
				entry->cookie))
			break;
	}
	tree_leave(view, directory);
	pthread_mutex_unlock(&view->lock);
	return r;
}
