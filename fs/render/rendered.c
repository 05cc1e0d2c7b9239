#include "rendered_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "generation.h"
#include "layer.h"
#include "outside.h"
#include "rights.h"
#include "sandbox.h"
#include "text.h"
#include "view.h"

#define LOCK_TRIES 10
#define LOCK_PAUSE_NS 10000000

/*
 * .plyfs/boot has the boot in which a complete state was last written (boot.h), or in which the
 * first rendering began. After a power failure a new name may exist without its bytes, and without
 * its line in the manifest: as an empty file that no other program has made.
 */
#define BOOT_NAME "boot"

static int is_empty_but_own(void *context, const char *name, unsigned char type)
{
	(void)context;
	(void)type;
	return strcmp(name, PLYFS_NAME) == 0 ? 0 : 1;
}

int rendered_open_layer(const char *path, bool optional, struct layer **ret)
{
	static const char *const nothing[] = {NULL};
	int r = layer_open("", path, 0, optional ? OUTSIDE_OPTIONAL : 0, false, ret);

	if (r == 0)
		(*ret)->exclude = nothing;
	return r;
}

static int make_directory(int at, const char *name, mode_t mode, int *ret)
{
	if (mkdirat(at, name, mode) < 0 && errno != EEXIST)
		return -errno;
	*ret = descriptor_open_directory(at, name);
	if (*ret < 0)
		return *ret;
	/* All new files would inherit a default access list, which may admit others. */
	static const char *const lists[] = {"system.posix_acl_default", "system.posix_acl_access"};
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (fremovexattr(*ret, lists[i]) < 0 && errno != ENODATA && errno != ENOTSUP)
			return -errno;
	return 0;
}

/* Removes what was staged when a process was killed. */
static int clear_stage(int fd)
{
	CLEANUP(dir_closep) DIR *dir = descriptor_list(fd);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(fd, entry->d_name, 0) < 0)
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	return 0;
}

/* Opens .plyfs. In a dry run it need not exist. Returns 0 or -errno. */
static int open_plyfs(struct rendered *rendered)
{
	int at = rendered->place->dirfd;

	if (rendered->options.mode != RENDER_DRY)
		return make_directory(at, PLYFS_NAME, 0700, &rendered->own_fd);
	if (at < 0)
		return 0;
	if (faccessat(at, "", W_OK | X_OK, AT_EACCESS | AT_EMPTY_PATH) < 0)
		return -errno;
	int fd = rendered->own_fd = descriptor_open_directory(at, PLYFS_NAME);
	return fd < 0 && fd != -ENOENT ? fd : 0;
}

static int open_stage(struct rendered *rendered)
{
	int r = make_directory(rendered->own_fd, STAGE_NAME, 0700, &rendered->stage_fd);

	return r == 0 ? clear_stage(rendered->stage_fd) : r;
}

/* Notes the present boot, once. A failure is no error: rendered_commit() tries it again. */
static void write_boot(struct rendered *rendered)
{
	if (*rendered->boot && rendered_write_own(rendered, BOOT_NAME, rendered->boot,
				       strlen(rendered->boot)) == 0)
		*rendered->boot = '\0';
}

static int open_own(struct rendered *rendered, struct problem *problem)
{
	bool is_dry = rendered->options.mode == RENDER_DRY;
	const char *name = rendered->options.directory;
	bool is_empty;

	int r = rendered_open_layer(name, is_dry, &rendered->place);
	if (r == 0 && rendered->place->dirfd >= 0)
		r = layer_list(rendered->place, "", is_empty_but_own, NULL);
	if (r < 0)
		return r;
	is_empty = r == 0;
	if (!is_empty && faccessat(rendered->place->dirfd, PLYFS_NAME "/manifest", F_OK,
				 AT_SYMLINK_NOFOLLOW) < 0)
		return problem_set(problem, name, 0, 0,
			errno == EACCES
				? "has a .plyfs of another user; run plyfs as that user"
				: "is not empty, and was not rendered by plyfs; give an empty "
				  "directory");
	r = open_plyfs(rendered);
	if (r < 0)
		return r;
	/* drift_is_rendered_now() holds the lock for a moment. */
	for (int i = 0; rendered->own_fd >= 0 &&
			(r = flock(rendered->own_fd, LOCK_EX | LOCK_NB)) < 0 && i < LOCK_TRIES;
		i++)
		nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
	if (r < 0)
		return problem_set(problem, name, 0, 0,
			"is being rendered by another plyfs already; wait for it, or end it");
	rendered->has_rebooted = boot_is_another(rendered->own_fd, BOOT_NAME);
	boot_read(rendered->boot);
	r = is_dry ? 0 : open_stage(rendered);
	if (r == 0 && !is_dry && faccessat(rendered->own_fd, BOOT_NAME, F_OK, 0) < 0)
		write_boot(rendered);
	if (r == 0)
		r = manifest_open(
			rendered->own_fd, rendered->options.is_atomic, is_dry, &rendered->manifest);
	if (r == MANIFEST_OTHER_KIND)
		return problem_set(problem, name, 0, 0,
			rendered->options.is_atomic
				? "was rendered without --atomic; render into another directory, "
				  "or remove this one first"
				: "was rendered with --atomic; give that, or another directory");
	if (r == -EBADMSG)
		return problem_set(problem, name, 0, 0, MANIFEST_UNREADABLE);
	return r;
}

/* Returns whether nothing can be there, or another program has replaced a directory on the way. */
static bool is_nowhere(int result)
{
	return result == -ENOENT || result == -ENOTDIR || result == -ELOOP || result == -EXDEV;
}

int rendered_look(
	const struct rendered *rendered, const struct owned *owned, struct fingerprint *ret)
{
	bool is_beside = generation_is_beside(owned);
	const struct layer *layer = is_beside ? rendered->place : rendered->tree;
	const char *path = generation_path(owned);
	const char *name;

	*ret = (struct fingerprint){0};
	if (!layer)
		return 0;
	CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);
	if (parent < 0)
		return is_nowhere(parent) ? 0 : parent;
	return fingerprint_at(parent, name, ret);
}

int rendered_forget_gone(struct rendered *rendered)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(rendered->manifest, "", &all, &count);

	/* From the last one: so few entries move up when most are forgotten. */
	for (size_t i = count; r == 0 && i-- > 0;) {
		if (all[i]->fate != FATE_GONE && !(all[i]->is_logged && !all[i]->fingerprint.mode))
			continue;
		r = manifest_drop(rendered->manifest, all[i]);
		manifest_forget(rendered->manifest, all[i]);
	}
	return r;
}

/* Settles the names that a killed process has left in doubt: each is as before, or as planned. */
static int settle(struct rendered *rendered)
{
	struct owned *owned;
	int r = 0;

	for (size_t i = 0; r == 0 && (owned = manifest_at(rendered->manifest, i)); i++) {
		struct fingerprint now;

		if (!manifest_is_in_doubt(rendered->manifest, owned))
			continue;
		r = rendered_look(rendered, owned, &now);
		if (r == 0)
			r = manifest_settle(rendered->manifest, owned, &now);
		else if (r == -EACCES || r == -EIO)
			r = 0; /* it can't be read */
	}
	if (r == 0)
		r = manifest_seal(rendered->manifest);
	if (r == 0 && rendered->options.is_atomic && rendered->options.mode != RENDER_DRY)
		return generation_clear(rendered);
	return r == 0 ? rendered_forget_gone(rendered) : r;
}

int rendered_open(const struct rendered_options *options, struct rendered **ret,
	struct manifest **manifest, struct problem *problem)
{
	struct rendered *rendered = calloc(1, sizeof(*rendered));

	if (!rendered)
		return -ENOMEM;
	rendered->options = *options;
	rendered->stage_fd = rendered->own_fd = -1;
	int r = open_own(rendered, problem);
	if (r == 0 && options->is_atomic)
		r = generation_open(rendered, problem);
	else if (r == 0)
		rendered->tree = rendered->place;
	if (r == 0)
		r = settle(rendered);
	if (r == 0) {
		*ret = rendered;
		*manifest = rendered->manifest;
	} else {
		rendered_free(rendered);
	}
	return r;
}

void rendered_free(struct rendered *rendered)
{
	if (!rendered)
		return;
	manifest_freep(&rendered->manifest);
	if (rendered->tree != rendered->place)
		layer_free(rendered->tree);
	closep(&rendered->stage_fd);
	closep(&rendered->own_fd);
	layer_free(rendered->place);
	free(rendered);
}

static void log_problem(const struct rendered *rendered, const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];

	problem_format(problem, line, sizeof(line));
	if (rendered->options.log)
		rendered->options.log(rendered->options.context, line, problem);
}

void rendered_report_outcome(
	const struct rendered *rendered, enum outcome outcome, const struct owned *owned)
{
	if (rendered->options.report && !generation_is_beside(owned))
		rendered->options.report(rendered->options.context, outcome, owned->path, NULL);
}

static bool has_owner(const struct stat *own, const struct stat *like)
{
	return own->st_uid == like->st_uid && own->st_gid == like->st_gid;
}

/* Does fchown(2), if we may. EINVAL: our user namespace does not have the number. */
static int change_owner(int fd, uid_t uid, gid_t gid)
{
	return fchown(fd, uid, gid) < 0 && errno != EPERM && errno != EINVAL ? -errno : 0;
}

/*
 * Changes the owner and the group as far as we may: an ordinary user can set a group of their own.
 * Returns 0 with the resulting attributes, or -errno.
 */
static int give(int fd, const struct stat *like, struct stat *own)
{
	int r = change_owner(fd, like->st_uid, like->st_gid);

	if (r == 0 && fstat(fd, own) == 0 && own->st_gid != like->st_gid)
		r = change_owner(fd, (uid_t)-1, like->st_gid);
	return r == 0 && fstat(fd, own) < 0 ? -errno : r;
}

/*
 * Returns the mode for a file whose group could not be set: all users but the owner have the rights
 * that the version gives both to its group and to others, so that nobody has more.
 */
static mode_t without_group(mode_t mode)
{
	mode_t both = mode & mode >> 3 & 0007;

	return (mode & ~(mode_t)0077) | both << 3 | both;
}

/* Returns whether our user namespace has the number (user_namespaces(7)). */
static bool is_mapped(const char *map, unsigned number)
{
	FILE *in = fopen(map, "re");
	unsigned first, count;
	bool is_so = !in;

	while (!is_so && fscanf(in, "%u %*u %u", &first, &count) == 2)
		is_so = number - first < count;
	if (in)
		fclose(in);
	return is_so;
}

/* Returns whether we are in the group, and so may give it our own files. */
static bool is_member(gid_t gid)
{
	int count = getgroups(0, NULL);
	CLEANUP(freep) gid_t *groups = calloc((size_t)count + 1, sizeof(*groups));
	bool is_so = gid == getegid();

	count = groups ? getgroups(count, groups) : 0;
	for (int i = 0; !is_so && i < count; i++)
		is_so = groups[i] == gid;
	return is_so;
}

bool rendered_is_as_wanted(const struct fingerprint *wanted, const struct fingerprint *is)
{
	mode_t mode = wanted->mode;

	if (fingerprint_equal(wanted, is))
		return true;
	bool gives_owners = sandbox_has_capability(CAP_CHOWN);
	bool has_group = is->gid == wanted->gid;
	if (gives_owners || !has_group) {
		bool gives_group = is_mapped("/proc/self/gid_map", wanted->gid) &&
				   (gives_owners || is_member(wanted->gid));
		bool gives_owner = gives_owners && is_mapped("/proc/self/uid_map", wanted->uid);
		if (gives_group && (gives_owner || !has_group))
			return false;
	}
	if (!has_group)
		mode = without_group(mode);
	return wanted->hash == is->hash && mode == is->mode;
}

static mode_t mode_for(const struct stat *own, const struct stat *like, mode_t more)
{
	mode_t mode = (like->st_mode & 07777) | more;

	return (own->st_mode & S_IFMT) | (own->st_gid == like->st_gid ? mode : without_group(mode));
}

int rendered_dress(int fd, const struct stat *like, mode_t more, struct fingerprint *ret)
{
	struct stat own;

	int r = fstat(fd, &own) < 0 ? -errno : 0;
	if (r == 0 && !has_owner(&own, like))
		r = give(fd, like, &own);
	if (r < 0)
		return r;
	ret->mode = mode_for(&own, like, more);
	ret->uid = own.st_uid;
	ret->gid = own.st_gid;
	return own.st_mode != ret->mode && fchmod(fd, ret->mode & 07777) < 0 ? -errno : 0;
}

/* Changes the owner in logged steps. Until then the mode has no more bits than the final one. */
static int redress_owner(struct rendered *rendered, struct owned *owned, int fd,
	const struct stat *like, mode_t more, struct stat *own)
{
	mode_t shared = own->st_mode & (S_IFMT | (like->st_mode & 07777) | more);
	struct fingerprint fingerprint = {
		shared, own->st_uid, own->st_gid, owned->fingerprint.hash};
	int r = 0;

	if (shared != own->st_mode) {
		r = manifest_put(rendered->manifest, owned, &fingerprint);
		if (r == 0 && fchmod(fd, shared & 07777) < 0)
			r = -errno;
		if (r < 0)
			return r;
		own->st_mode = shared;
	}
	fingerprint.uid = like->st_uid;
	fingerprint.gid = like->st_gid;
	r = manifest_put(rendered->manifest, owned, &fingerprint);
	return r == 0 ? give(fd, like, own) : r;
}

/* Gives mode and owner to an object that is at its name already: each step is logged before. */
static int redress(struct rendered *rendered, struct owned *owned, int fd, const struct stat *like,
	mode_t more, struct fingerprint *fingerprint)
{
	struct stat own;

	if (fstat(fd, &own) < 0)
		return -errno;
	*fingerprint = (struct fingerprint){own.st_mode, own.st_uid, own.st_gid, fingerprint->hash};
	int r = manifest_put(rendered->manifest, owned, fingerprint);
	if (r == 0 && !has_owner(&own, like))
		r = redress_owner(rendered, owned, fd, like, more, &own);
	*fingerprint = (struct fingerprint){
		mode_for(&own, like, more), own.st_uid, own.st_gid, fingerprint->hash};
	if (r == 0)
		r = manifest_put(rendered->manifest, owned, fingerprint);
	if (r == 0 && own.st_mode != fingerprint->mode && fchmod(fd, fingerprint->mode & 07777) < 0)
		r = -errno;
	if (r < 0)
		manifest_undo(rendered->manifest, owned,
			&(struct fingerprint){
				own.st_mode, own.st_uid, own.st_gid, fingerprint->hash});
	return r;
}

/* Returns whether the open file has exactly the version's bytes; then *ret has their hash. */
static bool has_bytes(int fd, const struct version *version, struct fingerprint *ret)
{
	char own[FINGERPRINT_CHUNK], wanted[FINGERPRINT_CHUNK];
	off_t offset = 0;
	struct stat stat;

	ret->hash = FINGERPRINT_HASH;
	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) ||
		(uint64_t)stat.st_size != version->size)
		return false;
	while ((uint64_t)offset < version->size) {
		ssize_t n = version_read(version, wanted, sizeof(wanted), offset);

		if (n <= 0 || pread(fd, own, (size_t)n, offset) != n ||
			memcmp(own, wanted, (size_t)n) != 0)
			return false;
		ret->hash = fingerprint_add(ret->hash, (struct span){own, (size_t)n});
		offset += n;
	}
	return true;
}

static bool has_target(int parent, const char *name, const struct version *version)
{
	char target[FINGERPRINT_CHUNK];
	ssize_t n = readlinkat(parent, name, target, sizeof(target));

	return n >= 0 && (uint64_t)n == version->size &&
	       memcmp(target, version->data, version->size) == 0;
}

/* Returns whether the object at the name has the version's bytes already. */
static bool is_there(int parent, const char *name, const struct version *version, int *ret_fd,
	struct fingerprint *ret)
{
	if (version->kind == VERSION_LINK)
		return has_target(parent, name, version) &&
		       fingerprint_of_version(version, -1, ret) == 0;
	*ret_fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return *ret_fd >= 0 && has_bytes(*ret_fd, version, ret);
}

void rendered_stage_name(struct rendered *rendered, char ret[STAGED_MAX])
{
	snprintf(ret, STAGED_MAX, "new-%" PRIu64, ++rendered->staged);
}

uint64_t rendered_staged(const struct rendered *rendered)
{
	return rendered->staged;
}

int rendered_write(
	int directory, const char *name, const struct version *version, struct fingerprint *ret)
{
	struct stat stat;

	if (version->kind == VERSION_LINK) {
		int r = symlinkat(version->data, directory, name);
		return r < 0 ? -errno : fingerprint_of_version(version, -1, ret);
	}
	version_stat(version, &stat);
	/* Another owner's file is created for us alone, even in the stage. */
	bool is_ours = stat.st_uid == geteuid() && stat.st_gid == getegid();
	CLEANUP(closep)
	int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		is_ours ? stat.st_mode & 0777 : 0600);
	int r = fd < 0 ? -errno : fingerprint_of_version(version, fd, ret);
	if (r == 0)
		r = rendered_dress(fd, &stat, 0, ret);
	if (r == 0 && futimens(fd, (struct timespec[]){stat.st_mtim, stat.st_mtim}) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		unlinkat(directory, name, 0);
	return r;
}

int rendered_refuse(const char *path, struct problem *problem)
{
	return problem_set(problem, path, 0, 0,
		"stands in the way and is not plyfs'; move it away, or adopt it if its bytes are "
		"right (--adopt)");
}

/* Returns whether a power failure may have left the name without its bytes. */
static bool is_lost(const struct rendered *rendered, const struct fingerprint *now)
{
	return rendered->has_rebooted && S_ISREG(now->mode) && now->hash == FINGERPRINT_HASH &&
	       now->uid == geteuid();
}

static enum drift find_drift(
	const struct rendered *rendered, const struct owned *owned, const struct fingerprint *now)
{
	return is_lost(rendered, now) ? DRIFT_NONE : manifest_drift(rendered->manifest, owned, now);
}

void rendered_report_drift(
	const struct rendered *rendered, struct owned *owned, const struct fingerprint *now)
{
	enum drift drift = find_drift(rendered, owned, now);
	uint32_t reported = (uint32_t)(now->hash ^ now->mode) * 8 + drift;
	struct problem problem;

	if (drift == DRIFT_NONE)
		reported = 0;
	if (reported && reported != owned->reported) {
		problem_set(&problem, generation_path(owned), 0, 0, "%s; it %s", drift_text(drift),
			rendered->options.keeps_drift          ? "stays so (--drift=keep)"
			: rendered->options.mode == RENDER_DRY ? "would be put right"
							       : "is put right");
		log_problem(rendered, &problem);
	}
	owned->reported = reported;
}

/*
 * Checks our name, which is about to be replaced or removed, for changes of other programs. Returns
 * 0, RENDERED_KEPT or -errno.
 */
static int meet_drift(
	const struct rendered *rendered, struct owned *owned, int parent, const char *name)
{
	struct fingerprint now = {0};
	int r = parent < 0 ? 0 : fingerprint_at(parent, name, &now);

	if (r < 0)
		return r == -EACCES || r == -EIO ? 0 : r;
	rendered_report_drift(rendered, owned, &now);
	return owned->reported && rendered->options.keeps_drift ? RENDERED_KEPT : 0;
}

bool rendered_has_drifted(struct rendered *rendered, struct owned *owned)
{
	struct fingerprint now;

	if (!owned->fingerprint.mode || !rendered->tree || owned->fate != FATE_SAME ||
		generation_is_beside(owned) || rendered_look(rendered, owned, &now) < 0)
		return false;
	bool has_drifted = find_drift(rendered, owned, &now) != DRIFT_NONE;
	if (!has_drifted || rendered->options.keeps_drift)
		rendered_report_drift(rendered, owned, &now);
	return has_drifted;
}

static int remove_tree(struct rendered *rendered, struct owned *owned, struct problem *problem);

/*
 * Clears the way for a new object at the name, if the old one is ours. A name that is gone is
 * dropped from the manifest first: otherwise, if we are killed before the new object is there, the
 * next run would report that another program has removed the old one. Returns 0, PROBLEM or -errno.
 */
static int clear_name(struct rendered *rendered, struct owned *owned, int parent, const char *name,
	bool for_directory, struct problem *problem)
{
	struct fingerprint now;
	struct stat stat;

	if (fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT ? -errno : manifest_drop(rendered->manifest, owned);
	if (!owned->fingerprint.mode) {
		bool is_free = for_directory
				       ? S_ISDIR(stat.st_mode) && rendered->options.adopts
				       : !stat.st_size && fingerprint_at(parent, name, &now) == 0 &&
						 is_lost(rendered, &now);
		return is_free ? 0 : rendered_refuse(owned->path, problem);
	}
	if (S_ISDIR(stat.st_mode) != for_directory)
		return remove_tree(rendered, owned, problem);
	return 0;
}

static int put_staged(struct rendered *rendered, struct owned *owned, const char *staged,
	const struct fingerprint *fingerprint, int parent, const char *name)
{
	const struct fingerprint before = owned->fingerprint;
	int r = manifest_put(rendered->manifest, owned, fingerprint);

	if (r == 0 && renameat(rendered->stage_fd, staged, parent, name) < 0) {
		r = -errno;
		manifest_undo(rendered->manifest, owned, &before);
	}
	if (r < 0)
		unlinkat(rendered->stage_fd, staged, S_ISDIR(fingerprint->mode) ? AT_REMOVEDIR : 0);
	return r;
}

/* In a dry run, logs in memory what would be put there. */
static int foresee(struct rendered *rendered, struct owned *owned, const struct version *version)
{
	struct fingerprint fingerprint;
	int r = fingerprint_of_version(version, -1, &fingerprint);

	return r == 0 ? manifest_put(rendered->manifest, owned, &fingerprint) : r;
}

static int replace(struct rendered *rendered, struct owned *owned, int parent, const char *name,
	const struct version *version)
{
	char staged[STAGED_MAX];
	struct fingerprint fingerprint;

	if (rendered->options.mode == RENDER_DRY)
		return foresee(rendered, owned, version);
	rendered_stage_name(rendered, staged);
	int r = rendered_write(rendered->stage_fd, staged, version, &fingerprint);
	return r == 0 ? put_staged(rendered, owned, staged, &fingerprint, parent, name) : r;
}

static int place_directory(struct rendered *rendered, struct owned *owned, int parent,
	const char *name, const struct stat *like, mode_t more)
{
	struct fingerprint fingerprint = {.mode = S_IFDIR};
	char staged[STAGED_MAX];

	rendered_stage_name(rendered, staged);
	if (mkdirat(rendered->stage_fd, staged, 0700) < 0)
		return -errno;
	CLEANUP(closep) int fd = descriptor_open_directory(rendered->stage_fd, staged);
	int r = fd < 0 ? fd : rendered_dress(fd, like, more, &fingerprint);
	if (r == 0)
		return put_staged(rendered, owned, staged, &fingerprint, parent, name);
	unlinkat(rendered->stage_fd, staged, AT_REMOVEDIR);
	return r;
}

/*
 * Gives a file with one source the source's time. A merged file keeps the time of its own last
 * change, as a new time of one source does not change it.
 */
static int take_time(int fd, const struct version *version)
{
	struct stat now;

	if (!version_has_one_source(version))
		return 0;
	if (fstat(fd, &now) < 0)
		return -errno;
	if (now.st_mtim.tv_sec == version->mtime.tv_sec &&
		now.st_mtim.tv_nsec == version->mtime.tv_nsec)
		return 0;
	return futimens(fd, (struct timespec[]){version->mtime, version->mtime}) < 0 ? -errno : 0;
}

/* Gives a file with the right bytes the right attributes. Returns 0, RENDERED_KEPT or -errno. */
static int take_over(struct rendered *rendered, struct owned *owned, int parent, const char *name,
	int fd, struct fingerprint *fingerprint, const struct version *version)
{
	struct stat stat;
	int r = 0;

	/* If another program's change has the right bytes by now, it is no drift. */
	if (owned->fingerprint.mode && owned->fingerprint.hash == fingerprint->hash)
		r = meet_drift(rendered, owned, parent, name);
	if (r == 0 && rendered->options.mode == RENDER_DRY)
		return foresee(rendered, owned, version);
	version_stat(version, &stat);
	if (r == 0)
		r = fd >= 0 ? redress(rendered, owned, fd, &stat, 0, fingerprint)
			    : manifest_put(rendered->manifest, owned, fingerprint);
	if (r == 0 && fd >= 0)
		r = take_time(fd, version);
	if (r == 0)
		owned->reported = 0;
	return r;
}

/* Restricts the next generation's version to these rights. Returns 0 or -ENOMEM. */
static int narrow_wanted(
	struct owned *owned, const struct version *broken, const struct mounter *mounter)
{
	struct version *narrowed;

	if (!owned->wanted)
		return 0;
	narrowed = version_narrow(owned->wanted, broken, mounter);
	if (!narrowed)
		return -ENOMEM;
	version_unref(owned->wanted);
	owned->wanted = narrowed;
	return 0;
}

/*
 * Opens the file that is shown. Returns a descriptor; -ENOENT if it has gone, or has another
 * program's bytes; or -errno.
 */
static int open_ours(const struct rendered *rendered, const struct owned *owned)
{
	struct fingerprint now;
	const char *name;

	int r = rendered_look(rendered, owned, &now);
	if (r < 0 || now.hash != owned->fingerprint.hash)
		return r < 0 ? r : -ENOENT;
	CLEANUP(closep) int parent = layer_open_parent(rendered->tree, owned->path, &name);
	if (parent < 0)
		return parent;
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Restricts the last good file, as its present sources do not merge: a user that may not read them
 * must not read it either, also in the shown generation. Returns 0 or -errno.
 */
static int narrow(struct rendered *rendered, struct owned *owned, const struct version *broken)
{
	const struct mounter mounter = {geteuid(), getegid()};
	const struct rights own = {
		owned->fingerprint.mode & 0555, owned->fingerprint.uid, owned->fingerprint.gid};
	const struct rights others = {broken->mode & 0555, broken->uid, broken->gid};
	const struct rights both = rights_both(&own, &others, &mounter);
	const struct stat like = {.st_mode = both.mode, .st_uid = both.uid, .st_gid = both.gid};
	struct fingerprint fingerprint = {.hash = owned->fingerprint.hash};

	if (!S_ISREG(owned->fingerprint.mode) || !rights_take_away(&own, &both) ||
		rendered->options.mode == RENDER_DRY)
		return 0;
	int r = narrow_wanted(owned, broken, &mounter);
	/* The next generation, which is about to be made, has the restricted version. */
	if (r < 0 || owned->fate != FATE_SAME || !rendered->tree)
		return r;
	CLEANUP(closep) int fd = open_ours(rendered, owned);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	return redress(rendered, owned, fd, &like, 0, &fingerprint);
}

int rendered_take_time(
	const struct rendered *rendered, const struct owned *owned, const struct version *version)
{
	if (!S_ISREG(owned->fingerprint.mode) || !rendered->tree)
		return 0;
	CLEANUP(closep) int fd = open_ours(rendered, owned);
	return fd >= 0 ? take_time(fd, version) : fd == -ENOENT ? 0 : fd;
}

static int put_file(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem)
{
	bool is_ours = owned->fingerprint.mode;
	struct fingerprint fingerprint = {0};
	CLEANUP(closep) int fd = -1;
	const char *name;

	CLEANUP(closep) int parent = layer_open_parent(rendered->place, owned->path, &name);
	/* In a dry run the directory may be missing, or something in its place. */
	bool is_to_come = rendered->options.mode == RENDER_DRY && is_nowhere(parent);
	if (parent < 0 && !is_to_come &&
		!(is_ours && rendered->options.keeps_drift &&
			(parent == -ENOENT || parent == -ENOTDIR)))
		return parent;
	if (parent >= 0 && (is_ours || rendered->options.adopts) &&
		is_there(parent, name, version, &fd, &fingerprint))
		return take_over(rendered, owned, parent, name, fd, &fingerprint, version);
	int r = is_ours ? meet_drift(rendered, owned, parent, name) : 0;
	if (r == 0 && parent < 0)
		return is_to_come ? foresee(rendered, owned, version) : parent;
	if (r == 0)
		r = clear_name(rendered, owned, parent, name, false, problem);
	if (r == 0)
		r = replace(rendered, owned, parent, name, version);
	if (r == 0)
		owned->reported = 0;
	return r;
}

/* Reports the outcome of a put, where `before` was. `result` is 0 or RENDERED_KEPT. */
static void report_put(const struct rendered *rendered, struct owned *owned,
	const struct fingerprint *before, int result)
{
	bool is_changed = rendered->options.is_atomic ? owned->fate != FATE_SAME
			  : rendered->options.mode == RENDER_DRY
				  ? !rendered_is_as_wanted(&owned->fingerprint, before)
				  : !fingerprint_equal(before, &owned->fingerprint);

	if (result == RENDERED_KEPT || !is_changed)
		rendered_report_outcome(rendered, OUTCOME_UNCHANGED, owned);
	else
		rendered_report_outcome(
			rendered, before->mode ? OUTCOME_CHANGED : OUTCOME_WRITTEN, owned);
}

int rendered_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem)
{
	struct fingerprint before = {0};
	int r;

	if (version->kind == VERSION_BROKEN) {
		r = narrow(rendered, owned, version);
		return r < 0 ? r : RENDERED_BROKEN;
	}
	/* A file that can't be read is replaced. */
	if (rendered->options.report && rendered_look(rendered, owned, &before) < 0)
		before = (struct fingerprint){.mode = S_IFREG};
	r = rendered->options.is_atomic ? generation_put(rendered, owned, version, problem)
					: put_file(rendered, owned, version, problem);
	owned->is_kept_back = r == RENDERED_KEPT;
	if (r == 0 || r == RENDERED_KEPT)
		report_put(rendered, owned, &before, r);
	return r;
}

/*
 * Returns whether another user may have replaced our directory, so that its rights are not ours to
 * give away. That is possible if another user can change the parent directory, and the object does
 * not belong to the parent's owner.
 */
static bool is_doubtful(const struct owned *owned, int parent, int fd)
{
	struct stat around, own;

	if (!owned->reported)
		return false;
	return fstat(parent, &around) < 0 || fstat(fd, &own) < 0 ||
	       ((around.st_uid != geteuid() || around.st_mode & 0022) &&
		       own.st_uid != around.st_uid);
}

bool rendered_keep_closed(const struct owned *owned, struct stat *stat)
{
	const struct mounter mounter = {geteuid(), getegid()};
	const struct fingerprint *shown = &owned->fingerprint;
	const struct rights now = {shown->mode & 0555, shown->uid, shown->gid};
	/*
	 * A directory that stays ours keeps its owner's rights, as we have to write into it. Its
	 * group may become that of `stat`.
	 */
	bool is_ours =
		!sandbox_has_capability(CAP_CHOWN) || !sandbox_has_capability(CAP_DAC_OVERRIDE);
	const struct rights wanted = {
		stat->st_mode & 0555, is_ours ? shown->uid : stat->st_uid, stat->st_gid};
	const struct rights both = rights_both(&now, &wanted, &mounter);
	if (!S_ISDIR(shown->mode) || !rights_take_away(&wanted, &both))
		return false;
	stat->st_mode = S_IFDIR | both.mode;
	stat->st_uid = both.uid;
	stat->st_gid = both.gid;
	return true;
}

int rendered_put_directory(struct rendered *rendered, struct owned *owned, const struct stat *stat,
	struct problem *problem)
{
	/* plyfs needs write permission to put names into a directory, if modes limit it. */
	mode_t more = sandbox_has_capability(CAP_DAC_OVERRIDE) ? 0 : 0200;
	struct fingerprint fingerprint = {0};
	const char *name;

	if (rendered->options.is_atomic)
		return generation_put_directory(rendered, owned, stat, problem);
	CLEANUP(closep) int parent = layer_open_parent(rendered->place, owned->path, &name);
	fingerprint.mode = S_IFDIR | (stat->st_mode & 07777) | more;
	if (rendered->options.mode == RENDER_DRY && is_nowhere(parent))
		return manifest_put(rendered->manifest, owned, &fingerprint);
	if (parent < 0)
		return parent;
	int r = owned->fingerprint.mode ? meet_drift(rendered, owned, parent, name) : 0;
	if (r == 0)
		r = clear_name(rendered, owned, parent, name, true, problem);
	if (r != 0)
		return r;
	CLEANUP(closep) int fd = descriptor_open_directory(parent, name);
	if (fd >= 0 && is_doubtful(owned, parent, fd))
		r = rendered_refuse(owned->path, problem);
	else if (rendered->options.mode == RENDER_DRY)
		r = manifest_put(rendered->manifest, owned, &fingerprint);
	else if (fd < 0)
		r = fd == -ENOENT ? place_directory(rendered, owned, parent, name, stat, more) : fd;
	else
		r = redress(rendered, owned, fd, stat, more, &fingerprint);
	if (r == 0)
		owned->reported = 0;
	return r;
}

int rendered_open_to(struct rendered *rendered, const struct stat *root)
{
	const struct mounter mounter = {geteuid(), getegid()};
	const struct rights wanted = {root->st_mode & 0555, root->st_uid, root->st_gid};
	struct problem problem;
	struct fingerprint unused;
	struct stat own;
	if (rendered->place->dirfd < 0)
		return 0;
	CLEANUP(closep)
	int fd = openat(rendered->place->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &own) < 0)
		return -errno;
	if (rendered->options.is_made) {
		/* The directory stays ours, as its owner can add names to it. */
		const struct stat like = {
			.st_mode = root->st_mode, .st_uid = own.st_uid, .st_gid = root->st_gid};
		return rendered_dress(fd, &like, 0700, &unused);
	}
	const struct rights now = {own.st_mode & 0555, own.st_uid, own.st_gid};
	const struct rights both = rights_both(&now, &wanted, &mounter);
	if (!rights_take_away(&now, &both))
		return 0;
	problem_set(&problem, rendered->options.directory, 0, 0,
		"lets in more users than the layers, whose mode is %04o; give it that mode, or "
		"these users can read the rendered files",
		(unsigned)root->st_mode & 07777);
	log_problem(rendered, &problem);
	return 0;
}

/* Removes the object, whatever another program has put in its place. */
static int unlink_any(int parent, const char *name, bool is_directory)
{
	if (unlinkat(parent, name, is_directory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == ENOTDIR || errno == EISDIR)
		return unlinkat(parent, name, is_directory ? 0 : AT_REMOVEDIR) == 0 ? 0 : -errno;
	return -errno;
}

struct rendered_directory {
	struct manifest *manifest;
	const char *path;
};

/* An entry of a removed name does not count: it would have been removed before. */
static int would_go(void *context, const char *name, unsigned char type)
{
	const struct rendered_directory *directory = context;
	CLEANUP(freep) char *path = NULL;

	(void)type;
	if (text_format(&path, "%s/%s", directory->path, name) < 0)
		return -ENOMEM;
	const struct owned *owned = manifest_find(directory->manifest, path);
	return owned && !owned->fingerprint.mode ? 0 : -ENOTEMPTY;
}

/* Removes our name, or in a dry run finds out whether that would succeed. Returns 0 or -errno. */
static int unlink_owned(const struct rendered *rendered, const struct owned *owned, int parent,
	const char *name, bool is_directory)
{
	struct rendered_directory directory = {rendered->manifest, owned->path};
	struct stat stat;

	if (rendered->options.mode != RENDER_DRY)
		return unlink_any(parent, name, is_directory);
	if (fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	return S_ISDIR(stat.st_mode)
		       ? layer_list(rendered->place, owned->path, would_go, &directory)
		       : 0;
}

/* Frees an entry; in a dry run it is kept. */
static void forget(struct rendered *rendered, struct owned *owned)
{
	if (rendered->options.mode != RENDER_DRY)
		manifest_forget(rendered->manifest, owned);
}

static int remove_owned(struct rendered *rendered, struct owned *owned)
{
	const struct fingerprint before = owned->fingerprint;
	const char *name;
	CLEANUP(closep) int parent = layer_open_parent(rendered->place, owned->path, &name);

	if (!before.mode)
		return 0;
	if (parent < 0 && parent != -ENOENT && parent != -ENOTDIR)
		return parent;
	/* A name that is gone already needs no removal. */
	bool is_there = parent >= 0 && faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	if (parent >= 0 && !is_there && errno != ENOENT)
		return -errno;
	int r = is_there ? meet_drift(rendered, owned, parent, name) : 0;
	if (r == 0 && is_there)
		r = manifest_put(rendered->manifest, owned, &(struct fingerprint){0});
	if (r == 0 && is_there) {
		r = unlink_owned(rendered, owned, parent, name, S_ISDIR(before.mode));
		if (r < 0)
			manifest_undo(rendered->manifest, owned, &before);
	}
	if (r == 0 && is_there && !S_ISDIR(before.mode))
		rendered_report_outcome(rendered, OUTCOME_REMOVED, owned);
	return r == 0 ? manifest_drop(rendered->manifest, owned) : r;
}

/* Removes all of ours below the directory, and the directory last; its entry is kept. */
static int remove_tree(struct rendered *rendered, struct owned *owned, struct problem *problem)
{
	CLEANUP(freep) struct owned **all = NULL;
	bool is_kept = false;
	size_t count;
	int r = manifest_list(rendered->manifest, owned->path, &all, &count);

	for (size_t i = count; r == 0 && i-- > 0;) {
		r = remove_owned(rendered, all[i]);
		is_kept |= r == RENDERED_KEPT;
		if (r == 0 && all[i] != owned)
			forget(rendered, all[i]);
		if (is_kept && (r == RENDERED_KEPT || r == -ENOTEMPTY || r == -EEXIST))
			r = 0;
	}
	if (r == -ENOTEMPTY || r == -EEXIST)
		return problem_set(problem, owned->path, 0, 0,
			"can't be removed: something in it is not plyfs'; move it away");
	return r == 0 && is_kept ? RENDERED_KEPT : r;
}

int rendered_remove(struct rendered *rendered, struct owned *owned, struct problem *problem)
{
	if (rendered->options.is_atomic)
		return generation_remove(rendered, owned);
	int r = remove_tree(rendered, owned, problem);
	if (r == 0)
		forget(rendered, owned);
	return r;
}

int rendered_commit(struct rendered *rendered, bool *has_switched, struct problem *problem)
{
	const struct layer *before = rendered->tree;
	int r = rendered->options.is_atomic ? generation_commit(rendered, problem)
					    : manifest_seal(rendered->manifest);

	*has_switched = rendered->tree != before;
	if (rendered->options.mode == RENDER_DRY)
		return r;
	/* From now on an empty file is another program's doing. */
	rendered->has_rebooted &= r != 0;
	if (r == 0)
		write_boot(rendered);
	return r;
}

void rendered_doubt_links(struct rendered *rendered)
{
	if (rendered->options.is_atomic && rendered->work == COMMIT_NOTHING)
		rendered->work = COMMIT_LINKS;
}

bool rendered_is_to_switch(const struct rendered *rendered)
{
	return rendered->options.is_atomic &&
	       (rendered->work == COMMIT_GENERATION || !rendered->tree);
}

int rendered_open_place(const struct rendered *rendered)
{
	return layer_open_directory(rendered->place, "");
}

bool rendered_is_removed(const struct rendered *rendered)
{
	CLEANUP(closep) int fd = rendered_open_place(rendered);
	const int needed[] = {fd, rendered->own_fd, rendered->stage_fd};
	struct stat found;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (needed[i] >= 0 && fstat(needed[i], &found) == 0 && found.st_nlink == 0)
			return true;
	return false;
}

int rendered_open_directory(const struct rendered *rendered, const char *path)
{
	return rendered->tree ? layer_open_directory(rendered->tree, path) : -ENOENT;
}

int rendered_write_own(struct rendered *rendered, const char *name, const char *text, size_t len)
{
	char staged[STAGED_MAX];

	rendered_stage_name(rendered, staged);
	CLEANUP(closep)
	int fd = openat(rendered->stage_fd, staged,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : text_write(fd, text, len);
	if (r == 0 && renameat(rendered->stage_fd, staged, rendered->own_fd, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(rendered->stage_fd, staged, 0);
	return r;
}
