/*
 * A mirror's directory is recognised as one, by any path and whatever has become of it; and its
 * status is trusted as far as its owner is.
 */
#include "store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "place.h"
#include "test.h"

#define STATUS                                                                                     \
	"{\"kind\": \"etcd\", \"source\": \"/fleet/\", \"identity\": \"7\", \"revision\": "        \
	"\"12\", \"access\": {\"endpoints\": \"http://a:1\", \"user_file\": \"/u\"}}"

static int readlink_errno, openat_errno;

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
	errno = openat_errno;
	return openat_errno ? -1 : __real_openat64(at, path, flags, mode);
}

ssize_t __real_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	errno = readlink_errno;
	return readlink_errno ? -1 : __real_readlink(path, to, size);
}

/* STATE/tree.3/sub, with a status and a lock. */
static int set_up(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir -p STATE/tree.3/sub");
	write_file("STATE/status.json", STATUS);
	write_file("STATE/lock", "");
	return 0;
}

static struct store *find(const char *path)
{
	CLEANUP(closep) int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct store *store = NULL;

	assert_true(fd >= 0);
	assert_int_equal(store_find(fd, &store), 0);
	return store;
}

TEST_WITH(tree_and_what_is_in_it_are_a_mirrors, set_up, leave_place)
{
	assert_int_equal(symlink("STATE/tree.3", "fleet"), 0);
	CLEANUP(store_freep) struct store *store = find("fleet/sub");
	CLEANUP(freep) char *name = NULL;

	assert_non_null(store);
	assert_int_equal(store->kind, STORE_ETCD);
	assert_string_equal(store->tree, "tree.3");
	assert_string_equal(store->endpoints, "http://a:1");
	assert_string_equal(store->user_file, "/u");
	assert_string_equal(store->cert, "");
	assert_int_equal(store_name(store, "app.yaml", &name), 0);
	assert_string_equal(name, "/fleet/sub/app.yaml");
	assert_int_equal(store_revision(store), 12);
	assert_int_equal(store->owner, geteuid());
	assert_false(store->is_shared);
	assert_false(store_is_kept(store));
}

TEST_WITH(other_directories_are_nobodys, set_up, leave_place)
{
	assert_int_equal(mkdir("tree.3", 0755), 0);
	assert_int_equal(mkdir("spare", 0755), 0);
	assert_int_equal(mkdir("STATE/tree.x", 0755), 0);
	assert_null(find("tree.3"));
	assert_null(find("spare"));
	assert_null(find("STATE/tree.x"));
	assert_null(find("/"));
}

TEST_WITH(status_that_others_may_write_is_shared, set_up, leave_place)
{
	assert_int_equal(chmod("STATE", 0775), 0);
	CLEANUP(store_freep) struct store *wide = find("STATE/tree.3");
	assert_true(wide->is_shared);
	assert_int_equal(chmod("STATE", 0755), 0);
	assert_int_equal(chmod("STATE/status.json", 0666), 0);
	CLEANUP(store_freep) struct store *open = find("STATE/tree.3");
	assert_true(open->is_shared);
}

TEST_WITH(tree_without_a_status_is_a_mirrors_all_the_same, set_up, leave_place)
{
	assert_int_equal(unlink("STATE/status.json"), 0);
	CLEANUP(store_freep) struct store *store = find("STATE/tree.3");
	assert_non_null(store);
	assert_int_equal(store->kind, STORE_UNKNOWN);
	assert_true(store->is_shared);
}

TEST_WITH(tree_that_was_replaced_is_known, set_up, leave_place)
{
	CLEANUP(closep) int fd = open("STATE/tree.3/sub", O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(store_freep) struct store *recycled = NULL, *gone = NULL;

	assert_false(store_is_replaced(fd));
	assert_int_equal(rename("STATE/tree.3", "STATE/spare"), 0);
	assert_true(store_is_replaced(fd));
	assert_int_equal(store_find(fd, &recycled), 0);
	assert_non_null(recycled);
	assert_string_equal(recycled->tree, "spare");
	assert_int_equal(rmdir("STATE/spare/sub"), 0);
	assert_true(store_is_replaced(fd));
	assert_int_equal(store_find(fd, &gone), 0);
	assert_non_null(gone);
	assert_string_equal(gone->inner, "sub/");
}

TEST_WITH(tree_counts_as_replaced_while_its_place_can_not_be_read, set_up, leave_place)
{
	CLEANUP(closep) int fd = open("STATE/tree.3", O_PATH | O_DIRECTORY | O_CLOEXEC);

	readlink_errno = ENOMEM;
	assert_true(store_is_replaced(fd));
	readlink_errno = ENOENT;
	assert_false(store_is_replaced(fd));
	readlink_errno = 0;
}

TEST_WITH(status_that_can_not_be_opened_in_a_shortage_is_an_error, set_up, leave_place)
{
	CLEANUP(closep) int fd = open("STATE/tree.3", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct store *store = NULL;

	openat_errno = EMFILE;
	int r = store_find(fd, &store);
	openat_errno = 0;
	assert_int_equal(r, -EMFILE);
	assert_null(store);
}

TEST_WITH(tree_is_held_until_the_store_is_freed, set_up, leave_place)
{
	struct store *store = find("STATE/tree.3/sub");
	int fd = open("STATE/tree.3", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	store_hold(store);
	store_hold(store);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	store_freep(&store);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
}

/* Keys make a tree, a lock and a status of their own. */
TEST_WITH(outermost_tree_counts, set_up, leave_place)
{
	assert_int_equal(mkdir("STATE/tree.3/sub/tree.1", 0755), 0);
	write_file("STATE/tree.3/sub/lock", "");
	write_file("STATE/tree.3/sub/status.json", "{\"kind\": \"etcd\", \"source\": \"/evil/\"}");
	CLEANUP(store_freep) struct store *store = find("STATE/tree.3/sub/tree.1");
	assert_string_equal(store->prefix, "/fleet/");
	assert_string_equal(store->inner, "sub/tree.1/");
}
