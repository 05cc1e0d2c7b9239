#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "text.h"
#include "version.h"

#define NAME "manifest"
#define NEW_NAME "manifest.new"
#define HEAD "plyfs render 2\n"
#define HEAD_ATOMIC "plyfs render 2 atomic\n"

/* Number of lines for each name, plus a constant, after which the log is written anew. */
#define LINES_PER_NAME 4
#define LINES_FREE 1000

/*
 * If a name is on the disk before its line, its object counts as drift after a power failure. So
 * the log is synced at the end of each batch, and during a long one with the first line that comes
 * this long after the last sync: a journal is usually committed less often (ext4: 5 s). A name may
 * still be there first, but seldom; fsync(2) for each line would take too long.
 */
#define SYNC_MS 1000

struct manifest {
	struct owned **items; /* in byte order of their paths */
	size_t count;
	size_t capacity;
	size_t next;   /* behind the last entry that was found */
	int directory; /* the caller's */
	int fd; /* of the log, for appending; -1: nothing was written, or only read, or a dry run */
	off_t size;        /* of the log's good part */
	int64_t synced_ms; /* clock_ms() when the log was last known to be on the disk */
	bool is_atomic;
	bool is_behind; /* the log lacks a line, or has half of one: it must be made anew */
	uint32_t lines;
	uint32_t sealed; /* all changes up to this line are complete */

	/* A stream for lines, reused: opening one costs more than a line. */
	FILE *out; /* NULL: no line was written yet */
	char *line;
	size_t line_len;
};

static void owned_free(struct owned *owned)
{
	version_unref(owned->wanted);
	free(owned->fault);
	free(owned);
}

void manifest_freep(struct manifest **place)
{
	struct manifest *manifest = *place;

	if (!manifest)
		return;
	for (size_t i = 0; i < manifest->count; i++)
		owned_free(manifest->items[i]);
	free(manifest->items);
	closep(&manifest->fd);
	if (manifest->out)
		fclose(manifest->out);
	free(manifest->line);
	free(manifest);
}

bool manifest_is_atomic(const struct manifest *manifest)
{
	return manifest->is_atomic;
}

/*
 * Finds the entry of `path`, or the place where it belongs. Most callers go through the paths in
 * their order, so the entry behind the last one is compared first.
 */
static bool find(struct manifest *manifest, const char *path, size_t *ret)
{
	size_t low = 0, high = manifest->count;
	size_t at = manifest->next < high ? manifest->next : high - 1;
	int order = 1;

	for (; order != 0 && low < high; at = low + (high - low) / 2) {
		order = strcmp(manifest->items[at]->path, path);
		if (order < 0)
			low = at + 1;
		else
			high = at;
	}
	*ret = high;
	manifest->next = high + 1;
	return order == 0;
}

struct owned *manifest_find(struct manifest *manifest, const char *path)
{
	size_t at;

	return find(manifest, path, &at) ? manifest->items[at] : NULL;
}

struct owned *manifest_get(struct manifest *manifest, const char *path)
{
	size_t at;

	if (find(manifest, path, &at))
		return manifest->items[at];
	if (array_grow(manifest->items, manifest->count, manifest->capacity) < 0)
		return NULL;
	struct owned *owned = calloc(1, sizeof(*owned) + strlen(path) + 1);
	if (!owned)
		return NULL;
	strcpy(owned->path, path);
	memmove(manifest->items + at + 1, manifest->items + at,
		(manifest->count++ - at) * sizeof(owned));
	return manifest->items[at] = owned;
}

void manifest_forget(struct manifest *manifest, struct owned *owned)
{
	size_t at;

	find(manifest, owned->path, &at);
	memmove(manifest->items + at, manifest->items + at + 1,
		(--manifest->count - at) * sizeof(owned));
	owned_free(owned);
}

void manifest_put_path(FILE *out, const char *path)
{
	for (; *path; path++) {
		if (*path == '\n' || *path == '\\')
			fputc('\\', out);
		fputc(*path == '\n' ? 'n' : *path, out);
	}
	fputc('\n', out);
}

/* Writes a "+" or "?" line; without a fingerprint a "-" line. */
static void put_line(FILE *out, const struct fingerprint *fingerprint, const char *path)
{
	if (fingerprint && fingerprint->mode)
		fprintf(out, "+ %o %u %u %" PRIx64 " ", fingerprint->mode, fingerprint->uid,
			fingerprint->gid, fingerprint->hash);
	else
		fputs(fingerprint ? "? " : "- ", out);
	manifest_put_path(out, path);
}

static int begin_log(struct manifest *manifest);

/* Waits until the log is on the disk. */
static int sync_log(struct manifest *manifest)
{
	manifest->synced_ms = clock_ms();
	if (fdatasync(manifest->fd) == 0 || errno == EINVAL)
		return 0;
	/* A second call would succeed without the lines. */
	manifest->is_behind = true;
	return -errno;
}

/* Appends all of the text or nothing. */
static int append(struct manifest *manifest, const char *text, size_t len)
{
	int r = manifest->is_behind ? begin_log(manifest) : 0;

	if (r < 0 || manifest->fd < 0)
		return r;
	r = text_write(manifest->fd, text, len);
	if (r == 0 && clock_ms() - manifest->synced_ms >= SYNC_MS)
		r = sync_log(manifest);
	if (r == 0)
		manifest->size += (off_t)len;
	else if (ftruncate(manifest->fd, manifest->size) < 0)
		manifest->is_behind = true;
	return r;
}

static int append_line(
	struct manifest *manifest, const struct fingerprint *fingerprint, const struct owned *owned)
{
	if (!manifest->out)
		manifest->out = open_memstream(&manifest->line, &manifest->line_len);
	if (!manifest->out)
		return -ENOMEM;
	rewind(manifest->out);
	put_line(manifest->out, fingerprint, owned->path);
	if (fflush(manifest->out) != 0 || ferror(manifest->out))
		return -ENOMEM;
	int r = append(manifest, manifest->line, manifest->line_len);
	if (r == 0)
		manifest->lines++;
	return r;
}

bool manifest_is_in_doubt(const struct manifest *manifest, const struct owned *owned)
{
	return owned->line > manifest->sealed;
}

/* Sets the new fingerprint, and keeps the former one until the new one is known to be in place. */
static void take_fingerprint(
	const struct manifest *manifest, struct owned *owned, const struct fingerprint *fingerprint)
{
	/* A generation's entry that is not logged yet has its shown fingerprint in `former`. */
	if (owned->is_logged && (!manifest->is_atomic || !manifest_is_in_doubt(manifest, owned)))
		owned->former = owned->fingerprint;
	owned->fingerprint = *fingerprint;
	owned->line = manifest->lines;
	owned->is_logged = true;
}

int manifest_put(struct manifest *manifest, struct owned *owned, const struct fingerprint *wanted)
{
	if (owned->is_logged && fingerprint_equal(&owned->fingerprint, wanted))
		return 0;
	int r = append_line(manifest, wanted, owned);
	if (r == 0)
		take_fingerprint(manifest, owned, wanted);
	return r;
}

void manifest_undo(struct manifest *manifest, struct owned *owned, const struct fingerprint *before)
{
	if (fingerprint_equal(&owned->fingerprint, before))
		return;
	int r = append_line(manifest, before->mode ? before : NULL, owned);
	manifest->is_behind |= r < 0 && manifest->fd >= 0; /* a dry run has no log */
	owned->fingerprint = owned->former = *before;
	owned->is_logged = before->mode != 0;
}

int manifest_drop(struct manifest *manifest, struct owned *owned)
{
	int r = owned->is_logged ? append_line(manifest, NULL, owned) : 0;

	manifest->is_behind |= r < 0 && manifest->fd >= 0; /* a dry run has no log */
	owned->fingerprint = owned->former = (struct fingerprint){0};
	owned->is_logged = false;
	return r;
}

/* A change of the owner clears some bits of a file's mode. */
static bool has_mode(const struct fingerprint *now, mode_t mode)
{
	return now->mode == mode || now->mode == (mode & ~(mode_t)(S_ISUID | S_ISGID));
}

/* Returns whether the rights are a mixture of both fingerprints': a process was changing them. */
static bool is_between(const struct fingerprint *former, const struct fingerprint *fingerprint,
	const struct fingerprint *now)
{
	return ((former->mode ^ fingerprint->mode) & S_IFMT) == 0 &&
	       former->hash == fingerprint->hash && now->hash == fingerprint->hash &&
	       (has_mode(now, former->mode) || has_mode(now, fingerprint->mode)) &&
	       (now->uid == former->uid || now->uid == fingerprint->uid) &&
	       (now->gid == former->gid || now->gid == fingerprint->gid);
}

/* Returns whether we can have left that there, although the last line says otherwise. */
static bool may_be(
	const struct manifest *manifest, const struct owned *owned, const struct fingerprint *now)
{
	return manifest_is_in_doubt(manifest, owned) &&
	       (fingerprint_equal(&owned->former, now) ||
		       is_between(&owned->former, &owned->fingerprint, now));
}

int manifest_settle(struct manifest *manifest, struct owned *owned, const struct fingerprint *now)
{
	return may_be(manifest, owned, now) ? manifest_put(manifest, owned, now) : 0;
}

enum drift manifest_drift(
	const struct manifest *manifest, const struct owned *owned, const struct fingerprint *now)
{
	const struct fingerprint *was =
		owned->fingerprint.mode || !manifest_is_in_doubt(manifest, owned)
			? &owned->fingerprint
			: &owned->former;

	/* Once a name is removed, an object there is not ours. */
	if (!was->mode || fingerprint_equal(&owned->fingerprint, now) ||
		may_be(manifest, owned, now))
		return DRIFT_NONE;
	return drift_between(was, now);
}

char *manifest_read_path(char *line)
{
	char *out = line, *at = line;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			*out++ = *++at == 'n' ? '\n' : *at;
		else
			*out++ = *at;
	}
	*out = '\0';
	return *line && *line != '/' ? line : NULL;
}

uint64_t manifest_read_hash(char **at)
{
	uint64_t hash = 0;

	for (char c; (c = **at, (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')); (*at)++)
		hash = hash << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	return hash;
}

/* Parses "+ 100444 0 0 3f2a6c0e11d09b54 ". Returns the path behind it, or NULL. */
static char *read_fingerprint(char *line, struct fingerprint *ret)
{
	char *end;

	*ret = (struct fingerprint){0};
	ret->mode = (mode_t)strtoul(line, &end, 8);
	ret->uid = (uid_t)strtoul(end, &end, 10);
	ret->gid = (gid_t)strtoul(end, &end, 10);
	end += *end == ' ';
	ret->hash = manifest_read_hash(&end);
	return *end == ' ' && ret->mode ? end + 1 : NULL;
}

static int take_line(struct manifest *manifest, char *line)
{
	char sign = line[0], *path = line[0] && line[1] == ' ' ? line + 2 : NULL;
	struct fingerprint fingerprint = {0};
	struct owned *owned;

	manifest->lines++;
	if (sign == '=' && !line[1]) {
		manifest->sealed = manifest->lines;
		return 0;
	}
	if (sign == '+' && path)
		path = read_fingerprint(path, &fingerprint);
	else if (sign != '-' && sign != '?')
		return -EBADMSG;
	if (!path || !(path = manifest_read_path(path)))
		return -EBADMSG;
	owned = sign == '-' ? manifest_find(manifest, path) : manifest_get(manifest, path);
	if (sign != '-' && owned)
		take_fingerprint(manifest, owned, &fingerprint);
	else if (sign != '-')
		return -ENOMEM;
	else if (owned)
		manifest_forget(manifest, owned);
	return 0;
}

static int read_log(struct manifest *manifest, FILE *in)
{
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t len = getline(&line, &size, in);

	manifest->is_atomic = len >= 0 && strcmp(line, HEAD_ATOMIC) == 0;
	int r = manifest->is_atomic || (len >= 0 && strcmp(line, HEAD) == 0) ? 0 : -EBADMSG;
	while (r == 0 && (len = getline(&line, &size, in)) > 0) {
		if (line[len - 1] != '\n')
			break; /* the process was killed while writing it */
		line[len - 1] = '\0';
		r = strlen(line) == (size_t)len - 1 ? take_line(manifest, line) : -EBADMSG;
	}
	return r;
}

/* Makes the whole log as it would be written now. Names in doubt have both lines. */
static int make_log(const struct manifest *manifest, char **ret, size_t *len)
{
	FILE *out = open_memstream(ret, len);
	const struct owned *owned;

	if (!out)
		return -ENOMEM;
	fputs(manifest->is_atomic ? HEAD_ATOMIC : HEAD, out);
	for (size_t i = 0; (owned = manifest_at(manifest, i)); i++) {
		bool is_settled = owned->is_logged && !manifest_is_in_doubt(manifest, owned);
		if (is_settled || owned->former.mode)
			put_line(out, is_settled ? &owned->fingerprint : &owned->former,
				owned->path);
	}
	fputs("=\n", out);
	for (size_t i = 0; (owned = manifest_at(manifest, i)); i++)
		if (owned->is_logged && manifest_is_in_doubt(manifest, owned))
			put_line(out, &owned->fingerprint, owned->path);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

/* Writes the log anew, as it would grow without end. */
static int begin_log(struct manifest *manifest)
{
	CLEANUP(closep)
	int fd = openat(manifest->directory, NEW_NAME,
		O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	int r = fd < 0 ? -errno : make_log(manifest, &text, &len);

	if (r == 0)
		r = text_write(fd, text, len);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(manifest->directory, NEW_NAME, manifest->directory, NAME) < 0)
		r = -errno;
	if (r < 0)
		return r;
	closep(&manifest->fd);
	manifest->fd = take_fd(&fd);
	manifest->size = (off_t)len;
	manifest->synced_ms = clock_ms();
	manifest->is_behind = false;
	return 0;
}

int manifest_seal(struct manifest *manifest)
{
	if (manifest->sealed == manifest->lines)
		return 0;
	int r = append(manifest, "=\n", 2);
	if (r < 0)
		return r;
	manifest->sealed = ++manifest->lines;
	if (manifest->fd < 0)
		return 0;
	bool is_long = manifest->lines >= LINES_PER_NAME * manifest->count + LINES_FREE;
	r = is_long ? begin_log(manifest) : sync_log(manifest);
	/* The next call must try again. */
	if (r < 0)
		manifest->sealed--;
	if (r < 0 || !is_long)
		return r;
	for (size_t i = 0; i < manifest->count; i++)
		manifest->items[i]->line = 0;
	manifest->lines = manifest->sealed = (uint32_t)manifest->count;
	return 0;
}

int manifest_read(int directory, struct manifest **ret)
{
	CLEANUP(manifest_freep) struct manifest *manifest = calloc(1, sizeof(*manifest));
	CLEANUP(closep) int fd = descriptor_open_file(directory, NAME);

	if (!manifest)
		return -ENOMEM;
	manifest->fd = -1;
	manifest->directory = directory;
	if (fd < 0)
		return fd;
	FILE *in = fdopen(fd, "r");
	if (!in)
		return -ENOMEM;
	fd = -1;
	int r = read_log(manifest, in);
	fclose(in);
	if (r == 0)
		*ret = take_ptr(manifest);
	return r;
}

int manifest_open(int directory, bool is_atomic, bool is_dry, struct manifest **ret)
{
	CLEANUP(manifest_freep) struct manifest *manifest = NULL;
	int r = directory >= 0 ? manifest_read(directory, &manifest) : -ENOENT;
	bool is_new = r == -ENOENT;

	if (is_new) {
		manifest = calloc(1, sizeof(*manifest));
		if (!manifest)
			return -ENOMEM;
		*manifest =
			(struct manifest){.fd = -1, .directory = directory, .is_atomic = is_atomic};
		r = 0;
	}
	if (r == 0 && manifest->is_atomic != is_atomic)
		return MANIFEST_OTHER_KIND;
	if (r < 0)
		return r;
	/* A complete log is made anew before the next line: without changes, nothing is written. */
	manifest->is_behind = !is_dry;
	if (!is_dry && (is_new || manifest->sealed != manifest->lines))
		r = begin_log(manifest);
	if (r == 0)
		*ret = take_ptr(manifest);
	return r;
}

struct owned *manifest_at(const struct manifest *manifest, size_t index)
{
	return index < manifest->count ? manifest->items[index] : NULL;
}

int manifest_list(struct manifest *manifest, const char *path, struct owned ***ret, size_t *count)
{
	size_t first, end, len = strlen(path);

	find(manifest, path, &first);
	for (end = first; end < manifest->count; end++)
		if (strncmp(manifest->items[end]->path, path, len) != 0)
			break;
	struct owned **items = calloc(end - first + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	*count = 0;
	for (size_t i = first; i < end; i++)
		if (!len || !manifest->items[i]->path[len] || manifest->items[i]->path[len] == '/')
			items[(*count)++] = manifest->items[i];
	*ret = items;
	return 0;
}
