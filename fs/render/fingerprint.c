#include "fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"
#include "text.h"
#include "version.h"

static const char *const drifts[][2] = {
	[DRIFT_NONE] = {"none", "is as it was written"},
	[DRIFT_REMOVED] = {"removed", "another program has removed it"},
	[DRIFT_REPLACED] = {"replaced", "another program has put something else in its place"},
	[DRIFT_EDITED] = {"edited", "another program has changed it"},
	[DRIFT_RIGHTS] = {"rights", "another program has changed its mode or owner"},
};

const char *drift_name(enum drift drift)
{
	return drifts[drift][0];
}

const char *drift_text(enum drift drift)
{
	return drifts[drift][1];
}

enum drift drift_between(const struct fingerprint *was, const struct fingerprint *is)
{
	if (fingerprint_equal(was, is))
		return DRIFT_NONE;
	if (!is->mode)
		return DRIFT_REMOVED;
	if ((was->mode & S_IFMT) != (is->mode & S_IFMT))
		return DRIFT_REPLACED;
	return was->hash != is->hash ? DRIFT_EDITED : DRIFT_RIGHTS;
}

bool fingerprint_equal(const struct fingerprint *a, const struct fingerprint *b)
{
	/* The mode and owner of a link have no effect. */
	if (S_ISLNK(a->mode) && S_ISLNK(b->mode))
		return a->hash == b->hash;
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->hash == b->hash;
}

uint64_t fingerprint_add(uint64_t hash, struct span chunk)
{
	return hash_bytes(hash, chunk);
}

static int hash_file(int directory, const char *name, struct fingerprint *ret)
{
	CLEANUP(closep)
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char chunk[FINGERPRINT_CHUNK];
	off_t offset = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	ret->hash = FINGERPRINT_HASH;
	while ((n = pread(fd, chunk, sizeof(chunk), offset)) > 0) {
		ret->hash = fingerprint_add(ret->hash, (struct span){chunk, (size_t)n});
		offset += n;
	}
	return n < 0 ? -errno : 0;
}

static int hash_link(int directory, const char *name, struct fingerprint *ret)
{
	char target[FINGERPRINT_CHUNK];
	ssize_t n = readlinkat(directory, name, target, sizeof(target));

	if (n < 0)
		return -errno;
	ret->hash = fingerprint_add(FINGERPRINT_HASH, (struct span){target, (size_t)n});
	return 0;
}

int fingerprint_at(int directory, const char *name, struct fingerprint *ret)
{
	struct stat stat;

	*ret = (struct fingerprint){0};
	if (fstatat(directory, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	*ret = (struct fingerprint){.mode = stat.st_mode, .uid = stat.st_uid, .gid = stat.st_gid};
	int r = S_ISREG(stat.st_mode)   ? hash_file(directory, name, ret)
		: S_ISLNK(stat.st_mode) ? hash_link(directory, name, ret)
					: 0;
	/* The object may be removed or replaced at any time. */
	return r == -ENOENT || r == -ELOOP || r == -EINVAL ? fingerprint_at(directory, name, ret)
							   : r;
}

int fingerprint_of_version(const struct version *version, int fd, struct fingerprint *ret)
{
	char chunk[FINGERPRINT_CHUNK];
	struct stat stat;
	ssize_t n;
	int r = 0;

	version_stat(version, &stat);
	*ret = (struct fingerprint){stat.st_mode, stat.st_uid, stat.st_gid, FINGERPRINT_HASH};
	if (version->kind == VERSION_LINK) {
		ret->hash = fingerprint_add(
			FINGERPRINT_HASH, (struct span){version->data, (size_t)version->size});
		return 0;
	}
	for (off_t at = 0; r == 0 && (n = version_read(version, chunk, sizeof(chunk), at)) != 0;
		at += n) {
		r = n < 0 ? (int)n : fd < 0 ? 0 : text_write(fd, chunk, (size_t)n);
		if (r == 0)
			ret->hash = fingerprint_add(ret->hash, (struct span){chunk, (size_t)n});
	}
	return r;
}
