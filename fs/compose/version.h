/*
 * A version: the bytes and attributes of a path at one moment. If the merged result changes, the
 * path gets a new version. An open file keeps its version, as after an atomic replace.
 *
 * References are counted. Once the version is shown, only `inode` and fields marked mutable change.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "problem.h"
#include "rights.h"
#include "span.h"

/* An inode, as the kernel knows it. The view owns it (inode.h). */
enum inode_type { INODE_DIRECTORY, INODE_VERSION, INODE_PLACEHOLDER };

struct inode {
	uint64_t ino;         /* 0: none yet */
	uint64_t kernel_refs; /* lookups that the kernel has not forgotten */
	enum inode_type type;
	bool is_removed;    /* an entry showed it, or was to show it; now no entry does */
	struct inode *next; /* in the table of inode.h */
};

struct loaded;
struct source_cache;

enum version_kind {
	VERSION_BYTES,  /* `data` is the file */
	VERSION_HELD,   /* a large file of one layer, read through `fd` */
	VERSION_LINK,   /* `data` is the target */
	VERSION_BROKEN, /* there is no good version to show: reading gives EIO */
};

/* A stamp identifies the state of a source, by stat(2). */
struct stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct timespec ctime;
};

struct stamp_list {
	struct stamp *items; /* owned; NULL: none are known */
	size_t count;
};

struct version {
	struct inode inode; /* must be first; its number is 0 until the version is shown */
	atomic_uint references;
	enum version_kind kind;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	uint64_t size;         /* bytes */
	struct timespec mtime; /* at first the newest source's; mutable */
	struct timespec ctime; /* at first the newest source's; mutable */
	char *data;            /* `size` bytes; owned */
	struct span map;       /* the mapping in which `data` lies; empty: memory of bytes.h */
	int fd;                /* VERSION_HELD; else -1 */
	struct stamp *stamps;  /* of the sources, then of environment.stats (environment.h) */
	size_t stamp_count;
	struct timespec made; /* CLOCK_REALTIME: when it was composed */
	bool has_refusals;    /* a value lock or bound has refused values of a source */
	uint64_t basis;       /* compose_basis() (compose.h) of the sources as merged; 0: unknown */

	/* Below: mutable. `layers`, `sources`: NULL if no extended attribute shows them. */
	const char *strategy;      /* the strategy's name; static */
	char *layers;              /* the contributing layers' names, lowest first, "vendor:site" */
	char *sources;             /* struct source_list */
	struct stamp_list latest;  /* of the sources that last made the same bytes */
	struct loaded **fallbacks; /* used in its merge (fallback.h); one reference each */
	size_t fallback_count;
	struct source_cache *cache; /* that holds its sources (source_cache_hold()), or NULL */
	struct entry *entry;        /* the entry that shows it now, or NULL */
};

static inline bool time_equal(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static inline bool time_is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

struct stamp stamp_of(const struct stat *stat);
bool stamp_equal(const struct stamp *a, const struct stamp *b);

/** Returns `hash` with the stamp added; stamp_hash(): with that of `stat`. */
uint64_t stamp_add(uint64_t hash, const struct stamp *stamp);
uint64_t stamp_hash(uint64_t hash, const struct stat *stat);

/** Returns whether the layer of that name has contributed to the version. */
bool version_has_layer(const struct version *version, const char *name);

/** Makes an empty version with one reference, no data and fd -1. NULL: no memory. */
struct version *version_new(enum version_kind kind);
struct version *version_ref(struct version *version);
void version_unref(struct version *version); /* NULL is fine */
void version_unrefp(struct version **version);

/** Returns whether two versions have the same content, kind, mode and owner. Times do not count. */
bool version_same(const struct version *a, const struct version *b);

/**
 * Copies content and attributes, but no stamps and no descriptor. So the copy of a VERSION_HELD
 * can't be read. Returns one reference; NULL: no memory.
 */
struct version *version_copy(const struct version *version);

/**
 * Copies the version with its stamps, fallbacks and descriptor, and does version_restrict() with
 * the copy and `other`. Returns one reference to the copy; NULL: memory or descriptors are short.
 */
struct version *version_narrow(
	const struct version *version, const struct version *other, const struct mounter *mounter);

/** Restricts `version`, which is not shown yet, to users who may also read `other`. */
void version_restrict(
	struct version *version, const struct version *other, const struct mounter *mounter);

/** Returns the stamps of the sources that last made the version's bytes, and their count. */
const struct stamp *version_stamps(const struct version *version, size_t *count);

/** Returns whether the version has only one source. If so, its time is that source's time. */
bool version_has_one_source(const struct version *version);

/**
 * For two versions with the same content: returns whether both have the same file as their only
 * source, with different mtimes. Call it before version_take_sources().
 */
bool version_is_touched(const struct version *version, const struct version *other);

/** Moves layers, sources, strategy, fallbacks and stamps from `other`, which has equal bytes. */
void version_take_sources(struct version *version, struct version *other);

/** Fills in the version's attributes, as stat(2) does. */
void version_stat(const struct version *version, struct stat *ret);

/**
 * Reads up to `size` bytes at `offset` into `buffer`. Returns the count; -EIO: VERSION_BROKEN;
 * -ESTALE: a program has changed the file of a VERSION_HELD in place; or another -errno.
 */
ssize_t version_read(const struct version *version, char *buffer, size_t size, off_t offset);

/**
 * Reads all bytes, or the target of a link. Returns 0 with *ret, NUL-terminated, for free(3);
 * -ENOMEM; or an error of version_read().
 */
int version_read_all(const struct version *version, char **ret);

/*
 * The names of a version's sources as one text, lowest precedence first:
 * "vendor/app.yaml:site/app.yaml". "\:" stands for a colon in a name, "\\" for a backslash.
 */
/* Maximum length in bytes: an extended attribute has at most 65536. ":…" replaces further names. */
#define SOURCE_LIST_MAX 60000

struct source_list {
	char *text; /* for free(3); NULL: nothing was added */
	size_t len;
	size_t capacity;
	int failure; /* 0; -ENOMEM; -E2BIG: further names are left out */
};

/** Adds a name. If memory is short, source_list_take() will return -ENOMEM. */
void source_list_add(struct source_list *list, const char *name);

/** Empties the list. Returns 0 with its text in *ret (may be ""), for free(3); or -ENOMEM. */
int source_list_take(struct source_list *list, char **ret);
