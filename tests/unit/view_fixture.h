/*
 * A view over layers in a fresh directory, and a kernel in front of it that never forgets by
 * itself: its cache of a name, a listing or an absence holds until the publisher changes it. So it
 * shows what a program on a real mount would see.
 *
 *      test ──▶ layers on disk ──inotify──▶ view ──▶ publish_all() ──▶ kernel's caches
 *        └────────────▶ shown(), listed() … ──────────────────────────────┘
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "place.h"
#include "test.h"
#include "view_publisher.h"
#include "view_shown.h"

#define TEXT_MAX 4096

static inline struct settings *settings_with(const char *yaml)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	if (strchr(yaml, '\n')) {
		write_file("plyfs.yaml", yaml);
		r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	} else {
		r = settings_from_layers(NULL, yaml, &settings, &problem);
	}
	if (r != 0)
		fail_msg("%d: %s:%u: %s", r, problem.source, problem.line, problem.message);
	/* Bytes are easier to compare without a header; a test of the header sets it. */
	if (!strstr(yaml, "header"))
		settings_fix_header(settings, HEADER_OFF);
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

/* When all changes are published. */
#define assert_becomes(path, text) (publish_all(), assert_shown(path, text))
#define assert_comes_to_have(path, part) (publish_all(), assert_has(path, part))

static inline void start(const char *yaml)
{
	view = new_view(yaml);
	publish_all();
}

/* Starts with a file that is merged of two sources. */
static inline void start_merged(void)
{
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\n");
}

/* A fresh place with the layers a, b and c (lowest first), empty. */
static inline int set_up(void **state)
{
	if (enter_place(state))
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
	for (struct held *held = helds; held; held = held->next)
		held->opened = 0;
	while (dentries)
		dentry_drop(dentries);
	while (helds)
		held_drop(helds->ino);
	listing_drop(VIEW_INO_ROOT);
	while (listings)
		listing_drop(listings->ino);
	publisher_freep(&publisher);
	publisher = NULL;
	view_freep(&view);
	view = NULL;
	return leave_place(state);
}

/* As after an overflow of inotify's queue: the view knows that there were events, but not which. */
static inline void lose_events(void)
{
	char buffer[1 << 16];

	while (read(inotify_fd(view->watch.inotify), buffer, sizeof(buffer)) > 0)
		;
	view->queue.is_overflowed = true;
}

#define VIEW_TEST(name) TEST_WITH(name, set_up, tear_down)
