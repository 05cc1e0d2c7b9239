#include "link_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "cleanup.h"
#include "descriptor.h"
#include "entry.h"
#include "events.h"
#include "followed_path.h"
#include "path.h"
#include "queue.h"
#include "state.h"

/* Links that the kernel follows in one resolution: path_resolution(7). */
#define LINKS_MAX 40

/* Names watched for one link. Real paths have a dozen; a longer one is polled. */
#define STEPS_MAX 256

#define WRITE_MASK (IN_MODIFY | IN_CLOSE_WRITE)
#define NAME_MASK                                                                                  \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |        \
		IN_MOVE_SELF)
#define INODE_MASK (WRITE_MASK | IN_ATTRIB | IN_DELETE_SELF)

enum step_kind {
	STEP_ON_THE_WAY,
	STEP_TARGET, /* the last name of the path */
	STEP_INODE,  /* the inode of a source with several hard links */
};

struct step {
	struct subscription subscription; /* first */
	const struct link_watch *watch;
	struct step *next;
	enum step_kind kind;
	char *place; /* the absolute path of the name; NULL: unknown */
	char name[];
};

/* Fixed once it is in directory->links. */
struct link_watch {
	struct view *view;
	struct directory *directory;
	unsigned layer;
	bool is_of_inode; /* a name may have both kinds */
	uint64_t number;  /* view->links.begun when it was begun */
	struct step *steps;
	size_t step_count;
	struct link_watch *next, *previous; /* in view->links.first */
	int error; /* why a part is not watched: EREMOTE, … ; 0: all is */
	char name[];
};

/* A directory, in use while names in it get their watches. */
struct link_place {
	struct view *view;
	struct directory *directory; /* NULL: not in memory */
	const char *name;            /* in it */
	uint64_t number;             /* of the watches that are made */
};

/* Returns the directory and the name of `path`. */
static struct link_place enter(struct view *view, const char *path)
{
	struct link_place place = {
		view, directory_above(view, path), path_name(path), ++view->links.begun};

	if (place.directory)
		place.directory->users++;
	return place;
}

static void leave(const struct link_place *place)
{
	if (place->directory)
		directory_leave(place->view, place->directory);
}

static void free_watch(struct link_watch *watch)
{
	for (struct step *step = watch ? watch->steps : NULL, *next; step; step = next) {
		next = step->next;
		inotify_unsubscribe(watch->view->watch.inotify, &step->subscription);
		free(step->place);
		free(step);
	}
	free(watch);
}

/* NULL: no memory; then all names are looked up again later. */
static struct link_watch *new_watch(
	const struct link_place *place, const char *name, unsigned layer)
{
	size_t size = strlen(name) + 1;
	struct link_watch *watch = calloc(1, sizeof(*watch) + size);

	if (!watch) {
		queue_shortage(place->view);
		return NULL;
	}
	memcpy(watch->name, name, size);
	watch->view = place->view;
	watch->directory = place->directory;
	watch->number = place->number;
	watch->layer = layer;
	return watch;
}

/* Returns what the event means for the name at which the path begins. */
static uint32_t mask_of_name(const struct step *step, uint32_t mask)
{
	switch (step->kind) {
	case STEP_TARGET:
		return mask;
	case STEP_INODE:
		return mask & WRITE_MASK ? mask & WRITE_MASK : IN_DELETE_SELF;
	case STEP_ON_THE_WAY:
		break;
	}
	/* Another file is there, or none: earlier writes to the old file do not count. */
	if (mask & (IN_CREATE | IN_MOVED_TO))
		return IN_MOVED_TO;
	return mask & (IN_DELETE | IN_MOVED_FROM) ? IN_MOVED_FROM : IN_ATTRIB;
}

static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	const struct step *step = (const struct step *)subscription;
	const struct link_watch *watch = step->watch;

	(void)name;
	if (!watch->directory->inode.is_removed)
		events_name(watch->view, watch->directory, watch->layer, mask_of_name(step, mask),
			watch->name);
}

/* Returns the absolute path of the name in the directory; NULL: unknown. */
static char *place_of_step(int directory, const char *name)
{
	char path[PATH_MAX];
	char *place;

	if (descriptor_path(directory, path) < 0 ||
		asprintf(&place, "%s/%s", strcmp(path, "/") == 0 ? "" : path, name) < 0)
		return NULL;
	return place;
}

/* Watches a name in the directory `fd`. `name` NULL: `fd` itself. */
static void add_step(
	struct link_watch *watch, int fd, const char *name, uint32_t mask, enum step_kind kind)
{
	size_t size = name ? strlen(name) + 1 : 0;
	struct step *step = watch->step_count < STEPS_MAX ? calloc(1, sizeof(*step) + size) : NULL;

	if (!step) {
		watch->error = watch->step_count < STEPS_MAX ? ENOMEM : ELOOP;
		return;
	}
	if (name)
		memcpy(step->name, name, size);
	step->subscription = (struct subscription){
		.notify = on_event, .mask = mask, .name = name ? step->name : NULL};
	step->watch = watch;
	step->kind = kind;
	step->place = name ? place_of_step(fd, name) : NULL;
	step->next = watch->steps;
	watch->steps = step;
	watch->step_count++;
	int r = inotify_subscribe(watch->view->watch.inotify, &step->subscription, fd);
	if (r < 0)
		watch->error = -r;
}

/* A path resolution under way. */
struct way {
	struct link_watch *watch;
	int at;     /* the directory reached so far; owned */
	char *rest; /* the names that remain; owned */
	unsigned links;
};

static void move_to(struct way *way, int fd)
{
	closep(&way->at);
	way->at = fd;
}

/* Continues with the link's target. Returns false at the end of the path. */
static bool take_link(struct way *way, int link, const char *rest)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target));
	char *longer;

	if (++way->links > LINKS_MAX || length <= 0 || (size_t)length == sizeof(target))
		return false;
	if (asprintf(&longer, "%.*s/%s", (int)length, target, rest) < 0) {
		way->watch->error = ENOMEM;
		return false;
	}
	free(way->rest);
	way->rest = longer;
	if (*target != '/')
		return true;
	move_to(way, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	int r = way->at < 0 ? -errno : followed_path_check(&way->at);
	if (r < 0)
		way->watch->error = -r;
	return r >= 0;
}

/* Resolves the next name, as the kernel would. Returns false at the end of the path. */
static bool take_step(struct way *way)
{
	char *name = way->rest + strspn(way->rest, "/");
	char *end = name + strcspn(name, "/");
	char *rest = end + strspn(end, "/");
	struct stat stat;

	if (!*name || way->at < 0)
		return false;
	*end = '\0';
	if (way->links)
		add_step(way->watch, way->at, name, NAME_MASK,
			*rest ? STEP_ON_THE_WAY : STEP_TARGET);
	if (layer_may_enter(way->at, name) < 0)
		return false;
	CLEANUP(closep) int fd = openat(way->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? -errno : followed_path_check(&fd);
	/* A shortage says nothing of what is there. A remote file system may not answer. */
	if (layer_is_shortage(r) || r == -EREMOTE) {
		way->watch->error = -r;
		return false;
	}
	/* The path leads into our own mount: a request there would wait for us. */
	if (r == -ELOOP)
		return false;
	bool is_there = r >= 0 && fstat(fd, &stat) == 0;
	if (is_there && S_ISLNK(stat.st_mode))
		return take_link(way, fd, rest);
	/* Programs write to devices all the time; a watch of the directory sees the rest. */
	if (way->links && !*rest && (!is_there || S_ISREG(stat.st_mode)))
		add_step(way->watch, way->at, name, WRITE_MASK, STEP_TARGET);
	if (!is_there || !way->links || !*rest)
		return false;
	memmove(way->rest, rest, strlen(rest) + 1);
	move_to(way, fd);
	fd = -1;
	return true;
}

static void go(struct link_watch *watch, int directory)
{
	struct way way = {.watch = watch, .at = dup(directory), .rest = strdup(watch->name)};

	if (!way.rest || way.at < 0)
		watch->error = ENOMEM;
	else
		while (take_step(&way))
			;
	closep(&way.at);
	free(way.rest);
}

static int compare(const struct link_watch *a, const struct link_watch *b)
{
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return (int)(a->layer * 2 + a->is_of_inode) - (int)(b->layer * 2 + b->is_of_inode);
}

/* Returns the index at which it is in directory->links.items, or belongs. */
static size_t place_of(const struct directory *directory, const struct link_watch *watch)
{
	size_t low = 0;
	size_t high = directory->links.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare(directory->links.items[middle], watch) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Removes the watch from directory->links.items, and returns it. */
static struct link_watch *take_out(struct directory *directory, size_t place)
{
	struct link_watch *watch = directory->links.items[place];
	size_t behind = --directory->links.count - place;

	memmove(directory->links.items + place, directory->links.items + place + 1,
		behind * sizeof(struct link_watch *));
	directory->links.unwatched -= watch->error != 0;
	watch->view->links.count--;
	if (watch->previous)
		watch->previous->next = watch->next;
	else
		watch->view->links.first = watch->next;
	if (watch->next)
		watch->next->previous = watch->previous;
	return watch;
}

/* Returns 0 or -ENOMEM. */
static int put_in(struct directory *directory, size_t place, struct link_watch *watch)
{
	struct link_watch **links = reallocarray(
		directory->links.items, directory->links.count + 1, sizeof(struct link_watch *));

	if (!links)
		return -ENOMEM;
	directory->links.items = links;
	memmove(links + place + 1, links + place,
		(directory->links.count++ - place) * sizeof(struct link_watch *));
	links[place] = watch;
	directory->links.unwatched += watch->error != 0;
	watch->view->links.count++;
	watch->previous = NULL;
	watch->next = watch->view->links.first;
	if (watch->next)
		watch->next->previous = watch;
	watch->view->links.first = watch;
	if (watch->error)
		attach_poll(watch->view, watch->error == EREMOTE ? 0 : watch->error,
			watch->error == EREMOTE);
	return 0;
}

/*
 * Replaces the former watch of the name by this one. If this one has no steps and no error, only
 * removes the former. Takes over `watch`. Returns whether the name had none before, and has one.
 */
static bool install(const struct settings *settings, struct link_watch *watch)
{
	struct view *view = watch->view;
	struct directory *directory = watch->directory;
	struct link_watch *old = NULL;
	struct link_watch *dropped = watch;

	size_t place = place_of(directory, watch);
	bool has_old = place < directory->links.count &&
		       compare(directory->links.items[place], watch) == 0;
	/* With other settings the layer's number means another layer. A watch with a higher number
	 * was begun later, and has seen more. */
	if (settings == view->composer.settings && !directory->inode.is_removed &&
		!(has_old && directory->links.items[place]->number > watch->number)) {
		if (has_old)
			old = take_out(directory, place);
		if ((watch->steps || watch->error) && put_in(directory, place, watch) == 0)
			dropped = NULL;
		else if (watch->steps || watch->error)
			queue_shortage(view);
	}
	free_watch(old);
	free_watch(dropped);
	return !has_old && !dropped;
}

/* After a shortage, has the names looked up again, so that they get their watches. */
static void note_shortage(struct view *view, int result)
{
	if (layer_is_shortage(result))
		queue_shortage(view);
}

/* Watches the names to which the link leads. `fd` is the directory in the layer. */
static void follow(const struct settings *settings, const struct link_place *place,
	const char *name, unsigned layer, int fd)
{
	struct link_watch *watch = new_watch(place, name, layer);

	if (watch) {
		go(watch, fd);
		install(settings, watch);
	}
}

/* A remote layer is polled; this process resolves no path in it. */
static bool is_followed(const struct settings *settings, unsigned layer, layer_mask layers)
{
	return layers >> layer & 1 && settings->layers[layer]->follow &&
	       !layer_is_delegated(settings->layers[layer]);
}

/* Names that the layer does not show (layer.h). */
static bool is_hidden(const char *name)
{
	return name[0] == '.' && name[1] == '.';
}

void link_watch_follow(
	struct view *view, const struct settings *settings, layer_mask layers, const char *path)
{
	for (unsigned i = 0; i < settings->layer_count; i++) {
		if (!is_followed(settings, i, layers))
			continue;
		struct link_place place = enter(view, path);
		CLEANUP(closep) int fd = -1;
		if (place.directory && !is_hidden(place.name))
			fd = layer_open_directory(settings->layers[i], place.directory->path);
		if (fd >= 0)
			follow(settings, &place, place.name, i, fd);
		else
			note_shortage(view, fd);
		leave(&place);
	}
}

static void follow_listed(
	const struct settings *settings, const struct link_place *place, unsigned layer, int fd)
{
	CLEANUP(dir_closep) DIR *dir = descriptor_list(fd);

	if (!dir)
		note_shortage(place->view, -errno);
	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if ((entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) &&
			!is_hidden(entry->d_name))
			follow(settings, place, entry->d_name, layer, fd);
}

/* Watches the file, and refreshes found->stat. Returns as link_watch_sources() does. */
static bool watch_source(const struct settings *settings, const struct link_place *place,
	const char *path, struct contributor *found)
{
	CLEANUP(closep) int fd = -1;
	struct stat stat;
	struct link_watch *watch = new_watch(place, place->name, found->layer);

	if (!watch)
		return false;
	watch->is_of_inode = true;
	if (found->stat.st_nlink > 1)
		fd = layer_open_path(settings->layers[found->layer], path);
	if (layer_is_shortage(fd))
		watch->error = -fd;
	if (fd >= 0)
		add_step(watch, fd, NULL, INODE_MASK, STEP_INODE);
	if (fd >= 0 && fstat(fd, &stat) == 0 && (S_ISREG(stat.st_mode) || S_ISLNK(stat.st_mode)))
		found->stat = stat;
	bool is_new = install(settings, watch);
	/* Before the watch, a change within one tick of the clock changes no file time. */
	if (is_new)
		source_cache_touch(place->view->cache, path);
	return is_new;
}

/* Most mounts have no hard links in their layers, and need no watch. */
static bool may_have_links(struct view *view, const struct union_lookup *lookup)
{
	for (unsigned i = 0; i < lookup->count; i++)
		if (lookup->found[i].stat.st_nlink > 1)
			return true;
	return view->links.count > 0;
}

bool link_watch_sources(struct view *view, const struct settings *settings, const char *path,
	struct union_lookup *lookup)
{
	bool has_new = false;
	bool is_watched = union_is_leaf(lookup->kind);

	if (!is_watched || !may_have_links(view, lookup))
		return false;
	for (unsigned i = 0; i < lookup->count; i++) {
		struct contributor *found = &lookup->found[i];
		const char *source = found->path ? found->path : path;
		struct link_place place = enter(view, source);
		if (place.directory && !found->error &&
			!layer_is_delegated(settings->layers[found->layer]))
			has_new |= watch_source(settings, &place, source, found);
		leave(&place);
	}
	return has_new;
}

/*
 * Takes out the watches of inodes that failed, and returns them, with NULL at the end. The names of
 * all failed watches may have missed a change. Those that show no version are queued here; polling
 * compares the others with their sources' stamps.
 */
static struct link_watch **take_unwatched(struct view *view, struct directory *directory)
{
	size_t count = 0;

	struct link_watch **taken =
		directory->links.unwatched
			? calloc(directory->links.unwatched + 1, sizeof(struct link_watch *))
			: NULL;
	for (size_t i = taken ? directory->links.count : 0; i-- > 0;) {
		const struct link_watch *watch = directory->links.items[i];
		struct entry *entry = watch->error ? directory_entry(directory, watch->name) : NULL;
		if (entry && !entry->use->version) {
			queue_touch(view, entry);
			queue_entry(view, entry);
		}
		if (watch->error && watch->is_of_inode)
			taken[count++] = take_out(directory, i);
	}
	return taken;
}

static void retry(struct view *view, const struct settings *settings, layer_mask layers,
	struct directory *directory)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) struct link_watch **taken = take_unwatched(view, directory);

	for (size_t i = 0; taken && taken[i]; i++) {
		CLEANUP(freep) char *path = NULL;
		if (lookup && directory_join(directory, taken[i]->name, &path) == 0 &&
			union_look_up(settings, layers, path, lookup) == 0)
			link_watch_sources(view, settings, path, lookup);
		free_watch(taken[i]);
	}
}

void link_watch_directory(struct view *view, const struct settings *settings, layer_mask layers,
	struct directory *directory)
{
	retry(view, settings, layers, directory);
	for (unsigned i = 0; i < settings->layer_count; i++) {
		if (!is_followed(settings, i, layers))
			continue;
		struct link_place place = {view, directory, NULL, ++view->links.begun};
		CLEANUP(closep)
		int fd = layer_open_directory(settings->layers[i], directory->path);
		if (fd >= 0)
			follow_listed(settings, &place, i, fd);
		else
			note_shortage(view, fd);
	}
}

void link_watch_remove(struct directory *directory)
{
	while (directory->links.count)
		free_watch(take_out(directory, directory->links.count - 1));
	free(directory->links.items);
	directory->links.items = NULL;
}

/* Returns whether the path leads over `path`, or ends above it. */
static bool leads_over(const struct link_watch *watch, const char *path)
{
	for (const struct step *step = watch->steps; step; step = step->next) {
		size_t len = step->place ? strlen(step->place) : 0;

		if (len && strncmp(path, step->place, len) == 0 &&
			(!path[len] || (step->kind == STEP_TARGET && path[len] == '/')))
			return true;
	}
	return false;
}

void link_watch_note_mount(struct view *view, const char *path)
{
	bool is_met = false;

	for (const struct link_watch *watch = view->links.first, *next; watch; watch = next) {
		next = watch->next;
		if (!leads_over(watch, path))
			continue;
		is_met = true;
		if (!watch->directory->inode.is_removed)
			events_name(view, watch->directory, watch->layer, IN_MOVED_TO, watch->name);
	}
	/* A mount below the end of the path changes names that have no watch of their own. */
	if (is_met)
		view_look_again(view);
}
