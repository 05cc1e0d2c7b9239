/*
 * What programs see of the view: bytes, attributes, listings; and the view's counts.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "test.h"
#include "view_kernel.h"

/* Returns the bytes at a path; "E…" for an error, "-> target" for a link. Static. */
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
#define assert_has(path, part) assert_non_null(strstr(shown(path), part))

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
	int r = view_list(from, ino, 0, true, take_name, list);
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

/*
 * Returns the names in a directory, sorted, a line each, directories with a slash. Valid until it
 * changes.
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

static inline struct view_counts count_of_view(void)
{
	struct view_counts counts;

	view_count(view, &counts);
	return counts;
}

static inline struct fault fault_of(const char *path)
{
	struct fault fault = {0};
	uint64_t ino = 0;

	assert_int_equal(kernel_find(path, &ino), 0);
	const struct version *version =
		(const struct version *)inode_table_find(&view->inodes.table, ino);
	if (version && version->inode.type == INODE_VERSION && version->entry &&
		version->entry->use->fault)
		fault = *version->entry->use->fault;
	return fault;
}
