#include "keep_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tdb.h>

#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"

/* Chains of the database's hash. A path's chain is read from its beginning. */
#define CHAINS 10007

/* With another format, another number: what can't be read is as if it were not there. */
#define FORMAT 0x706c7931u

/* What such a file begins with. */
#define TDB_START "TDB file\n"

/* Of a record: its head, and four texts. */
#define PARTS 5

/* Nobody else has the file. */
#define FLAGS (TDB_NOLOCK | TDB_NOMMAP | TDB_INCOMPATIBLE_HASH | TDB_DISALLOW_NESTING)

struct keep_store {
	struct tdb_context *tdb;
};

/* What a record begins with, all of it set to be compared as bytes; the texts follow. */
struct head {
	uint32_t format;
	uint32_t mode;
	uint32_t uid;
	uint32_t gid;
	int64_t times[6]; /* seconds and nanoseconds */
	uint64_t lengths[4];
	uint64_t hash; /* of all else */
};

static TDB_DATA key_of(const char *path)
{
	return (TDB_DATA){.dptr = (unsigned char *)(uintptr_t)path, .dsize = strlen(path)};
}

/* What has failed, where errno was 0 before. The library's own error may be an older one's. */
static int errno_of(struct tdb_context *tdb)
{
	if (errno)
		return -errno;
	switch (tdb_error(tdb)) {
	case TDB_ERR_OOM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

/* The same of what writes. On a full disk the library gives up with no errno: posix_fallocate(3)
 * sets none. */
static int write_errno_of(struct tdb_context *tdb)
{
	return errno || tdb_error(tdb) == TDB_ERR_CORRUPT ? errno_of(tdb) : -ENOSPC;
}

/* 1: there is such a record; 0; or -errno. */
static int has_record(struct keep_store *store, const char *path)
{
	errno = 0;
	if (tdb_exists(store->tdb, key_of(path)))
		return 1;
	return tdb_error(store->tdb) == TDB_ERR_NOEXIST ? 0 : errno_of(store->tdb);
}

static int open_store(const char *name, int flags, int open_flags, struct keep_store **ret)
{
	struct keep_store *store = calloc(1, sizeof(*store));

	if (!store)
		return -ENOMEM;
	errno = 0;
	store->tdb = tdb_open(name, CHAINS, flags, open_flags, 0600);
	if (!store->tdb) {
		int r = errno ? -errno : -EIO;
		free(store);
		return r;
	}
	*ret = store;
	return 0;
}

/* The library makes a database of whatever does not look like one. */
static bool looks_right(const char *name)
{
	CLEANUP(closep) int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char start[sizeof(TDB_START) - 1];
	ssize_t n = fd < 0 ? 0 : read(fd, start, sizeof(start));

	return n == 0 || (n == sizeof(start) && memcmp(start, TDB_START, sizeof(start)) == 0);
}

static int open_checked(const char *name, struct keep_store **ret)
{
	struct keep_store *store = NULL;
	int r = looks_right(name) ? open_store(name, FLAGS, O_RDWR | O_CREAT | O_NOFOLLOW, &store)
				  : -EBADMSG;

	if (r < 0)
		return r;
	if (tdb_check(store->tdb, NULL, NULL) != 0) {
		keep_store_free(store);
		return -EBADMSG;
	}
	*ret = store;
	return 0;
}

int keep_store_open(int directory, const char *name, struct keep_store **ret, bool *is_damaged)
{
	char path[sizeof("/proc/self/fd//") + 3 * sizeof(int) + 64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", directory, name);
	int r = open_checked(path, ret);
	/* Without a check the library knows some damages by itself. */
	*is_damaged = r == -EBADMSG || r == -EIO || r == -EINVAL;
	if (!*is_damaged)
		return r;
	return unlinkat(directory, name, 0) < 0 ? -errno : open_checked(path, ret);
}

void keep_store_free(struct keep_store *store)
{
	if (!store)
		return;
	tdb_close(store->tdb);
	free(store);
}

int keep_store_begin(struct keep_store *store)
{
	errno = 0;
	return tdb_transaction_start(store->tdb) == 0 ? 0 : errno_of(store->tdb);
}

int keep_store_end(struct keep_store *store)
{
	errno = 0;
	if (tdb_transaction_commit(store->tdb) == 0)
		return 0;
	return write_errno_of(store->tdb);
}

void keep_store_cancel(struct keep_store *store)
{
	tdb_transaction_cancel(store->tdb);
}

/* From a start of its own: it is compared with what another process has written. */
static uint64_t hash_record(const struct head *head, const struct span texts[4])
{
	uint64_t hash =
		hash_bytes(FORMAT, (struct span){(const char *)head, offsetof(struct head, hash)});

	for (size_t i = 0; i < 4; i++)
		hash = hash_bytes(hash, texts[i]);
	return hash;
}

static void fill_head(const struct kept *kept, const struct span texts[4], struct head *head)
{
	const struct timespec times[] = {kept->mtime, kept->ctime, kept->made};

	*head = (struct head){
		.format = FORMAT, .mode = kept->mode, .uid = kept->uid, .gid = kept->gid};
	for (size_t i = 0; i < 3; i++) {
		head->times[2 * i] = times[i].tv_sec;
		head->times[2 * i + 1] = times[i].tv_nsec;
	}
	for (size_t i = 0; i < 4; i++)
		head->lengths[i] = texts[i].len;
	head->hash = hash_record(head, texts);
}

/* 1: the record is just the parts one after the other. */
static int compare_record(TDB_DATA key, TDB_DATA data, void *context)
{
	const TDB_DATA *parts = context;
	size_t at = 0;

	(void)key;
	for (size_t i = 0; i < PARTS; at += parts[i++].dsize)
		if (parts[i].dsize > data.dsize - at ||
			(parts[i].dsize &&
				memcmp(data.dptr + at, parts[i].dptr, parts[i].dsize) != 0))
			return 0;
	return at == data.dsize;
}

int keep_store_put(struct keep_store *store, const char *path, const struct kept *kept)
{
	const struct span texts[] = {kept->strategy, kept->layers, kept->sources, kept->bytes};
	TDB_DATA parts[PARTS];
	struct head head;

	fill_head(kept, texts, &head);
	parts[0] = (TDB_DATA){(unsigned char *)&head, sizeof(head)};
	for (size_t i = 1; i < PARTS; i++)
		parts[i] =
			(TDB_DATA){(unsigned char *)(uintptr_t)texts[i - 1].data, texts[i - 1].len};
	errno = 0;
	int there = tdb_parse_record(store->tdb, key_of(path), compare_record, parts);
	if (there == 1)
		return 0;
	if (there < 0 && errno)
		return -errno;
	errno = 0;
	if (tdb_storev(store->tdb, key_of(path), parts, PARTS, TDB_REPLACE) != 0)
		return write_errno_of(store->tdb);
	return 0;
}

int keep_store_drop(struct keep_store *store, const char *path)
{
	int there = has_record(store, path);
	if (there <= 0)
		return there;
	errno = 0;
	return tdb_delete(store->tdb, key_of(path)) != 0 ? errno_of(store->tdb) : 0;
}

/* Whether the record is whole; then *ret is what it says. */
static bool read_record(struct span record, struct kept *ret)
{
	struct span texts[4];
	struct head head;
	size_t at = sizeof(head);

	if (record.len < sizeof(head))
		return false;
	memcpy(&head, record.data, sizeof(head));
	if (head.format != FORMAT)
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (head.lengths[i] > record.len - at)
			return false;
		texts[i] = (struct span){record.data + at, (size_t)head.lengths[i]};
		at += texts[i].len;
	}
	if (at != record.len || head.hash != hash_record(&head, texts))
		return false;
	*ret = (struct kept){.mode = head.mode,
		.uid = head.uid,
		.gid = head.gid,
		.mtime = {head.times[0], head.times[1]},
		.ctime = {head.times[2], head.times[3]},
		.made = {head.times[4], head.times[5]},
		.strategy = texts[0],
		.layers = texts[1],
		.sources = texts[2],
		.bytes = texts[3]};
	return true;
}

int keep_store_get(struct keep_store *store, const char *path, struct kept *ret, void **memory)
{
	/* What there is not is no error that the library would tell. */
	int there = has_record(store, path);
	if (there <= 0)
		return there < 0 ? there : -ENOENT;
	errno = 0;
	TDB_DATA data = tdb_fetch(store->tdb, key_of(path));
	if (!data.dptr)
		return errno_of(store->tdb);
	if (!read_record((struct span){(const char *)data.dptr, data.dsize}, ret)) {
		free(data.dptr);
		return -ENOENT;
	}
	*memory = data.dptr;
	return 0;
}

struct visit {
	void (*each)(void *context, const char *path, const struct kept *kept);
	void *context;
};

static int visit_record(struct tdb_context *tdb, TDB_DATA key, TDB_DATA data, void *context)
{
	const struct visit *visit = context;
	CLEANUP(freep) char *path = strndup((const char *)key.dptr, key.dsize);
	struct kept kept;

	(void)tdb;
	if (path && read_record((struct span){(const char *)data.dptr, data.dsize}, &kept))
		visit->each(visit->context, path, &kept);
	return 0;
}

int keep_store_each(struct keep_store *store,
	void (*each)(void *context, const char *path, const struct kept *kept), void *context)
{
	struct visit visit = {each, context};

	errno = 0;
	return tdb_traverse_read(store->tdb, visit_record, &visit) < 0 ? errno_of(store->tdb) : 0;
}
