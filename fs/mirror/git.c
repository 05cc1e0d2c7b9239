#include "git.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "repository.h"
#include "text.h"
#include "tree.h"

/*
 * Maximum size of one file, of all files, and maximum number of files: more is no configuration. A
 * commit of a few kilobytes may have one file a million times.
 */
#define FILE_BYTES_MAX ((size_t)64 << 20)
#define BYTES_MAX_GIB 4
#define BYTES_MAX ((uint64_t)BYTES_MAX_GIB << 30)
#define FILES_MAX 1000000

/*
 * Size of a line of "git ls-tree": the path, and everything else. A path that does not fit is cut,
 * and is still longer than TREE_PATH_MAX.
 */
#define LINE_MAX_BYTES (TREE_PATH_MAX + 4096)

/* git's message about a directory that the commit does not have; LC_ALL is C. */
#define NO_SUCH_OBJECT "Not a valid object name"

/* A file of the commit. */
struct commit_file {
	char *path;
	mode_t mode; /* S_IFLNK: a symbolic link */
};

struct export
{
	struct commit_file *items;
	size_t count;
	size_t capacity;
	uint64_t bytes; /* of all files, with their paths */
	int ids;        /* a file with the blobs' names, one a line */
};

struct git {
	const struct git_options *options;
	struct mirror *mirror;
	struct repository *repository;
	char *path; /* of the directory, without slashes at its ends */
	/* the commit that was looked at last */
	enum {
		COMMIT_UNKNOWN,  /* the look has failed, or SIGHUP has come since */
		COMMIT_COMPARED, /* the look took it, or found no other one */
		COMMIT_UNSIGNED, /* compared, but the key has not signed it */
	} commit;
};

static void export_fini(struct export *export)
{
	for (size_t i = 0; i < export->count; i++)
		free(export->items[i].path);
	free(export->items);
	closep(&export->ids);
}

static void refuse(struct git *git, const char *path, const char *why)
{
	char subject[TREE_PATH_MAX + 8];

	snprintf(subject, sizeof(subject), "file %s", path);
	mirror_fault(git->mirror, subject, "%s", why);
}

/* Converts git's mode of a file. 0: the file is left out, and *why is the reason. */
static mode_t mode_of(const struct git *git, const char *mode, const char **why)
{
	mode_t plain = git->mirror->options.mode;

	if (strcmp(mode, "120000") == 0)
		return S_IFLNK;
	if (strcmp(mode, "100755") == 0)
		return plain | (plain & 0444) >> 2;
	if (strncmp(mode, "100", 3) == 0)
		return plain;
	*why = "is a submodule, which is no file of this repository; mirror that one by itself";
	return 0;
}

/* Returns whether a part of the path is ".git", in any case, which a git run there would obey. */
static bool has_git(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncasecmp(at, ".git", 4) == 0 && (!at[4] || at[4] == '/'))
			return true;
	}
	return false;
}

/* Returns the reason why the path is left out; NULL: it is not. */
static const char *refuse_path(const char *path)
{
	if (has_git(path))
		return "has a part that is .git, which git never checks out; rename it";
	return tree_path_refuse(span_of(path));
}

/* Parses "MODE TYPE ID SIZE\tPATH"; a submodule has no size. */
static int take_line(struct git *git, const char *line, struct export *export)
{
	char git_mode[8], id[REPOSITORY_ID_MAX], size[24];
	const char *path = strchr(line, '\t');
	const char *why = NULL;

	if (!path++ || sscanf(line, "%7s %*s %64s %23s", git_mode, id, size) != 3)
		return -EBADMSG;
	mode_t mode = mode_of(git, git_mode, &why);
	if (!why)
		why = refuse_path(path);
	if (why) {
		refuse(git, path, why);
		return 0;
	}
	export->bytes += strtoull(size, NULL, 10) + strlen(path);
	if (export->count >= FILES_MAX || export->bytes > BYTES_MAX)
		return -EFBIG;
	if (array_grow(export->items, export->count, export->capacity) < 0)
		return -ENOMEM;
	struct commit_file item = {.path = strdup(path), .mode = mode};
	if (!item.path)
		return -ENOMEM;
	export->items[export->count++] = item;
	return dprintf(export->ids, "%s\n", id) < 0 ? -errno : 0;
}

static int list(struct git *git, const char *id, struct export *export, struct problem *problem)
{
	CLEANUP(freep) struct subprocess *child = malloc(sizeof(*child));
	CLEANUP(freep) char *line = malloc(LINE_MAX_BYTES);

	if (!child || !line)
		return -ENOMEM;
	int r = repository_list(git->repository, id, git->path, child);
	if (r < 0)
		return r;
	while (r == 0) {
		r = subprocess_read_cut(child, '\0', line, LINE_MAX_BYTES);
		if (r == 0)
			r = take_line(git, line, export);
	}
	/* The rest of the output may be a million times as long. */
	if (r != -ENODATA)
		subprocess_give_up(child);
	int status = subprocess_end(child);
	if (r == -ENOMEM)
		return r;
	if (r == -ENODATA && status == 0)
		return 0;
	if (r == -EFBIG)
		return problem_set(problem, git->options->url, 0, 0,
			"has more than %d files, or more than %d GiB; give --path", FILES_MAX,
			BYTES_MAX_GIB);
	if (*git->path && strstr(child->error, NO_SUCH_OBJECT))
		return problem_set(problem, git->options->url, 0, 0,
			"the commit %.12s has no directory '%s'; correct the path", id, git->path);
	return problem_set(problem, git->options->url, 0, 0, "%s",
		child->error_len ? child->error : text_error(r < 0 ? r : -EIO));
}

/*
 * Returns whether a link at `path` stays in the tree, whatever other links the tree has: it may
 * have as many ".." as there are directories above it, and only in front.
 */
static bool stays_inside(const char *path, struct span target)
{
	size_t up = 0, above = 0;
	bool is_down = false;

	for (; (path = strchr(path, '/')); path++)
		above++;
	if (!target.len || *target.data == '/' || memchr(target.data, '\0', target.len))
		return false;
	while (target.len) {
		const char *slash = memchr(target.data, '/', target.len);
		size_t len = slash ? (size_t)(slash - target.data) : target.len;
		bool is_up = len == 2 && memcmp(target.data, "..", 2) == 0;

		if (is_up && (is_down || ++up > above))
			return false;
		is_down |= !is_up && len > 0 && !(len == 1 && *target.data == '.');
		len += slash != NULL;
		target.data += len;
		target.len -= len;
	}
	return true;
}

static int put_item(struct git *git, const struct commit_file *item, struct span bytes)
{
	size_t clash;

	if (S_ISLNK(item->mode) && !stays_inside(item->path, bytes)) {
		refuse(git, item->path,
			"is a link that leads out of the mirrored directory; put a file there");
		return 0;
	}
	int r = replica_draft_put(git->mirror->replica, item->path, bytes, item->mode, &clash);
	/* Some file systems allow only shorter links than others. */
	if (r == -ENAMETOOLONG) {
		refuse(git, item->path,
			"is longer, or a link with a longer target, than the file system allows; "
			"shorten it");
		return 0;
	}
	if (r == TREE_CLASH || (r == 0 && clash))
		refuse(git, item->path, "is a file and a directory; no commit may have that");
	return r < 0 ? r : 0;
}

/* Reads the next reply of "git cat-file": "ID blob SIZE\n", the bytes, "\n". */
static int take_blob(struct git *git, struct subprocess *child, const struct commit_file *item)
{
	char head[2 * REPOSITORY_ID_MAX];
	CLEANUP(freep) char *bytes = NULL;
	size_t len;

	int r = subprocess_read_until(child, '\n', head, sizeof(head), &len);
	const char *size = r == 0 ? strstr(head, " blob ") : NULL;
	if (!size)
		return r ? r : -EBADMSG;
	unsigned long long number = strtoull(size + 6, NULL, 10);
	if (number > FILE_BYTES_MAX) {
		refuse(git, item->path,
			"has more than 64 MiB, which is no configuration; remove it from the "
			"repository");
		return number < SIZE_MAX ? subprocess_read_all(child, NULL, (size_t)number + 1)
					 : -EFBIG;
	}
	bytes = malloc((size_t)number + 1);
	if (!bytes)
		return -ENOMEM;
	r = subprocess_read_all(child, bytes, (size_t)number + 1);
	return r ? r : put_item(git, item, (struct span){bytes, (size_t)number});
}

/* Reads all blobs into the draft. Returns 0, PROBLEM if git fails, or -errno if our disk does. */
static int read_blobs(struct git *git, struct export *export, struct problem *problem)
{
	CLEANUP(freep) struct subprocess *child = malloc(sizeof(*child));
	int r = 0;

	if (!child)
		return -ENOMEM;
	if (lseek(export->ids, 0, SEEK_SET) < 0)
		return -errno;
	r = repository_read(git->repository, export->ids, child);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < export->count; i++)
		r = take_blob(git, child, &export->items[i]);
	if (r < 0 && r != -ENODATA)
		subprocess_give_up(child);
	int status = subprocess_end(child);
	if (r == -EBADMSG || r == -ENODATA || (r == 0 && status))
		return problem_set(problem, git->options->url, 0, 0,
			"the files of the commit can't be read: %s", child->error);
	return r;
}

static int make_draft(struct git *git, const char *id, struct problem *problem)
{
	CLEANUP(export_fini) struct export export = {.ids = memfd_create("ids", MFD_CLOEXEC)};
	struct mirror *mirror = git->mirror;

	if (export.ids < 0)
		return -errno;
	mirror_status_sweep_begin(&mirror->status, "file ");
	int r = list(git, id, &export, problem);
	if (r == 0)
		r = replica_begin(mirror->replica, NULL);
	if (r == 0)
		r = read_blobs(git, &export, problem);
	if (r == 0)
		mirror_status_sweep_end(&mirror->status);
	return r;
}

static bool is_present(const struct git *git, const char *id)
{
	return replica_is_filled(git->mirror->replica) &&
	       strcmp(id, git->mirror->status.revision) == 0;
}

/* Checks that the commit may follow the present one. Returns 0, MIRROR_HELD, PROBLEM or -errno. */
static int check_descent(struct git *git, const char *id, bool is_confirmed,
	enum repository_descent *ret, struct problem *problem)
{
	struct mirror *mirror = git->mirror;
	const char *old = mirror->status.revision;

	*ret = DESCENT_NEWER;
	if (!*old || strcmp(old, id) == 0)
		return 0;
	int r = repository_descent(git->repository, old, id, ret, problem);
	if (r == 0 && *ret == DESCENT_NONE && !is_confirmed)
		return mirror_hold(
			mirror, id, "the commit %s has nothing in common with %s", id, old);
	return r;
}

/* Reports how the commit, which is accepted, follows the one before. */
static void report_descent(struct git *git, const char *id, enum repository_descent descent)
{
	const char *old = git->mirror->status.revision;

	if (descent == DESCENT_OTHER || descent == DESCENT_NONE)
		mirror_fault(git->mirror, "history",
			"was rewritten: the commit %s, which is accepted, does not come after %s",
			id, old);
	else if (strcmp(old, id) != 0)
		mirror_mend(git->mirror, "history");
}

/*
 * Reports a commit that the key has not signed. The present one was accepted, maybe with a former
 * key, so it is compared all the same. Returns 0, MIRROR_HELD or -errno.
 */
static int check_signature(struct git *git, const char *id)
{
	struct problem problem;

	git->commit = COMMIT_COMPARED;
	if (!git->options->verify)
		return 0;
	int r = repository_verify(git->repository, id, &problem);
	if (r == PROBLEM)
		git->commit = COMMIT_UNSIGNED;
	if (r == 0)
		mirror_mend(git->mirror, "signature");
	else if (r == PROBLEM)
		mirror_fault(
			git->mirror, "signature", "%s; the present state stays", problem.message);
	return r != PROBLEM ? r : is_present(git, id) ? 0 : MIRROR_HELD;
}

static int take(struct git *git, const char *id, struct problem *problem)
{
	struct mirror *mirror = git->mirror;
	char confirmed[MIRROR_WORD_MAX];
	enum repository_descent descent;
	bool is_confirmed;

	mirror_read_confirmation(mirror, confirmed);
	is_confirmed = strcmp(confirmed, id) == 0 || !replica_is_filled(mirror->replica);
	int r = check_signature(git, id);
	if (r == 0)
		r = check_descent(git, id, is_confirmed, &descent, problem);
	if (r == 0)
		r = make_draft(git, id, problem);
	if (r == 0) {
		replica_mark(mirror->replica, id);
		r = mirror_publish(mirror, is_confirmed ? NULL : id);
	}
	/* Mark the tree also if the new commit did not change it. */
	if (r == 0) {
		replica_mark(mirror->replica, id);
		report_descent(git, id, descent);
	}
	if (r == 0)
		r = repository_keep(git->repository, id, problem);
	if (r != 0)
		replica_discard(mirror->replica);
	return r;
}

static int look(struct git *git, struct problem *problem)
{
	char id[REPOSITORY_ID_MAX];

	/* Also while the store is away. */
	struct replica *replica = git->mirror->replica;
	int linked = replica_is_filled(replica) ? replica_turn_link(replica) : 0;
	int r = repository_fetch(git->repository, git->options->ref, id, problem);
	if (r != 0)
		return r;
	bool is_taken =
		git->commit == COMMIT_UNKNOWN || strcmp(id, git->mirror->status.revision) != 0;
	if (is_taken)
		r = take(git, id, problem);
	else if (git->commit == COMMIT_UNSIGNED)
		r = check_signature(git, id);
	if (r == 0 && !is_taken)
		r = linked;
	if (r == MIRROR_HELD || r < 0)
		mirror_answered(git->mirror);
	/* If the present commit comes back, taking it ends what was said of the other one. */
	if (r != 0)
		git->commit = COMMIT_UNKNOWN;
	else
		mirror_took(git->mirror, id, false);
	return r;
}

static int keep(struct git *git)
{
	struct mirror *mirror = git->mirror;

	for (;;) {
		unsigned pause = mirror_jitter(git->options->interval_s * 1000);
		struct problem problem;
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

		int r = look(git, &problem);
		if (r == -ENOMEM)
			return r;
		if (r == PROBLEM) {
			problem_format(&problem, text, sizeof(text));
			mirror->status.is_connected = false;
			mirror_fault(mirror, "store", "%s", text);
		} else if (r < 0) {
			mirror_fault(mirror, "disk", "%s: %s; the present state stays",
				replica_state_path(mirror->replica), strerror(-r));
		}
		if (r == PROBLEM || r < 0) {
			unsigned again = mirror_pause(mirror, 1);
			pause = again < pause ? again : pause;
		} else {
			mirror->attempts = 0;
		}
		if (mirror_sleep(mirror, pause))
			git->commit = COMMIT_UNKNOWN;
	}
}

/* Sets the path without slashes at its ends. Returns 0 or -ENOMEM. */
static int set_path(struct git *git)
{
	const char *path = git->options->path + strspn(git->options->path, "/");
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	git->path = strndup(path, len);
	return git->path ? 0 : -ENOMEM;
}

int git_mirror(const struct git_options *options, const struct mirror_options *shared,
	struct problem *problem)
{
	CLEANUP(mirror_freep) struct mirror *mirror = NULL;
	CLEANUP(repository_freep) struct repository *repository = NULL;
	CLEANUP(freep) char *source = NULL;
	struct git git = {.options = options};

	if (text_format(&source, "%s:%s", options->ref, options->path) < 0 || set_path(&git) < 0)
		return -ENOMEM;
	const struct mirror_access access[] = {{"ref", options->ref}, {"path", git.path}, {0}};
	struct mirror_options own = *shared;
	own.access = access;
	int r = mirror_open(&own, "git", source, &mirror, problem);
	if (r == 0) {
		snprintf(mirror->status.endpoint, sizeof(mirror->status.endpoint), "%s",
			options->url);
		r = repository_open(replica_state_path(mirror->replica), options->url,
			options->verify, shared->mode, &repository, problem);
	}
	git.mirror = mirror;
	git.repository = repository;
	if (r == 0)
		r = keep(&git);
	free(git.path);
	return r;
}
