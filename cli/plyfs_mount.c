#include "plyfs_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "handover.h"
#include "limit.h"
#include "message.h"
#include "mount_table.h"
#include "text.h"

#define FILE_SYSTEM_TYPE "fuse.plyfs"
#define STATUS_FILE ".plyfs/status"

/* Maximum number of concurrent probes: each is a process and a descriptor. */
#define PROBES_MAX 64

static bool is_in(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (strcmp(directory, "/") == 0)
		return true;
	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The state of a search for the mount that a path lies in. */
struct mount_search {
	const char *path; /* absolute, without links */
	struct table_mount found;
	bool is_found;
};

/* The innermost mountpoint counts, and of several mounts there the last one. */
static bool match(void *context, const struct table_mount *mount)
{
	struct mount_search *search = context;

	if (is_in(search->path, mount->path) &&
		(!search->is_found || strlen(mount->path) >= strlen(search->found.path))) {
		search->found = *mount;
		search->is_found = true;
	}
	return false;
}

int plyfs_mount_find(const char *path, char **ret)
{
	CLEANUP(freep) char *real = NULL;
	struct mount_search search = {0};

	int r = probe_real_path(PROBE_MS, path, &real);
	search.path = real;
	if (r == 0)
		r = mount_table_each(-1, match, &search);
	if (r < 0)
		return r;
	if (!search.is_found || strcmp(search.found.type, FILE_SYSTEM_TYPE) != 0)
		return -ENOENT;
	*ret = strdup(search.found.path);
	return *ret ? 0 : -ENOMEM;
}

void plyfs_mount_fini(struct plyfs_mounts *mounted)
{
	for (size_t i = 0; i < mounted->count; i++)
		free(mounted->paths[i]);
	free(mounted->paths);
}

static bool has(const struct plyfs_mounts *mounted, const char *path)
{
	for (size_t i = 0; i < mounted->count; i++)
		if (strcmp(mounted->paths[i], path) == 0)
			return true;
	return false;
}

struct mount_collection {
	struct plyfs_mounts mounted;
	size_t capacity;
	bool (*is_wanted)(const struct table_mount *mount);
	int result;
};

static bool add(void *context, const struct table_mount *mount)
{
	struct mount_collection *list = context;
	struct plyfs_mounts *mounted = &list->mounted;

	if (!list->is_wanted(mount) || has(mounted, mount->path))
		return false;
	list->result = array_grow(mounted->paths, mounted->count, list->capacity);
	if (list->result < 0)
		return true;
	mounted->paths[mounted->count] = strdup(mount->path);
	list->result = mounted->paths[mounted->count] ? 0 : -ENOMEM;
	mounted->count += list->result == 0;
	return list->result < 0;
}

static int list_mounts(bool (*is_wanted)(const struct table_mount *mount), struct plyfs_mounts *ret)
{
	struct mount_collection list = {.is_wanted = is_wanted};

	int r = mount_table_each(-1, add, &list);
	if (r == 0)
		r = list.result;
	if (r < 0)
		plyfs_mount_fini(&list.mounted);
	else
		*ret = list.mounted;
	return r;
}

static bool is_plyfs(const struct table_mount *mount)
{
	return strcmp(mount->root, "/") == 0 && strcmp(mount->type, FILE_SYSTEM_TYPE) == 0;
}

int plyfs_mount_all(struct plyfs_mounts *ret)
{
	return list_mounts(is_plyfs, ret);
}

int plyfs_mount_status_within(const char *mountpoint, char **ret, size_t *ret_len)
{
	CLEANUP(freep) char *file = NULL;
	struct stat found;

	if (asprintf(&file, "%s/" STATUS_FILE, mountpoint) < 0)
		return -ENOMEM;
	/* In a rendered tree, or another user's mount, any kind of file may be there. */
	CLEANUP(closep)
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = fstat(fd, &found) < 0 ? -errno : S_ISREG(found.st_mode) ? 0 : -EINVAL;
	return r == 0 ? text_read(fd, LIMITS_DEFAULT.source_bytes, ret, ret_len) : r;
}

static int write_status(void *context, const char *mountpoint, int out)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;

	(void)context;
	int r = plyfs_mount_status_within(mountpoint, &text, &len);
	return r == 0 ? text_write(out, text, len) : r;
}

/* A call on one mount. */
struct asked {
	plyfs_mount_call *call;
	void *context;
	const char *mountpoint;
};

static int make_call(void *context, int out)
{
	const struct asked *asked = context;

	return asked->call(asked->context, asked->mountpoint, out);
}

int plyfs_mount_status(const char *mountpoint, char **ret, size_t *ret_len)
{
	struct asked asked = {write_status, NULL, mountpoint};

	return probe_run(PROBE_MS, make_call, &asked, ret, ret_len);
}

int plyfs_mount_read_report(
	const char *mountpoint, struct span text, struct document **ret, struct problem *problem)
{
	const struct source source = {.name = mountpoint, .layer = ""};
	const struct read_options options = {.format = &format_json};

	return document_read(&source, text, &options, ret, problem);
}

int plyfs_mount_report(const char *mountpoint, struct document **ret, struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;

	int r = plyfs_mount_status(mountpoint, &text, &len);
	return r < 0 ? r
		     : plyfs_mount_read_report(mountpoint, (struct span){text, len}, ret, problem);
}

int plyfs_mount_each(const struct plyfs_mounts *mounted, unsigned limit_ms, plyfs_mount_call *call,
	int (*each)(void *context, const char *mountpoint, int result, struct span text),
	void *context)
{
	struct probe probes[PROBES_MAX];
	int result = 0;

	for (size_t done = 0; done < mounted->count && result == 0;) {
		size_t count = mounted->count - done;
		if (count > PROBES_MAX)
			count = PROBES_MAX;
		for (size_t i = 0; i < count; i++) {
			struct asked asked = {
				call ? call : write_status, context, mounted->paths[done + i]};
			probe_start(&probes[i], limit_ms, make_call, &asked);
		}
		/* All probes must be ended, even after a failure. */
		for (size_t i = 0; i < count; i++) {
			CLEANUP(freep) char *text = NULL;
			size_t len = 0;
			int r = probe_end(&probes[i], &text, &len);
			if (result == 0)
				result = each(context, mounted->paths[done + i], r,
					(struct span){text ? text : "", len});
		}
		done += count;
	}
	return result;
}

/* Returns whether the mount depends on another process or machine. */
static bool may_be_silent(const struct table_mount *mount)
{
	static const char *const types[] = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs",
		"coda", "autofs", "lustre", "gfs2", "ocfs2"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(mount->type, types[i], strlen(types[i])) == 0 &&
			strcmp(mount->type, "fusectl") != 0)
			return true;
	return false;
}

static int ask(void *context, const char *mountpoint, int out)
{
	struct statfs found;

	(void)context;
	(void)out;
	return statfs(mountpoint, &found) < 0 ? -errno : 0;
}

struct silence {
	const char *paths;      /* a list, "A:B" */
	const char *working;    /* the working directory */
	const char *mountpoint; /* NULL: none was found yet */
};

/* Returns whether one of the paths, as it is written, is in the mount. */
static bool names_mount(const struct silence *silence, const char *mountpoint)
{
	for (const char *at = silence->paths; *at;) {
		size_t len = strcspn(at, ":");
		char path[PATH_MAX];
		bool is_absolute = *at == '/';

		snprintf(path, sizeof(path), "%s%s%.*s", is_absolute ? "" : silence->working,
			is_absolute ? "" : "/", (int)len, at);
		if (is_in(path, mountpoint))
			return true;
		at += len;
		at += *at == ':';
	}
	return false;
}

/*
 * Takes the mount that a path is in; or else, as links may lead anywhere, the first that is silent.
 */
static int take_silent(void *context, const char *mountpoint, int result, struct span text)
{
	struct silence *silence = context;

	(void)text;
	if (result == -ETIMEDOUT && (!silence->mountpoint || names_mount(silence, mountpoint)))
		silence->mountpoint = mountpoint;
	return 0;
}

void plyfs_mount_silence(
	const char *mountpoint, unsigned limit_ms, char ret[PLYFS_MOUNT_SILENCE_MAX])
{
	struct mount_search search = {.path = mountpoint};
	pid_t pid = mount_table_each(-1, match, &search) == 0 && search.is_found
			    ? handover_server(search.found.dev)
			    : 0;
	int n = snprintf(ret, PLYFS_MOUNT_SILENCE_MAX, "%.*s: does not answer for %u s",
		PLYFS_MOUNT_SILENCE_MAX / 2, mountpoint, limit_ms / 1000);

	if (pid > 0)
		snprintf(ret + n, (size_t)(PLYFS_MOUNT_SILENCE_MAX - n), " (process %d serves it)",
			(int)pid);
}

void plyfs_mount_complain(const char *path)
{
	CLEANUP(plyfs_mount_fini) struct plyfs_mounts mounted = {0};
	char working[PATH_MAX] = "";
	struct silence silence = {.paths = path, .working = working};
	char text[PLYFS_MOUNT_SILENCE_MAX];

	(void)!getcwd(working, sizeof(working));
	if (list_mounts(may_be_silent, &mounted) == 0)
		(void)plyfs_mount_each(&mounted, PROBE_NAME_MS, ask, take_silent, &silence);
	plyfs_mount_silence(silence.mountpoint ? silence.mountpoint : path, PROBE_MS, text);
	message("%s", text);
}

bool plyfs_mount_may_be_silent(void)
{
	CLEANUP(plyfs_mount_fini) struct plyfs_mounts mounted = {0};

	return list_mounts(may_be_silent, &mounted) == 0 && mounted.count > 0;
}

/*
 * In a child. The kernel may know the attributes of a file whose file system is silent: statfs(2) and
 * read(2) ask. Only a regular file is opened: a FIFO's writer would see a reader come and go.
 */
static int touch_path(void *path, int out)
{
	struct statfs answer;
	struct stat found;
	char byte;

	(void)out;
	if (stat(path, &found) < 0 || statfs(path, &answer) < 0 || !S_ISREG(found.st_mode))
		return 0;
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		(void)!read(fd, &byte, 1);
	return 0;
}

int plyfs_mount_wait(const char *path, probe_call *call, void *context)
{
	if (!plyfs_mount_may_be_silent() ||
		probe_run(PROBE_MS, call, context, NULL, NULL) != -ETIMEDOUT)
		return EXIT_DONE;
	plyfs_mount_complain(path);
	return EXIT_FAILED;
}

int plyfs_mount_await(const char *path)
{
	return plyfs_mount_wait(path, touch_path, (void *)(uintptr_t)path);
}
