/*
 * A view over layers in a fresh directory, and a kernel in front of it that never forgets by
 * itself: what it was told about a name, a listing or an absence holds until the publisher changes
 * it. What it shows is therefore what a program on a real mount would see.
 *
 *      test ──▶ layers on disk ──inotify──▶ view ──▶ publish_all() ──▶ kernel's caches
 *        └────────────▶ shown(), listed() … ──────────────────────────────┘
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cleanup.h"
#include "publisher.h"
#include "refresh.h"
#include "state.h"

#define TEXT_MAX 4096

/* What the kernel holds of one name. `ino` 0: it knows that there is no such name. */
struct dentry {
	struct dentry *next;
	uint64_t parent;
	uint64_t ino;
	mode_t type;
	char name[NAME_MAX + 1];
};

/* An inode that the kernel holds, and how often it was looked up. */
struct held {
	struct held *next;
	uint64_t ino;
	uint64_t lookups;
	unsigned opened; /* by tests: it stays when its name goes */
};

/* A listing that the kernel has cached. */
struct cached_listing {
	struct cached_listing *next;
	uint64_t ino;
	char *text; /* "name\n" … sorted; directories end with a slash, links with "@" */
};

static struct view *view;
static struct publisher *publisher;
static struct dentry *dentries;
static struct held *helds;
static struct cached_listing *listings;
static char events[1 << 16]; /* "MOVED_TO app.yaml\n" … since events_clear() */
static unsigned batches;     /* that have ended */
static char place[] = "/tmp/plyfs-view-XXXXXX";

/* Whether publishing works as on a mount that is hidden: caches are invalidated, no more. */
static bool is_hidden;

/* Whether nothing can be published at all, as where a disk is full. */
static bool is_full;

/* Disk */

__attribute__((format(printf, 1, 2))) static inline void run(const char *format, ...)
{
	char command[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command) != 0)
		fail_msg("%s", command);
}

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* As careful writers do it: the new file takes the name when it is whole. */
static inline void replace_file(const char *path, const char *text)
{
	write_file("staged", text);
	assert_int_equal(rename("staged", path), 0);
}

static inline void make_directory(const char *path)
{
	if (mkdir(path, 0755) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}

/* Kernel */

static inline struct held *held_find(uint64_t ino)
{
	struct held *held = helds;

	while (held && held->ino != ino)
		held = held->next;
	return held;
}

static inline void held_add(uint64_t ino)
{
	struct held *held = held_find(ino);

	if (!held) {
		held = calloc(1, sizeof(*held));
		assert_non_null(held);
		held->ino = ino;
		held->next = helds;
		helds = held;
	}
	held->lookups++;
}

/* The kernel lets the inode go, unless a file of it is open. */
static inline void held_drop(uint64_t ino)
{
	for (struct held **place_of = &helds; *place_of; place_of = &(*place_of)->next) {
		struct held *held = *place_of;
		if (held->ino != ino)
			continue;
		if (held->opened)
			return;
		*place_of = held->next;
		view_forget(view, ino, held->lookups);
		free(held);
		return;
	}
}

static inline struct dentry *dentry_find(uint64_t parent, const char *name)
{
	struct dentry *dentry = dentries;

	while (dentry && (dentry->parent != parent || strcmp(dentry->name, name) != 0))
		dentry = dentry->next;
	return dentry;
}

static inline void listing_drop(uint64_t ino)
{
	for (struct cached_listing **at = &listings; *at; at = &(*at)->next)
		if ((*at)->ino == ino) {
			struct cached_listing *listing = *at;
			*at = listing->next;
			free(listing->text);
			free(listing);
			return;
		}
}

static inline void dentry_drop(struct dentry *dropped)
{
	uint64_t ino = dropped->ino;
	bool is_found = true;

	for (struct dentry **at = &dentries; *at; at = &(*at)->next)
		if (*at == dropped) {
			*at = dropped->next;
			free(dropped);
			break;
		}
	if (!ino)
		return;
	/* What is below it goes first: a parent outlives its children. */
	while (is_found) {
		is_found = false;
		for (struct dentry *child = dentries; child && !is_found; child = child->next)
			if (child->parent == ino) {
				dentry_drop(child);
				is_found = true;
			}
	}
	listing_drop(ino);
	held_drop(ino);
}

static inline void dentry_set(uint64_t parent, const char *name, uint64_t ino, mode_t mode)
{
	struct dentry *dentry = dentry_find(parent, name);

	if (dentry && dentry->ino == ino)
		return;
	if (dentry)
		dentry_drop(dentry);
	dentry = calloc(1, sizeof(*dentry));
	assert_non_null(dentry);
	dentry->parent = parent;
	dentry->ino = ino;
	dentry->type = mode & S_IFMT;
	strcpy(dentry->name, name);
	dentry->next = dentries;
	dentries = dentry;
}

/* Answers that were not to be cached. */
static unsigned uncached;

/* A request that waits to be answered, by this thread or by another one whose look it joined. */
struct request {
	struct view_caller caller; /* first */
	sem_t is_answered;
	int result;
	struct stat stat;
};

static inline void request_answer(struct view_caller *caller, int result, const struct stat *stat)
{
	struct request *request = (struct request *)caller;

	request->result = result;
	if (result >= 0)
		request->stat = *stat;
	sem_post(&request->is_answered);
}

/* view_lookup() and its answer. */
static inline int view_ask(
	struct view *asked, uint64_t parent, const char *name, bool is_publisher, struct stat *ret)
{
	struct request request = {.caller = {.answer = request_answer}};

	if (is_publisher)
		return view_lookup(asked, parent, name, NULL, ret);
	sem_init(&request.is_answered, 0, 0);
	int r = view_lookup(asked, parent, name, &request.caller, &request.stat);
	if (r == VIEW_LATER)
		sem_wait(&request.is_answered);
	else
		request.result = r;
	uncached += request.result == VIEW_PASSING;
	sem_destroy(&request.is_answered);
	*ret = request.stat;
	return request.result < 0 ? request.result : 0;
}

static inline struct view_counts count_of_view(void)
{
	struct view_counts counts;

	view_count(view, &counts);
	return counts;
}

/* Asks the view, whatever is cached: 0 or -errno, and the cache is up to date. */
static inline int kernel_ask(uint64_t parent, const char *name, bool is_publisher)
{
	struct stat stat;
	int r = view_ask(view, parent, name, is_publisher, &stat);

	if (r >= 0) {
		held_add(stat.st_ino);
		dentry_set(parent, name, stat.st_ino, stat.st_mode);
	} else if (r == -ENOENT) {
		dentry_set(parent, name, 0, 0);
	}
	return r > 0 ? 0 : r;
}

static inline int kernel_lookup(
	uint64_t parent, const char *name, bool is_publisher, struct dentry **ret)
{
	struct dentry *dentry = dentry_find(parent, name);

	if (!dentry) {
		int r = kernel_ask(parent, name, is_publisher);
		if (r < 0 && r != -ENOENT)
			return r;
		dentry = dentry_find(parent, name);
	}
	*ret = dentry;
	return dentry->ino ? 0 : -ENOENT;
}

/* Resolves all but the last name. */
static inline int kernel_walk(const char *path, bool is_publisher, uint64_t *parent, char *last)
{
	uint64_t ino = VIEW_INO_ROOT;

	for (;;) {
		size_t length = strcspn(path, "/");
		struct dentry *dentry;

		assert_true(length <= NAME_MAX);
		memcpy(last, path, length);
		last[length] = '\0';
		if (!path[length])
			break;
		int r = kernel_lookup(ino, last, is_publisher, &dentry);
		if (r < 0)
			return r;
		if (!S_ISDIR(dentry->type))
			return -ENOTDIR;
		ino = dentry->ino;
		path += length + 1;
	}
	*parent = ino;
	return 0;
}

/* The inode's number at a path, "" being the root. Returns 0 or -errno. */
static inline int kernel_find(const char *path, uint64_t *ret)
{
	char last[NAME_MAX + 1];
	struct dentry *dentry;
	uint64_t parent;

	*ret = 0;
	if (!*path) {
		*ret = VIEW_INO_ROOT;
		return 0;
	}
	int r = kernel_walk(path, false, &parent, last);
	if (r == 0)
		r = kernel_lookup(parent, last, false, &dentry);
	if (r == 0)
		*ret = dentry->ino;
	return r;
}

/* The publisher's operations, as driver/publish.c and the kernel do them together. */

static inline void note_event(const char *kind, const char *path)
{
	size_t used = strlen(events);

	snprintf(events + used, sizeof(events) - used, "%s %s\n", kind, path);
}

static inline int publish_replace(const struct change *change, uint64_t parent, const char *name)
{
	struct stat staged;

	assert_true(view_lookup_staged(view, &staged) >= 0);
	held_add(staged.st_ino);
	/* LOOKUP_RENAME_TARGET: what is cached is asked for again. */
	int r = kernel_ask(parent, name, true);
	struct dentry *target = dentry_find(parent, name);
	if (r == 0 && target->ino == staged.st_ino)
		fail_msg("%s: VFS takes source and target for one file", change->path);
	if (r == 0 && S_ISDIR(target->type)) {
		held_drop(staged.st_ino);
		return -EISDIR;
	}
	r = view_apply_change(view, parent, true, NULL);
	if (r < 0) {
		held_drop(staged.st_ino);
		return r;
	}
	dentry_set(parent, name, staged.st_ino, staged.st_mode);
	note_event("MOVED_TO", change->path);
	return 0;
}

static inline int publish_removal(const struct change *change, uint64_t parent, const char *name)
{
	bool is_directory = change->kind == CHANGE_REMOVE_DIRECTORY;
	struct dentry *dentry;
	int r = kernel_lookup(parent, name, true, &dentry);
	if (r < 0)
		return r;
	if (S_ISDIR(dentry->type) != is_directory)
		return is_directory ? -ENOTDIR : -EISDIR;
	r = view_apply_change(view, parent, true, NULL);
	if (r < 0)
		return r;
	dentry_set(parent, name, 0, 0);
	note_event(is_directory ? "DELETE,ISDIR" : "DELETE", change->path);
	return 0;
}

static inline int publish_directory(const struct change *change, uint64_t parent, const char *name)
{
	struct stat stat = {0};

	/* LOOKUP_EXCL: likewise. */
	int r = kernel_ask(parent, name, true);
	if (r != -ENOENT)
		return r ? r : -EEXIST;
	r = view_apply_change(view, parent, true, &stat);
	if (r < 0)
		return r;
	if (!stat.st_ino)
		return -EEXIST;
	held_add(stat.st_ino);
	dentry_set(parent, name, stat.st_ino, stat.st_mode);
	note_event("CREATE,ISDIR", change->path);
	return 0;
}

/* One operation of the publisher, as the kernel answers it; what fails is invalidated. */
static inline int carry_out(const struct change *change,
	int (*call)(const struct change *change, uint64_t parent, const char *name))
{
	char name[NAME_MAX + 1];
	uint64_t parent;

	if (is_full)
		return -ENOSPC;
	int r = is_hidden ? -EXDEV : kernel_walk(change->path, true, &parent, name);
	if (r == 0) {
		r = call(change, parent, name);
		listing_drop(parent);
	}
	if ((r == 0 && view_is_published(view)) || view_is_overtaken(view))
		return 0;
	view_apply_change(view, change->parent_ino, false, NULL);
	struct dentry *dentry = dentry_find(change->parent_ino, change->entry->name);
	if (dentry)
		dentry_drop(dentry);
	listing_drop(change->parent_ino);
	note_event("invalidated", change->path);
	return 0;
}

static inline int op_replace(void *context, const struct change *change)
{
	(void)context;
	return carry_out(change, publish_replace);
}

static inline int op_remove(void *context, const struct change *change)
{
	(void)context;
	return carry_out(change, publish_removal);
}

static inline int op_make_directory(void *context, const struct change *change)
{
	(void)context;
	return carry_out(change, publish_directory);
}

static inline void op_set_attributes(void *context, const struct change *change)
{
	(void)context;
	if (change->kind == CHANGE_LISTING) {
		listing_drop(change->parent_ino);
		return;
	}
	note_event("ATTRIBUTES", change->path ? change->path : "");
	view_tell_attributes(view, change);
}

static inline void op_batch_end(void *context)
{
	(void)context;
	batches++;
}

/* The publisher of `view`. */
static inline struct publisher *publisher_here(void)
{
	static const struct publisher_ops ops = {
		.replace = op_replace,
		.remove = op_remove,
		.make_directory = op_make_directory,
		.remove_directory = op_remove,
		.set_attributes = op_set_attributes,
		.batch_end = op_batch_end,
	};

	if (!publisher)
		assert_int_equal(
			publisher_new(view, &(struct publisher_options){.ops = &ops}, &publisher),
			0);
	return publisher;
}

static inline void publish(struct change *change)
{
	publisher_carry_out(publisher_here(), change);
}

/* What lies ready now. Returns the milliseconds that the view wants to be called after; -1: none.
 */
static inline int publish_ready(void)
{
	return publisher_publish(publisher_here());
}

/* Everything, until the view waits for nothing but the layers. */
static inline void publish_all(void)
{
	for (;;) {
		struct pollfd polled[] = {
			{.fd = watch_fd(view->watch), .events = POLLIN},
			{.fd = view->wake_fd, .events = POLLIN},
		};
		uint64_t woken;
		int timeout_ms = publish_ready();

		if (read(view->wake_fd, &woken, sizeof(woken)) == sizeof(woken) ||
			view_has_work(view))
			continue;
		if (timeout_ms < 0 && poll(polled, 2, 0) == 0)
			return;
		poll(polled, 2, timeout_ms);
	}
}

static inline void events_clear(void)
{
	*events = '\0';
}

#define assert_events(expected) assert_string_equal(events, expected)

/* What programs see */

/* The bytes at a path; "E…" for an error, "-> target" for a link. Static. */
static inline const char *shown(const char *path)
{
	static char text[4 << 20];
	CLEANUP(version_unrefp) struct version *version = NULL;
	uint64_t ino;

	int r = kernel_find(path, &ino);
	if (r == 0)
		r = view_version(view, ino, &version);
	if (r < 0)
		return strerrorname_np(-r);
	size_t used = version->kind == VERSION_LINK ? (size_t)sprintf(text, "-> ") : 0;
	ssize_t n = version_read(version, text + used, sizeof(text) - used - 1, 0);
	if (n < 0)
		return strerrorname_np((int)-n);
	text[used + (size_t)n] = '\0';
	return text;
}

#define assert_shown(path, text) assert_string_equal(shown(path), text)

static inline struct stat stat_of(const char *path)
{
	struct stat stat = {0};
	uint64_t ino = 0;
	int r = kernel_find(path, &ino);

	if (r < 0)
		fail_msg("%s: %s", path, strerror(-r));
	assert_int_equal(view_stat(view, ino, &stat), 0);
	return stat;
}

struct name_list {
	char *names[20000];
	size_t count;
	uint64_t cookie;
	size_t limit; /* of names taken in one call; 0: none */
};

static inline bool take_name(
	void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct name_list *list = context;

	assert_true(cookie > list->cookie);
	assert_true(ino > VIEW_INO_RESERVED);
	if (list->limit && list->count == list->limit)
		return false;
	list->cookie = cookie;
	assert_true(list->count < sizeof(list->names) / sizeof(*list->names));
	assert_true(asprintf(&list->names[list->count++], "%s%s", name,
			    S_ISDIR(type)   ? "/"
			    : S_ISLNK(type) ? "@"
					    : "") >= 0);
	return true;
}

static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline char *list_text(struct view *from, uint64_t ino)
{
	CLEANUP(freep) struct name_list *list = calloc(1, sizeof(*list));
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(list && out);
	int r = view_list(from, ino, 0, take_name, list);
	if (r < 0)
		fprintf(out, "%s", strerrorname_np(-r));
	qsort(list->names, list->count, sizeof(char *), compare_texts);
	for (size_t i = 0; i < list->count; i++) {
		fprintf(out, "%s\n", list->names[i]);
		free(list->names[i]);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The names in a directory, sorted, a line each, directories with a slash. Good until it changes.
 */
static inline const char *listed(const char *path)
{
	uint64_t ino;
	int r = kernel_find(path, &ino);
	if (r < 0)
		return strerrorname_np(-r);
	for (struct cached_listing *listing = listings; listing; listing = listing->next)
		if (listing->ino == ino)
			return listing->text;

	struct cached_listing *listing = calloc(1, sizeof(*listing));
	assert_non_null(listing);
	listing->ino = ino;
	listing->text = list_text(view, ino);
	listing->next = listings;
	listings = listing;
	return listing->text;
}

#define assert_listed(path, text) assert_string_equal(listed(path), text)

/* Memory is short: the kernel lets the name go, and all below it. */
static inline void forget(const char *path)
{
	char last[NAME_MAX + 1];
	uint64_t parent;

	if (kernel_walk(path, false, &parent, last) < 0)
		return;
	struct dentry *dentry = dentry_find(parent, last);
	if (dentry)
		dentry_drop(dentry);
}

static inline struct trouble trouble_of(const char *path)
{
	struct trouble trouble = {0};
	uint64_t ino = 0;

	assert_int_equal(kernel_find(path, &ino), 0);
	const struct version *version =
		(const struct version *)inode_table_find(&view->inodes, ino);
	if (version && version->inode.type == INODE_VERSION && version->entry &&
		version->entry->trouble)
		trouble = *version->entry->trouble;
	return trouble;
}

/* Set-up */

static inline struct settings *settings_with(const char *yaml)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	if (strchr(yaml, '\n')) {
		write_file("plyfs.yaml", yaml);
		r = settings_read("plyfs.yaml", &settings, &problem);
	} else {
		r = settings_from_layers(yaml, &settings, &problem);
	}
	if (r != 0)
		fail_msg("%d: %s:%u: %s", r, problem.source, problem.line, problem.message);
	/* Bytes are easier compared without; who tests it says so. */
	if (!strstr(yaml, "header"))
		settings_fix_header(settings, false);
	return settings;
}

/* `yaml`: a plyfs.yaml, or "A:B:C". */
static inline struct view *new_view(const char *yaml)
{
	CLEANUP(settings_unrefp) struct settings *settings = settings_with(yaml);
	static const struct view_callbacks callbacks;
	struct view *made;

	assert_int_equal(view_new(settings, &callbacks, &made), 0);
	return made;
}

static inline void start(const char *yaml)
{
	view = new_view(yaml);
	publish_all();
}

/* A fresh place with the layers a, b and c (lowest first), empty. */
static inline int set_up(void **state)
{
	(void)state;
	strcpy(place + sizeof(place) - 7, "XXXXXX");
	if (!mkdtemp(place) || chdir(place) < 0)
		return -1;
	make_directory("a");
	make_directory("b");
	make_directory("c");
	events_clear();
	is_hidden = is_full = false;
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	for (struct held *held = helds; held; held = held->next)
		held->opened = 0;
	while (dentries)
		dentry_drop(dentries);
	while (helds)
		held_drop(helds->ino);
	listing_drop(VIEW_INO_ROOT);
	while (listings)
		listing_drop(listings->ino);
	publisher_free(publisher);
	publisher = NULL;
	view_free(view);
	view = NULL;
	return chdir("/") < 0 || (run("rm -rf '%s'", place), 0);
}

#define view_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
