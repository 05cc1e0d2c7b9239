#include "workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "path.h"
#include "text.h"

/* The place of root's workspaces. Other users can't make names in it. */
#define RUN_DIRECTORY "/run/plyfs"

/* How deep directories that a program has left are removed. Deeper ones stay. */
#define DEPTH_MAX 32

/* Returns whether RUN_DIRECTORY is usable: other users may pass through it, but not write. */
static bool has_run_directory(void)
{
	struct stat stat;

	if (geteuid() != 0)
		return false;
	(void)mkdir(RUN_DIRECTORY, 0711);
	return lstat(RUN_DIRECTORY, &stat) == 0 && S_ISDIR(stat.st_mode) && stat.st_uid == 0 &&
	       !(stat.st_mode & 022) && (stat.st_mode & 0111) == 0111;
}

int workspace_make(struct workspace *workspace)
{
	strcpy(workspace->path, RUN_DIRECTORY "/run-XXXXXX");
	if (has_run_directory() && mkdtemp(workspace->path))
		return 0;
	strcpy(workspace->path, "/tmp/plyfs-run-XXXXXX");
	if (mkdtemp(workspace->path))
		return 0;
	workspace->path[0] = '\0';
	return -errno;
}

int workspace_fill(const struct workspace *workspace, int fd, const char *path, uid_t uid,
	gid_t gid, char **ret)
{
	CLEANUP(freep) char *name = NULL;

	if (text_format(&name, "%s/%s", workspace->path, path_name(path)) < 0)
		return -ENOMEM;
	CLEANUP(closep)
	int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (file < 0)
		return -errno;
	int r = text_copy(fd, file);
	if (r < 0)
		return r;
	if (geteuid() == 0 && (fchown(file, uid, gid) < 0 || chown(workspace->path, uid, gid) < 0))
		return -errno;
	*ret = take_ptr(name);
	return 0;
}

/* Removes the content of the directory `fd`, and closes it. Links are removed, not followed. */
static void empty(int fd, unsigned depth)
{
	DIR *directory = fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			unlinkat(dirfd(directory), name, 0) == 0 || depth == DEPTH_MAX)
			continue;
		int child = openat(
			dirfd(directory), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child >= 0)
			empty(child, depth + 1);
		unlinkat(dirfd(directory), name, AT_REMOVEDIR);
	}
	closedir(directory);
}

void workspace_remove(const struct workspace *workspace)
{
	if (!workspace->path[0])
		return;
	int fd = open(workspace->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd, 0);
	rmdir(workspace->path);
}
