/*
 * A layer is never left, never written to and never blocks. All tests run twice: with openat2(2),
 * and with a seccomp filter that takes it away.
 */
#include "layer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "cleanup.h"
#include "descriptor.h"
#include "opening.h"
#include "skip.h"

/* The directory that all is in; the working directory of the test. */
static char place[] = "/tmp/plyfs-layer-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/*
 *      place/ ── outside.yaml
 *       ├── other/ ── deep.yaml
 *       └── layer/ ── app.yaml
 *            ├── dir/ ── deep.yaml
 *            ├── inner -> dir      file_link -> app.yaml     dangling -> nothing
 *            ├── out -> ../other   out_file -> ../outside.yaml   loop -> loop
 *            └── pipe, socket
 */
static int make_tree(void **state)
{
	(void)state;
	strcpy(place + sizeof(place) - 7, "XXXXXX");
	if (!mkdtemp(place) || chdir(place) < 0)
		return -1;
	assert_int_equal(mkdir("layer", 0755), 0);
	assert_int_equal(mkdir("layer/dir", 0755), 0);
	assert_int_equal(mkdir("other", 0755), 0);
	write_file("outside.yaml", "outside\n");
	write_file("other/deep.yaml", "other\n");
	write_file("layer/app.yaml", "inside\n");
	write_file("layer/dir/deep.yaml", "deep\n");
	assert_int_equal(symlink("dir", "layer/inner"), 0);
	assert_int_equal(symlink("app.yaml", "layer/file_link"), 0);
	assert_int_equal(symlink("nothing", "layer/dangling"), 0);
	assert_int_equal(symlink("../other", "layer/out"), 0);
	assert_int_equal(symlink("../outside.yaml", "layer/out_file"), 0);
	assert_int_equal(symlink("loop", "layer/loop"), 0);
	assert_int_equal(mkfifo("layer/pipe", 0644), 0);

	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "layer/socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	return 0;
}

static int remove_tree(void **state)
{
	char command[sizeof(place) + 16];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", place);
	return chdir("/") < 0 || system(command) != 0;
}

static struct layer *open_layer(bool follow)
{
	struct layer *layer = NULL;

	assert_int_equal(layer_open("site", "layer", 1, false, follow, &layer), 0);
	return layer;
}

static void read_all(int fd, char *buffer, size_t size)
{
	ssize_t len = read(fd, buffer, size - 1);

	assert_true(len >= 0);
	buffer[len] = '\0';
	close(fd);
}

static void a_regular_file_is_read(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;
	char text[16];
	int fd;

	(void)state;
	fd = layer_open_file(layer, "dir/deep.yaml", &stat);
	assert_true(fd >= 0);
	assert_int_equal(stat.st_size, 5);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	read_all(fd, text, sizeof(text));
	assert_string_equal(text, "deep\n");
}

static void the_empty_path_is_the_layer_itself(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat, expected;
	int fd;

	(void)state;
	assert_int_equal(lstat("layer", &expected), 0);
	assert_int_equal(layer_stat(layer, "", &stat), 0);
	assert_int_equal(stat.st_ino, expected.st_ino);
	assert_int_equal(layer_open_file(layer, "", &stat), -ENOENT);
	fd = layer_open_directory(layer, "");
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &stat), 0);
	assert_int_equal(stat.st_ino, expected.st_ino);
	close(fd);
}

static void what_is_not_there_is_absent(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;
	char *target;

	(void)state;
	assert_int_equal(layer_stat(layer, "none", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "dir/none", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "app.yaml/none", &stat), -ENOTDIR);
	assert_int_equal(layer_stat(layer, "app.yaml/", &stat), -ENOTDIR);
	assert_int_equal(layer_open_file(layer, "none", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(layer, "app.yaml"), -ENOTDIR);
	assert_int_equal(layer_read_link(layer, "none", &target), -ENOENT);
}

static void what_is_no_regular_file_is_not_opened(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(layer_freep) struct layer *following = open_layer(true);
	static const char *const names[] = {"pipe", "socket", "dir"};
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(layer_open_file(layer, names[i], &stat), -ENOENT);
		assert_int_equal(layer_open_file(following, names[i], &stat), -ENOENT);
	}
	assert_int_equal(layer_open_file(layer, "file_link", &stat), -ENOENT);
}

static void a_path_out_of_the_layer_is_refused(void **state)
{
	static const char *const paths[] = {"..", "../outside.yaml", "dir/../../outside.yaml",
		"dir/..", "/etc/passwd", "/", "dir/../app.yaml"};
	struct stat stat;
	char *target;

	(void)state;
	for (int follow = 0; follow < 2; follow++) {
		CLEANUP(layer_freep) struct layer *layer = open_layer(follow);

		for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
			assert_int_equal(layer_stat(layer, paths[i], &stat), -EXDEV);
			assert_int_equal(layer_open_file(layer, paths[i], &stat), -EXDEV);
			assert_int_equal(layer_open_directory(layer, paths[i]), -EXDEV);
			assert_int_equal(layer_read_link(layer, paths[i], &target), -EXDEV);
		}
		/* Two dots at the beginning of a name are only a name. */
		assert_int_equal(layer_stat(layer, "..app/...", &stat), -ENOENT);
	}
}

static void links_are_links_without_follow(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(freep) char *target = NULL;
	struct stat stat;

	(void)state;
	assert_int_equal(layer_stat(layer, "out_file", &stat), 0);
	assert_true(S_ISLNK(stat.st_mode));
	assert_int_equal(layer_stat(layer, "dir/../loop", &stat), -EXDEV);
	assert_int_equal(layer_read_link(layer, "out_file", &target), 0);
	assert_string_equal(target, "../outside.yaml");
	assert_int_equal(layer_read_link(layer, "app.yaml", &target), -EINVAL);
	assert_int_equal(layer_read_link(layer, "dir", &target), -EINVAL);
}

static void a_link_on_the_way_is_no_directory_without_follow(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	static const char *const paths[] = {
		"out/deep.yaml", "inner/deep.yaml", "loop/deep.yaml", "out/", "loop/"};
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(layer_stat(layer, paths[i], &stat), -ENOTDIR);
		assert_int_equal(layer_open_file(layer, paths[i], &stat), -ENOTDIR);
		assert_int_equal(layer_open_directory(layer, paths[i]), -ENOTDIR);
	}
	assert_int_equal(layer_open_directory(layer, "out"), -ENOTDIR);
	assert_int_equal(layer_open_directory(layer, "inner"), -ENOTDIR);
}

static void follow_allows_links_also_out_of_the_layer(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	CLEANUP(freep) char *target = NULL;
	struct stat stat;
	char text[16];
	int fd;

	(void)state;
	assert_int_equal(layer_stat(layer, "out_file", &stat), 0);
	assert_true(S_ISREG(stat.st_mode));
	fd = layer_open_file(layer, "out/deep.yaml", &stat);
	assert_true(fd >= 0);
	read_all(fd, text, sizeof(text));
	assert_string_equal(text, "other\n");
	assert_int_equal(layer_stat(layer, "dangling", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "loop", &stat), -ELOOP);
	assert_int_equal(layer_read_link(layer, "out/deep.yaml", &target), -EINVAL);
	assert_int_equal(layer_read_link(layer, "out_file", &target), 0);
	assert_string_equal(target, "../outside.yaml");
}

/* It would be read as we are, not as who reads the mount. */
static void follow_leads_not_into_what_the_kernel_tells(void **state)
{
	static const char *const targets[] = {"/proc/self/maps", "/proc/self", "/sys/kernel"};
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		assert_int_equal(symlink(targets[i], "layer/kernel"), 0);
		int of_stat = layer_stat(layer, "kernel", &stat);
		int of_file = layer_open_file(layer, "kernel", &stat);
		int of_directory = layer_open_directory(layer, "kernel");
		unlink("layer/kernel");
		assert_int_equal(of_stat, -EACCES);
		assert_int_equal(of_file, -EACCES);
		assert_int_equal(of_directory, i ? -EACCES : -ENOTDIR);
	}
}

/* Who may write to a directory that is open to all must not choose what we read as ourselves. */
static void follow_falls_into_no_trap(void **state)
{
	static const struct {
		mode_t mode;
		uid_t directory, link;
		bool is_followed;
	} cases[] = {{01777, 0, 4711, false}, {01777, 4712, 4711, false}, {01777, 4711, 4711, true},
		{01777, 4711, 0, true}, {01777, 0, 0, true}, {0777, 0, 4711, true},
		{01775, 0, 4711, true}};
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct stat stat;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir("layer/shared", 0755), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int wanted = cases[i].is_followed ? 0 : -EACCES;
		/* One that is the last name, and one on the way. */
		assert_int_equal(symlink("../../outside.yaml", "layer/shared/trap"), 0);
		assert_int_equal(symlink("../../other", "layer/shared/way"), 0);
		assert_int_equal(lchown("layer/shared/trap", cases[i].link, 0), 0);
		assert_int_equal(lchown("layer/shared/way", cases[i].link, 0), 0);
		assert_int_equal(chown("layer/shared", cases[i].directory, 0), 0);
		assert_int_equal(chmod("layer/shared", cases[i].mode), 0);
		int of_stat = layer_stat(layer, "shared/trap", &stat);
		int of_directory = layer_open_directory(layer, "shared/way");
		int of_file = layer_open_file(layer, "shared/way/deep.yaml", &stat);
		CLEANUP(freep) char *target = NULL;
		int of_link = layer_read_link(layer, "shared/trap", &target);
		unlink("layer/shared/trap");
		unlink("layer/shared/way");
		close(of_directory);
		close(of_file);
		assert_int_equal(of_stat, wanted);
		assert_int_equal(of_directory < 0 ? of_directory : 0, wanted);
		assert_int_equal(of_file < 0 ? of_file : 0, wanted);
		assert_int_equal(of_link, 0);
	}
	rmdir("layer/shared");
}

struct listing {
	char text[512];
	int stop_at;
	int count;
};

static int note(void *context, const char *name, unsigned char type)
{
	struct listing *listing = context;
	size_t len = strlen(listing->text);

	(void)snprintf(listing->text + len, sizeof(listing->text) - len, " %s:%d ", name, type);
	return ++listing->count == listing->stop_at ? 77 : 0;
}

static void assert_listed(const struct listing *listing, const char *name, int type)
{
	char entry[64];

	(void)snprintf(entry, sizeof(entry), " %s:%d ", name, type);
	if (!strstr(listing->text, entry))
		fail_msg("no '%s' in '%s'", entry, listing->text);
}

static void every_name_is_listed_with_its_type(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {0};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_int_equal(listing.count, 10);
	assert_listed(&listing, "app.yaml", DT_REG);
	assert_listed(&listing, "dir", DT_DIR);
	assert_listed(&listing, "pipe", DT_FIFO);
	assert_listed(&listing, "out", DT_LNK);
	assert_listed(&listing, "dangling", DT_LNK);
	assert_int_equal(layer_list(layer, "none", note, &listing), -ENOENT);
	assert_int_equal(layer_list(layer, "out", note, &listing), -ENOTDIR);
}

static void a_following_layer_lists_what_its_links_lead_to(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct listing listing = {0};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_listed(&listing, "out", DT_DIR);
	assert_listed(&listing, "out_file", DT_REG);
	assert_listed(&listing, "loop", DT_LNK);
	assert_null(strstr(listing.text, "dangling"));
}

/* As a volume of Kubernetes has them: ..data -> ..2024_1, and app.yaml -> ..data/app.yaml. */
static void names_that_begin_with_two_dots_are_hidden_where_links_are_followed(void **state)
{
	CLEANUP(layer_freep) struct layer *following = open_layer(true);
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {0};
	struct stat stat;

	(void)state;
	assert_int_equal(mkdir("layer/..2024_1", 0755), 0);
	write_file("layer/..2024_1/volume.yaml", "x: 1\n");
	assert_int_equal(symlink("..2024_1", "layer/..data"), 0);
	assert_int_equal(symlink("..data/volume.yaml", "layer/volume.yaml"), 0);
	assert_int_equal(layer_stat(following, "..data", &stat), -ENOENT);
	assert_int_equal(layer_stat(following, "..data/volume.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(following, "dir/..2024_1"), -ENOENT);
	assert_int_equal(layer_stat(following, "volume.yaml", &stat), 0);
	assert_int_equal(layer_list(following, "", note, &listing), 0);
	assert_null(strstr(listing.text, ".."));
	assert_listed(&listing, "volume.yaml", DT_REG);

	listing = (struct listing){0};
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_listed(&listing, "..data", DT_LNK);
	assert_int_equal(layer_stat(layer, "..2024_1/volume.yaml", &stat), 0);
	assert_int_equal(unlink("layer/volume.yaml"), 0);
	assert_int_equal(unlink("layer/..data"), 0);
	assert_int_equal(unlink("layer/..2024_1/volume.yaml"), 0);
	assert_int_equal(rmdir("layer/..2024_1"), 0);
}

static void a_listing_ends_when_its_caller_says_so(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {.stop_at = 3};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 77);
	assert_int_equal(listing.count, 3);
}

static void a_renamed_layer_stays_the_same_directory(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;

	(void)state;
	assert_int_equal(rename("layer", "renamed"), 0);
	assert_int_equal(layer_stat(layer, "dir/deep.yaml", &stat), 0);
	assert_int_equal(rename("renamed", "layer"), 0);
}

static void a_missing_layer_is_empty_only_when_optional(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = NULL;
	struct listing listing = {0};
	struct stat stat;

	(void)state;
	assert_int_equal(layer_open("x", "none", 0, false, false, &layer), -ENOENT);
	assert_int_equal(layer_open("x", "outside.yaml", 0, false, false, &layer), -ENOTDIR);
	assert_null(layer);
	assert_int_equal(layer_open("x", "outside.yaml", 0, true, false, &layer), -ENOTDIR);
	assert_null(layer);
	assert_int_equal(layer_open("x", "none", 0, true, false, &layer), 0);
	assert_int_equal(layer->dirfd, -1);
	assert_int_equal(layer_stat(layer, "", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "app.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_file(layer, "app.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(layer, ""), -ENOENT);
	assert_int_equal(layer_list(layer, "", note, &listing), -ENOENT);
}

static void an_unreadable_layer_is_refused_at_once(void **state)
{
	struct layer *layer = NULL;
	bool is_root = geteuid() == 0;
	int r;

	(void)state;
	assert_int_equal(mkdir("locked", 0111), 0);
	/* Root may read everything; nobody may not, and has to be let into the place. */
	if (is_root) {
		assert_int_equal(chmod(".", 0711), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	r = layer_open("x", "locked", 0, true, false, &layer);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_int_equal(rmdir("locked"), 0);
}

/* Who opens for a process in a sandbox, and what happens to "layer/locked" just when he is asked.
 */
static enum fate { STAYS, GOES, IS_REPLACED } fate;
static unsigned asked;

static int refuse_what_was_there(int path_fd, int flags, bool is_setting)
{
	char path[DESCRIPTOR_LINK_MAX];

	(void)is_setting;
	asked++;
	descriptor_link(path_fd, path);
	if (asked > 1 && fate == IS_REPLACED)
		return open(path, flags | O_CLOEXEC);
	if (fate == GOES)
		assert_int_equal(unlink("layer/locked"), 0);
	if (fate == IS_REPLACED)
		assert_int_equal(rename("layer/next", "layer/locked"), 0);
	return -EACCES;
}

static void what_has_gone_while_another_opened_it_is_not_denied(void **state)
{
	const struct {
		enum fate fate;
		int wanted;
		unsigned asked;
	} cases[] = {{STAYS, -EACCES, 1}, {GOES, -ENOENT, 1}, {IS_REPLACED, 0, 2}};
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	bool is_root = geteuid() == 0;
	struct stat stat;

	(void)state;
	/* Root may read everything; nobody may not, and has to be let into the place. */
	assert_int_equal(chmod(".", 0711), 0);
	assert_int_equal(chmod("layer", 0777), 0);
	opening_delegate(&(struct opening_delegate){.open = refuse_what_was_there});
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fate = cases[i].fate;
		asked = 0;
		write_file("layer/locked", "");
		write_file("layer/next", "");
		assert_int_equal(chmod("layer/locked", 0), 0);
		assert_true(!is_root || seteuid(65534) == 0);
		CLEANUP(closep) int fd = layer_open_file(layer, "locked", &stat);
		assert_true(!is_root || seteuid(0) == 0);
		assert_int_equal(fd < 0 ? fd : 0, cases[i].wanted);
		assert_int_equal(asked, cases[i].asked);
		unlink("layer/locked");
		unlink("layer/next");
	}
	opening_delegate(&(struct opening_delegate){0});
}

static void names_of_any_bytes_and_lengths_are_taken(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	char name[NAME_MAX + 2], path[PATH_MAX + 2];
	struct stat stat;
	int fd;

	(void)state;
	write_file("layer/\xff\n *", "odd\n");
	fd = layer_open_file(layer, "\xff\n *", &stat);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink("layer/\xff\n *"), 0);

	memset(name, 'n', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(layer_stat(layer, name, &stat), -ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(layer_stat(layer, name, &stat), -ENOENT);

	memset(path, '/', sizeof(path));
	for (size_t i = 0; i < sizeof(path); i += 2)
		path[i] = '.';
	path[PATH_MAX] = '\0';
	assert_int_equal(layer_stat(layer, path, &stat), -ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	assert_int_equal(layer_stat(layer, path, &stat), 0);
	assert_true(S_ISDIR(stat.st_mode));
}

static void long_link_targets_are_whole(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(freep) char *target = NULL;
	char expected[PATH_MAX];

	(void)state;
	memset(expected, 't', sizeof(expected));
	expected[sizeof(expected) - 1] = '\0';
	assert_int_equal(symlink(expected, "layer/long"), 0);
	assert_int_equal(layer_read_link(layer, "long", &target), 0);
	assert_string_equal(target, expected);
	assert_int_equal(unlink("layer/long"), 0);
}

static void a_source_is_named_as_the_user_wrote_the_layer(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(layer_freep) struct layer *slash = NULL;
	char *name = NULL;

	(void)state;
	assert_int_equal(layer_source_name(layer, "dir/deep.yaml", &name), 0);
	assert_string_equal(name, "layer/dir/deep.yaml");
	free(name);
	assert_int_equal(layer_source_name(layer, "", &name), 0);
	assert_string_equal(name, "layer");
	free(name);
	assert_int_equal(layer_open("x", "layer/", 0, false, false, &slash), 0);
	assert_int_equal(layer_source_name(slash, "app.yaml", &name), 0);
	assert_string_equal(name, "layer/app.yaml");
	free(name);
}

static void no_descriptor_is_lost(void **state)
{
	int before = dup(0), after;

	close(before);
	a_regular_file_is_read(state);
	what_is_not_there_is_absent(state);
	what_is_no_regular_file_is_not_opened(state);
	a_path_out_of_the_layer_is_refused(state);
	a_link_on_the_way_is_no_directory_without_follow(state);
	follow_allows_links_also_out_of_the_layer(state);
	every_name_is_listed_with_its_type(state);
	a_missing_layer_is_empty_only_when_optional(state);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static long open_by_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC};

	return syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));
}

/* From here on openat2(2) fails in this process, as on an old kernel. */
static void all_of_it_holds_without_openat2(void **state)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	(void)state;
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		skip_because("system calls can't be filtered here");
	assert_int_equal(open_by_openat2(), -1);
	assert_int_equal(errno, ENOSYS);
}

#define TESTS                                                                                      \
	cmocka_unit_test(a_regular_file_is_read),                                                  \
		cmocka_unit_test(the_empty_path_is_the_layer_itself),                              \
		cmocka_unit_test(what_is_not_there_is_absent),                                     \
		cmocka_unit_test(what_is_no_regular_file_is_not_opened),                           \
		cmocka_unit_test(a_path_out_of_the_layer_is_refused),                              \
		cmocka_unit_test(links_are_links_without_follow),                                  \
		cmocka_unit_test(a_link_on_the_way_is_no_directory_without_follow),                \
		cmocka_unit_test(follow_allows_links_also_out_of_the_layer),                       \
		cmocka_unit_test(follow_leads_not_into_what_the_kernel_tells),                     \
		cmocka_unit_test(follow_falls_into_no_trap),                                       \
		cmocka_unit_test(every_name_is_listed_with_its_type),                              \
		cmocka_unit_test(a_following_layer_lists_what_its_links_lead_to),                  \
		cmocka_unit_test(                                                                  \
			names_that_begin_with_two_dots_are_hidden_where_links_are_followed),       \
		cmocka_unit_test(a_listing_ends_when_its_caller_says_so),                          \
		cmocka_unit_test(a_renamed_layer_stays_the_same_directory),                        \
		cmocka_unit_test(a_missing_layer_is_empty_only_when_optional),                     \
		cmocka_unit_test(an_unreadable_layer_is_refused_at_once),                          \
		cmocka_unit_test(what_has_gone_while_another_opened_it_is_not_denied),             \
		cmocka_unit_test(names_of_any_bytes_and_lengths_are_taken),                        \
		cmocka_unit_test(long_link_targets_are_whole),                                     \
		cmocka_unit_test(a_source_is_named_as_the_user_wrote_the_layer),                   \
		cmocka_unit_test(no_descriptor_is_lost)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS, cmocka_unit_test(all_of_it_holds_without_openat2), TESTS};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
