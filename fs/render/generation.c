#include "generation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "generation_link.h"
#include "layer.h"
#include "rendered_state.h"
#include "sandbox.h"
#include "text.h"

/* The name under which the next generation is made: only root and we can enter its directory. */
#define NEXT_NAME "next"

bool generation_is_beside(const struct owned *owned)
{
	return strncmp(owned->path, GENERATION_BESIDE, strlen(GENERATION_BESIDE)) == 0;
}

const char *generation_path(const struct owned *owned)
{
	return owned->path + (generation_is_beside(owned) ? strlen(GENERATION_BESIDE) : 0);
}

bool generation_has_name(const char *name)
{
	return strncmp(name, "..", 2) == 0;
}

bool generation_shows(const struct owned *owned)
{
	return owned->fingerprint.mode && owned->fate != FATE_GONE && !generation_is_beside(owned);
}

struct owned *generation_get_beside(struct rendered *rendered, const char *name)
{
	CLEANUP(freep) char *path = NULL;

	if (text_format(&path, GENERATION_BESIDE "%s", name) < 0)
		return NULL;
	return manifest_get(rendered->manifest, path);
}

static int open_layer(int at, const char *name, struct layer **ret)
{
	char path[DESCRIPTOR_LINK_MAX];
	CLEANUP(closep)
	int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	descriptor_link(fd, path);
	return rendered_open_layer(path, false, ret);
}

/* Reads the name of the shown generation, "" for none. Returns 0 or -errno. */
static int read_link(const struct rendered *rendered, char ret[GENERATION_NAME_SIZE])
{
	ssize_t n = 0;

	/* With --dry-run the directory need not exist. */
	if (rendered->place->dirfd >= 0)
		n = readlinkat(
			rendered->place->dirfd, GENERATION_LINK, ret, GENERATION_NAME_SIZE - 1);

	ret[n < 0 ? 0 : n] = '\0';
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	return strchr(ret, '/') ? -EINVAL : 0;
}

static bool is_absent(int result)
{
	return result == -ENOENT || result == -ENOTDIR || result == -ELOOP;
}

/* Finds the name of the generation that the link led to when we put it. */
static bool find_linked(
	const struct rendered *rendered, const struct owned *link, char ret[GENERATION_NAME_SIZE])
{
	const struct owned *owned;

	for (size_t i = 0; (owned = manifest_at(rendered->manifest, i)); i++) {
		const char *name = generation_path(owned);

		if (!generation_is_beside(owned) || !S_ISDIR(owned->fingerprint.mode) ||
			fingerprint_add(FINGERPRINT_HASH, span_of(name)) != link->fingerprint.hash)
			continue;
		snprintf(ret, GENERATION_NAME_SIZE, "%s", name);
		return true;
	}
	return false;
}

int generation_open(struct rendered *rendered, struct problem *problem)
{
	const struct owned *link = generation_get_beside(rendered, GENERATION_LINK);
	char name[GENERATION_NAME_SIZE];
	int r = link ? read_link(rendered, name) : -ENOMEM;

	if (r == -EINVAL || (r == 0 && *name && !link->fingerprint.mode))
		return rendered_refuse(GENERATION_LINK, problem);
	rendered->work = COMMIT_LINKS;
	if (r == 0 && *name)
		r = open_layer(rendered->place->dirfd, name, &rendered->tree);
	/* Another program has removed or changed the link, and maybe the generation, too. */
	if ((r == 0 || is_absent(r)) && !rendered->tree && find_linked(rendered, link, name))
		r = open_layer(rendered->place->dirfd, name, &rendered->tree);
	if (rendered->tree)
		memcpy(rendered->shown, name, sizeof(name));
	return is_absent(r) ? 0 : r;
}

/* Gives the name a fate in the next generation. The log needs what the shown one has there. */
static void set_fate(struct owned *owned, enum fate fate)
{
	if (owned->fate == FATE_SAME)
		owned->former = owned->fingerprint;
	owned->fate = fate;
}

/*
 * Notes the object that the next generation must have at the name, if that is another one. Returns
 * 0, RENDERED_KEPT or -errno.
 */
static int want(struct rendered *rendered, struct owned *owned, const struct fingerprint *wanted)
{
	struct fingerprint now;
	int r = rendered_look(rendered, owned, &now);

	if (r < 0 && r != -EACCES && r != -EIO)
		return r;
	if (r == 0 && owned->fingerprint.mode && owned->fate == FATE_SAME) {
		if (rendered_is_as_wanted(wanted, &now)) {
			if (!rendered_is_as_wanted(wanted, &owned->fingerprint))
				return manifest_put(rendered->manifest, owned, &now);
			return 0;
		}
		rendered_report_drift(rendered, owned, &now);
		if (owned->reported && rendered->options.keeps_drift)
			return RENDERED_KEPT;
	}
	set_fate(owned, FATE_CHANGED);
	owned->fingerprint = *wanted;
	owned->is_logged = false;
	rendered->work = COMMIT_GENERATION;
	return 0;
}

/* Checks a name at the top, which leads through the link and must not look like a generation's. */
static int check_name(const char *path, struct problem *problem)
{
	if (!generation_has_name(path))
		return 0;
	return problem_set(problem, path, 0, 0,
		"begins with '..', which with --atomic is for generations; give it another name");
}

int generation_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem)
{
	struct fingerprint wanted;
	int r = check_name(owned->path, problem);

	if (r == 0)
		r = fingerprint_of_version(version, -1, &wanted);
	if (r != 0)
		return r;
	version_unref(owned->wanted);
	owned->wanted = version_ref((struct version *)version);
	return want(rendered, owned, &wanted);
}

int generation_put_directory(struct rendered *rendered, struct owned *owned,
	const struct stat *stat, struct problem *problem)
{
	const struct fingerprint wanted = {
		.mode = S_IFDIR | (stat->st_mode & 07777) |
			(sandbox_has_capability(CAP_DAC_OVERRIDE) ? 0 : 0200),
		.uid = stat->st_uid,
		.gid = stat->st_gid,
	};
	int r = check_name(owned->path, problem);

	version_unref(take_ptr(owned->wanted));
	return r == 0 ? want(rendered, owned, &wanted) : r;
}

/* With `keeps_drift`, looks for another program's change. Returns 0, RENDERED_KEPT or -errno. */
static int meet_drift(struct rendered *rendered, struct owned *owned)
{
	struct fingerprint now;
	int r = rendered->options.keeps_drift && owned->fate == FATE_SAME &&
				!S_ISDIR(owned->fingerprint.mode)
			? rendered_look(rendered, owned, &now)
			: 1;

	if (r != 0)
		return r < 0 && r != -EACCES && r != -EIO ? r : 0;
	rendered_report_drift(rendered, owned, &now);
	return owned->reported && now.mode ? RENDERED_KEPT : 0;
}

/* Keeps the directories that the name lies in. */
static void keep_above(struct rendered *rendered, struct owned *owned)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", owned->path);
	for (char *slash; (slash = strrchr(path, '/'));) {
		*slash = '\0';
		struct owned *above = manifest_find(rendered->manifest, path);
		if (above && above->fate == FATE_GONE)
			above->fate = FATE_CHANGED;
	}
}

int generation_remove(struct rendered *rendered, struct owned *owned)
{
	CLEANUP(freep) struct owned **all = NULL;
	bool is_kept = false;
	size_t count;
	int r = manifest_list(rendered->manifest, owned->path, &all, &count);

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (generation_is_beside(all[i]) || !all[i]->fingerprint.mode)
			continue;
		r = meet_drift(rendered, all[i]);
		all[i]->ino = 0;
		if (r == RENDERED_KEPT) {
			keep_above(rendered, all[i]);
			is_kept = true;
			r = 0;
		} else if (r == 0) {
			if (all[i]->fate != FATE_GONE && !S_ISDIR(all[i]->fingerprint.mode))
				rendered_report_outcome(rendered, OUTCOME_REMOVED, all[i]);
			set_fate(all[i], FATE_GONE);
			rendered->work = COMMIT_GENERATION;
		}
	}
	return r == 0 && is_kept ? RENDERED_KEPT : r;
}

/* Makes a directory in the next generation. Returns 0 or -errno. */
static int make_directory(struct rendered *rendered, int next, struct owned *owned)
{
	const struct stat like = {.st_mode = owned->fingerprint.mode,
		.st_uid = owned->fingerprint.uid,
		.st_gid = owned->fingerprint.gid};
	struct fingerprint fingerprint = {0};

	/* Log it before making it: a later run could not remove it otherwise. */
	int r = manifest_put(rendered->manifest, owned, &owned->fingerprint);
	if (r == 0 && mkdirat(next, owned->path, 0700) < 0)
		r = -errno;
	if (r < 0)
		return r;
	CLEANUP(closep) int fd = descriptor_open_directory(next, owned->path);
	r = fd < 0 ? fd : rendered_dress(fd, &like, 0, &fingerprint);
	return r == 0 ? manifest_put(rendered->manifest, owned, &fingerprint) : r;
}

/* Makes a hard link to the shown file, or a new file. Returns 0 or -errno. */
static int make_file(struct rendered *rendered, int next, struct owned *owned)
{
	struct fingerprint fingerprint;
	const char *name;

	if (owned->fate == FATE_SAME && rendered->tree) {
		CLEANUP(closep)
		int from = layer_open_parent(rendered->tree, owned->path, &name);
		if (from >= 0 && linkat(from, name, next, owned->path, 0) == 0)
			return 0;
		int r = from < 0 ? from : -errno;
		if (r == -ENOSPC || r == -ENOMEM || r == -EDQUOT)
			return r;
		/* The shown file is the only copy of its last good version. */
		if (!owned->wanted && r != -ENOENT && r != -ENOTDIR)
			return r;
	}
	/* It was never good in this process, or its kept drift is a removal. */
	if (!owned->wanted || (owned->reported && rendered->options.keeps_drift))
		return 0;
	int r = manifest_put(rendered->manifest, owned, &owned->fingerprint);
	if (r == 0)
		r = rendered_write(next, owned->path, owned->wanted, &fingerprint);
	return r == 0 ? manifest_put(rendered->manifest, owned, &fingerprint) : r;
}

/*
 * Removes the file or directory. A directory that a process with more rights has made may have no
 * write bit. Returns whether it is gone.
 */
static bool remove_name(int in, const char *name)
{
	for (bool is_open = false;; is_open = true) {
		if (unlinkat(in, name, 0) == 0 || ((errno == EISDIR || errno == EPERM) &&
							  unlinkat(in, name, AT_REMOVEDIR) == 0))
			return true;
		if (errno != EACCES || is_open)
			return false;
		CLEANUP(closep) int fd = openat(in, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || fchmod(fd, 0700) < 0) {
			errno = EACCES;
			return false;
		}
	}
}

/* Removes everything of ours in the directory, and then the directory. Returns 0 or -errno. */
static int remove_generation(struct rendered *rendered, int at, const char *name)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count = 0;
	CLEANUP(layer_freep) struct layer *layer = NULL;
	int failure = 0;

	int r = open_layer(at, name, &layer);
	if (r == 0)
		r = manifest_list(rendered->manifest, "", &all, &count);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (size_t i = count; i-- > 0;) {
		const char *last;

		if (generation_is_beside(all[i]))
			continue;
		CLEANUP(closep) int in = layer_open_parent(layer, all[i]->path, &last);
		if (in < 0)
			continue;
		/* A directory may hold another program's files. */
		if (!remove_name(in, last) && errno != ENOENT && errno != ENOTEMPTY &&
			errno != EEXIST)
			failure = -errno;
	}
	if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	return failure ? failure : -errno;
}

static int fill(struct rendered *rendered, int next)
{
	struct fingerprint unused;
	struct owned *owned;
	struct stat like = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && (owned = manifest_at(rendered->manifest, i)); i++) {
		if (owned->fate == FATE_GONE)
			r = manifest_put(rendered->manifest, owned, &(struct fingerprint){0});
		if (r == 0 && generation_shows(owned))
			r = S_ISDIR(owned->fingerprint.mode) ? make_directory(rendered, next, owned)
							     : make_file(rendered, next, owned);
	}
	if (r == 0 && fstatat(rendered->place->dirfd, "", &like, AT_EMPTY_PATH) < 0)
		r = -errno;
	/* A service may not set S_ISGID (RestrictSUIDSGID). Each name gets its group anyway. */
	like.st_mode &= 01777;
	return r == 0 ? rendered_dress(next, &like, 0, &unused) : r;
}

/* Removes the generations without a link; one with another program's files is a problem. */
static int remove_old(struct rendered *rendered, const char *shown, struct problem *problem)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int result = manifest_list(rendered->manifest, "", &all, &count);

	for (size_t i = 0; result != -ENOMEM && i < count; i++) {
		const char *name = generation_path(all[i]);
		if (!generation_is_beside(all[i]) || !S_ISDIR(all[i]->fingerprint.mode) ||
			strcmp(name, shown) == 0)
			continue;
		int r = remove_generation(rendered, rendered->place->dirfd, name);
		if (r == 0) {
			r = manifest_drop(rendered->manifest, all[i]);
			manifest_forget(rendered->manifest, all[i]);
		}
		if (r == -ENOTEMPTY || r == -EEXIST)
			result = problem_set(problem, name, 0, 0,
				"can't be removed: something in it is not plyfs'; move it away");
		else if (r < 0)
			result = r;
	}
	return result;
}

int generation_clear(struct rendered *rendered)
{
	struct problem unused;

	if (!rendered->tree)
		return 0;
	int r = remove_generation(rendered, rendered->own_fd, NEXT_NAME);
	if (r == 0)
		r = remove_old(rendered, rendered->shown, &unused);
	if (r == 0)
		return rendered_forget_gone(rendered);
	/* The error is reported when the next generation is made. */
	return r == -ENOMEM ? r : 0;
}

static void make_name(char ret[GENERATION_NAME_SIZE])
{
	struct timespec now;
	struct tm parts;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	len = strftime(ret, GENERATION_NAME_SIZE, "..%Y_%m_%d_%H_%M_%S", &parts);
	snprintf(ret + len, GENERATION_NAME_SIZE - len, ".%09ld", now.tv_nsec);
}

/* Makes the next generation where no reader sees it. Returns 0 or -errno. */
static int make_next(struct rendered *rendered)
{
	int r = remove_generation(rendered, rendered->own_fd, NEXT_NAME);

	if (r == 0 && mkdirat(rendered->own_fd, NEXT_NAME, 0700) < 0)
		r = -errno;
	if (r < 0)
		return r;
	CLEANUP(closep) int fd = descriptor_open_directory(rendered->own_fd, NEXT_NAME);
	r = fd < 0 ? fd : fill(rendered, fd);
	if (r < 0)
		remove_generation(rendered, rendered->own_fd, NEXT_NAME);
	return r;
}

/* Marks all names as up to date, after the switch. Only kept drift stays reported. */
static void settle(struct rendered *rendered)
{
	struct owned *owned;

	for (size_t i = 0; (owned = manifest_at(rendered->manifest, i)); i++) {
		if (owned->fate != FATE_SAME)
			owned->reported = 0;
		owned->fate = FATE_SAME;
	}
	rendered->work = COMMIT_LINKS;
}

/* Shows the next generation. Returns 0 with its name; PROBLEM or -errno: the old one stays. */
static int switch_to_next(
	struct rendered *rendered, char name[GENERATION_NAME_SIZE], struct problem *problem)
{
	const struct fingerprint fingerprint = {.mode = S_IFDIR | 0700};
	struct layer *tree = NULL;
	int r = make_next(rendered);

	if (r < 0)
		return r;
	make_name(name);
	struct owned *owned = generation_get_beside(rendered, name);
	r = owned ? manifest_put(rendered->manifest, owned, &fingerprint) : -ENOMEM;
	/* RENAME_NOREPLACE: another program may have made a directory of that name. */
	if (r == 0 && renameat2(rendered->own_fd, NEXT_NAME, rendered->place->dirfd, name,
			      RENAME_NOREPLACE) < 0)
		r = errno == EINVAL && renameat(rendered->own_fd, NEXT_NAME, rendered->place->dirfd,
					       name) == 0
			    ? 0
			    : -errno;
	if (r == 0)
		r = open_layer(rendered->place->dirfd, name, &tree);
	if (r == 0)
		r = generation_link_put(rendered, GENERATION_LINK, name, problem);
	if (r != 0) {
		layer_free(tree);
		remove_generation(rendered, rendered->own_fd, NEXT_NAME);
		remove_generation(rendered, rendered->place->dirfd, name);
		return r;
	}
	layer_free(rendered->tree);
	rendered->tree = tree;
	memcpy(rendered->shown, name, GENERATION_NAME_SIZE);
	settle(rendered);
	return 0;
}

int generation_commit(struct rendered *rendered, struct problem *problem)
{
	char name[GENERATION_NAME_SIZE];
	int r = read_link(rendered, name);

	if (r == -EINVAL)
		return rendered_refuse(GENERATION_LINK, problem);
	if (r == 0 && rendered->options.mode == RENDER_DRY)
		return rendered->place->dirfd < 0 ? 0 : generation_link_all(rendered, problem);
	if (r == 0 && (rendered->work == COMMIT_GENERATION || !rendered->tree || !*name)) {
		r = switch_to_next(rendered, name, problem);
	} else if (r == 0 && strcmp(name, rendered->shown) != 0) {
		/* Another program has changed the link. */
		r = generation_link_put(rendered, GENERATION_LINK, rendered->shown, problem);
	}
	if (r == 0)
		r = manifest_seal(rendered->manifest);
	if (r != 0 || rendered->work == COMMIT_NOTHING)
		return r;
	int linked = generation_link_all(rendered, problem);
	r = remove_old(rendered, rendered->shown, linked == 0 ? problem : &(struct problem){0});
	rendered->work = linked != 0 || r != 0 ? COMMIT_LINKS : COMMIT_NOTHING;
	if (r == 0)
		r = rendered_forget_gone(rendered);
	if (r == 0)
		r = manifest_seal(rendered->manifest);
	return linked != 0 ? linked : r;
}
