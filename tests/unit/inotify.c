/*
 * Subscriptions that share one inotify descriptor, and often one inode.
 */
#include "inotify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "test.h"

#define CHANGES (IN_CREATE | IN_DELETE | IN_MOVE | IN_ATTRIB)

struct listener {
	struct subscription subscription; /* first */
	char heard[4096];                 /* "a b " the names; "-" is the inode itself */
	uint32_t masks;
};

static struct inotify *inotify;
static unsigned losses;

static void hear(struct subscription *subscription, uint32_t mask, const char *name)
{
	struct listener *listener = (struct listener *)subscription;

	listener->masks |= mask;
	if (strlen(listener->heard) + 16 < sizeof(listener->heard)) {
		strcat(listener->heard, name ? name : "-");
		strcat(listener->heard, " ");
	}
}

static void lose(void *context)
{
	(void)context;
	losses++;
}

static struct listener *listen_to(const char *path, uint32_t mask, const char *name)
{
	struct listener *listener = calloc(1, sizeof(*listener));
	int fd = open(path, O_PATH | O_CLOEXEC);

	assert_non_null(listener);
	assert_return_code(fd, errno);
	listener->subscription = (struct subscription){.notify = hear, .mask = mask, .name = name};
	assert_int_equal(inotify_subscribe(inotify, &listener->subscription, fd), 0);
	close(fd);
	return listener;
}

static void end(struct listener *listener)
{
	inotify_unsubscribe(inotify, &listener->subscription);
	free(listener);
}

static const char *heard_by(struct listener *listener)
{
	listener->heard[0] = '\0';
	listener->masks = 0;
	inotify_read(inotify, lose, NULL);
	return listener->heard;
}

static int set_up(void **state)
{
	losses = 0;
	return enter_place(state) ? -1 : inotify_new(&inotify);
}

static int tear_down(void **state)
{
	assert_int_equal(inotify_watch_count(inotify), 0);
	inotify_free(inotify);
	return leave_place(state);
}

TEST_WITH(event_goes_to_each_whose_mask_and_name_it_fits, set_up, tear_down)
{
	struct listener *all = listen_to(".", CHANGES, NULL);
	struct listener *one = listen_to(".", CHANGES, "one");
	struct listener *deletions = listen_to(".", IN_DELETE, NULL);
	assert_int_equal(inotify_watch_count(inotify), 1);

	write_file("one", "");
	write_file("two", "");
	assert_string_equal(heard_by(all), "one two ");
	assert_string_equal(one->heard, "one ");
	assert_string_equal(deletions->heard, "");
	assert_return_code(unlink("two"), errno);
	assert_string_equal(heard_by(deletions), "two ");
	end(all);
	end(one);
	end(deletions);
}

TEST_WITH(name_does_not_keep_the_directorys_own_events_away, set_up, tear_down)
{
	assert_return_code(mkdir("sub", 0755), errno);
	struct listener *one = listen_to("sub", CHANGES | IN_MOVE_SELF, "one");
	assert_return_code(rename("sub", "other"), errno);
	assert_string_equal(heard_by(one), "- ");
	end(one);
}

TEST_WITH(watch_ends_with_its_last_subscription, set_up, tear_down)
{
	struct listener *first = listen_to(".", CHANGES, NULL);
	struct listener *second = listen_to(".", CHANGES, NULL);
	end(first);
	assert_int_equal(inotify_watch_count(inotify), 1);
	write_file("file", "");
	assert_string_equal(heard_by(second), "file ");
	write_file("late", "");
	end(second);
	assert_int_equal(inotify_watch_count(inotify), 0);
	/* Events that are left in the queue reach no subscription, not even the next one. */
	struct listener *third = listen_to(".", CHANGES, NULL);
	assert_string_equal(heard_by(third), "");
	end(third);
}

TEST_WITH(inode_that_goes_ends_all_its_subscriptions, set_up, tear_down)
{
	write_file("file", "");
	struct listener *first = listen_to("file", IN_ATTRIB, NULL);
	struct listener *second = listen_to("file", IN_MODIFY, NULL);
	assert_return_code(unlink("file"), errno);
	heard_by(second);
	assert_true(first->masks & IN_IGNORED && second->masks & IN_IGNORED);
	assert_false(inotify_is_subscribed(&first->subscription));
	assert_false(inotify_is_subscribed(&second->subscription));
	assert_int_equal(inotify_watch_count(inotify), 0);
	end(first);
	end(second);
}

TEST_WITH(overflow_is_reported_once_for_all, set_up, tear_down)
{
	char names[2][16] = {"one", "two"};
	struct listener *all = listen_to(".", CHANGES, NULL);
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	int most = 16384;
	assert_true(!limit || fscanf(limit, "%d", &most) == 1);
	if (limit)
		fclose(limit);
	if (most > 1 << 17) {
		end(all);
		skip();
	}
	write_file(names[0], "");
	for (int i = 0; i <= most; i++)
		assert_return_code(rename(names[i % 2], names[(i + 1) % 2]), errno);
	heard_by(all);
	assert_int_equal(losses, 1);
	end(all);
}

/* Returns the number of watches of the descriptor in the kernel. */
static unsigned watches_of(int fd)
{
	char path[64], line[512];
	unsigned count = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += strncmp(line, "inotify ", 8) == 0;
	fclose(file);
	return count;
}

TEST_WITH(watch_that_was_taken_over_and_that_nobody_wants_ends_with_its_first_event, set_up,
	tear_down)
{
	struct inotify *before;

	mkdir("wanted", 0755);
	mkdir("not-wanted", 0755);
	struct listener *one = listen_to("wanted", CHANGES, NULL);
	struct listener *other = listen_to("not-wanted", CHANGES, NULL);
	before = inotify;
	assert_int_equal(inotify_new(&inotify), 0);
	assert_int_equal(inotify_take_over(inotify, inotify_fd(before)), 0);
	struct listener *next = listen_to("wanted", CHANGES, NULL);
	assert_int_equal(watches_of(inotify_fd(inotify)), 2);
	write_file("wanted/a", "");
	write_file("not-wanted/a", "");
	assert_string_equal(heard_by(next), "a ");
	assert_int_equal(watches_of(inotify_fd(inotify)), 1);
	write_file("wanted/b", "");
	assert_string_equal(heard_by(next), "b ");
	end(next);
	inotify_free(inotify);
	inotify = before;
	end(one);
	end(other);
}
