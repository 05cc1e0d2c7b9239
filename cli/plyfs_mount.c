#include "plyfs_mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "handover.h"
#include "layer.h"
#include "limit.h"
#include "message.h"
#include "mount_table.h"
#include "path.h"
#include "settings.h"
#include "text.h"

#define FILE_SYSTEM_TYPE "fuse.plyfs"
#define STATUS_FILE ".plyfs/status"

/* Maximum number of concurrent probes: each is a process and a descriptor. */
#define PROBES_MAX 64

struct mount_search {
	const char *path;          /* absolute, without links */
	struct table_mount *found; /* its path is "" until one is found */
};

/* The innermost mountpoint counts, and of several mounts there the last one. */
static bool match(void *context, const struct table_mount *mount)
{
	struct mount_search *search = context;

	if (path_within(search->path, mount->path) &&
		strlen(mount->path) >= strlen(search->found->path))
		*search->found = *mount;
	return false;
}

int plyfs_mount_entry(const char *path, struct table_mount *ret)
{
	struct mount_search search = {path, ret};

	*ret->path = '\0';
	int r = mount_table_each(-1, match, &search);
	return r == 0 && !*ret->path ? -ENOENT : r;
}

static bool match_whole(void *context, const struct table_mount *mount)
{
	struct mount_search *search = context;
	bool is_whole = mount->dev == search->found->dev && strcmp(mount->root, "/") == 0;

	if (is_whole)
		*search->found = *mount;
	return is_whole;
}

int plyfs_mount_resolve(const char *path, char **ret_mountpoint, char **ret_path)
{
	CLEANUP(freep) char *real = NULL;
	struct table_mount bound, found;
	struct mount_search search = {NULL, &found};

	int r = probe_real_path(PROBE_MS, path, &real);
	if (r == 0)
		r = plyfs_mount_entry(real, &bound);
	if (r == 0 && strcmp(bound.type, FILE_SYSTEM_TYPE) != 0)
		r = -ENOENT;
	if (r < 0)
		return r;
	found = bound;
	r = strcmp(bound.root, "/") != 0 ? mount_table_each(-1, match_whole, &search) : 0;
	if (r > 0)
		r = text_format(
			ret_path, "%s%s%s", found.path, bound.root, real + strlen(bound.path));
	else if (r == 0)
		*ret_path = take_ptr(real);
	if (r == 0)
		*ret_mountpoint = strdup(found.path);
	return r == 0 && !*ret_mountpoint ? -ENOMEM : r;
}

int plyfs_mount_find(const char *path, char **ret)
{
	CLEANUP(freep) char *inner = NULL;

	return plyfs_mount_resolve(path, ret, &inner);
}

struct mount_collection {
	struct path_list *mounted;
	bool (*is_wanted)(const struct table_mount *mount);
};

/* Stops if memory is short. */
static bool add(void *context, const struct table_mount *mount)
{
	struct mount_collection *list = context;

	return list->is_wanted(mount) && !path_list_has(list->mounted, mount->path) &&
	       path_list_add(list->mounted, mount->path, strlen(mount->path)) < 0;
}

static int list_mounts(bool (*is_wanted)(const struct table_mount *mount), struct path_list *ret)
{
	struct mount_collection list = {ret, is_wanted};
	int r = mount_table_each(-1, add, &list);

	return r > 0 ? -ENOMEM : r;
}

static bool is_plyfs(const struct table_mount *mount)
{
	return strcmp(mount->root, "/") == 0 && strcmp(mount->type, FILE_SYSTEM_TYPE) == 0;
}

int plyfs_mount_all(struct path_list *ret)
{
	return list_mounts(is_plyfs, ret);
}

static int read_status(const char *mountpoint, char **ret, size_t *ret_len)
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
	int r = read_status(mountpoint, &text, &len);
	return r == 0 ? text_write(out, text, len) : r;
}

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

int plyfs_mount_read_report(
	const char *mountpoint, struct span text, struct document **ret, struct problem *problem)
{
	const struct source source = {.name = mountpoint, .layer = ""};
	const struct read_options options = {.format = &format_json};

	CLEANUP(document_freep) struct document *document = NULL;
	int r = document_read(&source, text, &options, &document, problem);

	/* Any user can serve a mount that looks like a plyfs. */
	if (r == 0 && document->count != 1)
		r = problem_set(problem, mountpoint, 0, 0, PLYFS_MOUNT_NO_JSON);
	if (r == 0)
		*ret = take_ptr(document);
	return r;
}

int plyfs_mount_report(
	const char *mountpoint, char **ret_text, struct document **ret, struct problem *problem)
{
	struct asked asked = {write_status, NULL, mountpoint};
	CLEANUP(freep) char *text = NULL;
	size_t len;

	int r = probe_run(PROBE_MS, make_call, &asked, &text, &len);
	if (r == 0)
		r = plyfs_mount_read_report(mountpoint, (struct span){text, len}, ret, problem);
	if (r == 0 && ret_text)
		*ret_text = take_ptr(text);
	return r;
}

int plyfs_mount_report_within(const char *mountpoint, struct document **ret)
{
	CLEANUP(freep) char *text = NULL;
	struct problem ignored;
	size_t len;

	int r = read_status(mountpoint, &text, &len);
	return r < 0 ? r
		     : plyfs_mount_read_report(mountpoint, (struct span){text, len}, ret, &ignored);
}

int plyfs_mount_each(const struct path_list *mounted, unsigned limit_ms, plyfs_mount_call *call,
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

static int ask(void *context, const char *mountpoint, int out)
{
	struct statfs found;

	(void)context;
	(void)out;
	return statfs(mountpoint, &found) < 0 ? -errno : 0;
}

struct silence {
	const char *paths;   /* a list, "A:B" */
	const char *working; /* the working directory */
	const char *silent;  /* a mountpoint; NULL: none was found yet */
	const char *guessed; /* of a mount that answers the call, but has one of the paths */
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
		if (path_within(path, mountpoint))
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
	bool is_named = names_mount(silence, mountpoint);

	(void)text;
	if (result == -ETIMEDOUT && (is_named || !silence->silent))
		silence->silent = mountpoint;
	else if (is_named && !silence->guessed)
		silence->guessed = mountpoint;
	return 0;
}

void plyfs_mount_silence(
	const char *mountpoint, unsigned limit_ms, char ret[PLYFS_MOUNT_SILENCE_MAX])
{
	struct table_mount found;
	pid_t pid = plyfs_mount_entry(mountpoint, &found) == 0 ? handover_server(found.dev) : 0;
	int n = snprintf(ret, PLYFS_MOUNT_SILENCE_MAX, "%.*s: does not answer for %u s",
		PLYFS_MOUNT_SILENCE_MAX / 2, mountpoint, limit_ms / 1000);

	if (pid > 0)
		snprintf(ret + n, (size_t)(PLYFS_MOUNT_SILENCE_MAX - n), " (process %d serves it)",
			(int)pid);
}

#define SILENCE_REMEDY "; 'plyfs doctor' says what to do"

/* A mount that may be silent. */
struct guarded_mount {
	unsigned answered; /* a bit for each layer_use that it has answered; ROOT_USE, too */
	enum { GUARDED_ANSWERS, GUARDED_SILENT, GUARDED_REPORTED } state;
};

static struct {
	struct path_list mounted;
	struct guarded_mount *states;
} guarded;

/* The use of the mountpoint's own name: it takes no lookup. Greater than any layer_use. */
#define ROOT_USE 8u

/* Maximum number of names that a child looks up to find a file that it can read. */
#define TRIED_NAMES_MAX 1000

/* A question to all mounts at once. */
struct question {
	const char *mountpoint; /* the mount that the path is in; NULL: there is no path */
	const char *path;
	unsigned use; /* a layer_use, or ROOT_USE */
	/* The directories of layers (absolute): each use of them is tried. NULL: there are none. A
	 * child has no descriptors of them. */
	const struct path_list *layers;
	unsigned limit_ms; /* a mount that does not answer for PROBE_MS is silent */
};

/* In a child: reads one byte, or one entry. */
static void read_once(int dirfd, const char *name, mode_t type, int flags)
{
	char byte;
	int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	DIR *directory = fd >= 0 && S_ISDIR(type) ? fdopendir(fd) : NULL;

	if (directory)
		(void)readdir(directory);
	else if (fd >= 0)
		(void)!read(fd, &byte, 1);
}

/* In a child: lists directories until there is a file to read. Returns whether one was found. */
static bool use_tree(int parent, const char *name, unsigned *left)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	bool is_read = false;

	for (const struct dirent *at;
		directory && !is_read && *left > 0 && (at = readdir(directory)); --*left) {
		struct stat found;

		if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0 ||
			fstatat(fd, at->d_name, &found, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		is_read = S_ISREG(found.st_mode);
		if (is_read)
			read_once(fd, at->d_name, found.st_mode, O_NOFOLLOW);
		else if (S_ISDIR(found.st_mode))
			is_read = use_tree(fd, at->d_name, left);
	}
	if (directory)
		closedir(directory);
	return is_read;
}

/* In a child: uses the part of each layer that is in the mount. */
static void use_layers(const struct path_list *layers, const char *mountpoint)
{
	for (size_t i = 0; i < layers->count; i++) {
		unsigned left = TRIED_NAMES_MAX;

		if (path_within(layers->paths[i], mountpoint))
			(void)use_tree(AT_FDCWD, layers->paths[i], &left);
		else if (path_within(mountpoint, layers->paths[i]))
			(void)use_tree(AT_FDCWD, mountpoint, &left);
	}
}

/* In a child. The kernel may know a name whose server is silent, so statfs(2) comes first. */
static int put_question(void *context, const char *mountpoint, int out)
{
	const struct question *question = context;
	int r = ask(NULL, mountpoint, out);
	struct stat found;

	if (question->mountpoint == mountpoint && lstat(question->path, &found) == 0 &&
		((question->use == LAYER_LIST && S_ISDIR(found.st_mode)) ||
			(question->use == LAYER_READ && S_ISREG(found.st_mode))))
		read_once(AT_FDCWD, question->path, found.st_mode, O_NOFOLLOW);
	if (question->layers)
		use_layers(question->layers, mountpoint);
	return r;
}

static int note_answer(void *context, const char *mountpoint, int result, struct span text)
{
	const struct question *question = context;
	size_t i = 0;

	(void)text;
	while (guarded.mounted.paths[i] != mountpoint)
		i++;
	struct guarded_mount *state = &guarded.states[i];
	if (result == -ETIMEDOUT && question->limit_ms == PROBE_MS &&
		state->state == GUARDED_ANSWERS)
		state->state = GUARDED_SILENT;
	if (result == -ETIMEDOUT)
		return 0;
	if (question->layers)
		state->answered = ~0u;
	else if (question->mountpoint == mountpoint)
		state->answered |= 1u << question->use;
	return 0;
}

static bool is_in_layers(const struct path_list *layers, const char *mountpoint)
{
	for (size_t i = 0; i < layers->count; i++)
		if (path_within(mountpoint, layers->paths[i]) ||
			path_within(layers->paths[i], mountpoint))
			return true;
	return false;
}

static void report_silence(size_t mount)
{
	char text[PLYFS_MOUNT_SILENCE_MAX];

	if (guarded.states[mount].state == GUARDED_REPORTED)
		return;
	guarded.states[mount].state = GUARDED_REPORTED;
	plyfs_mount_silence(guarded.mounted.paths[mount], PROBE_MS, text);
	message("%s" SILENCE_REMEDY, text);
}

bool plyfs_mount_guard_ask(const struct settings *settings)
{
	CLEANUP(path_list_fini) struct path_list layers = {0};
	struct question question = {.layers = &layers, .limit_ms = PROBE_MS};
	struct path_list reached = {0};
	bool is_silent = false;
	char path[PATH_MAX];

	if (!guarded.states)
		return false;
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0 &&
			descriptor_path(settings->layers[i]->dirfd, path) == 0)
			(void)path_list_add(&layers, path, strlen(path));
	reached.paths = calloc(guarded.mounted.count, sizeof(*reached.paths));
	for (size_t i = 0; reached.paths && i < guarded.mounted.count; i++)
		if (settings_follow_links(settings) ||
			is_in_layers(&layers, guarded.mounted.paths[i]))
			reached.paths[reached.count++] = guarded.mounted.paths[i];
	(void)plyfs_mount_each(&reached, question.limit_ms, put_question, note_answer, &question);
	free(reached.paths);
	for (size_t i = 0; i < guarded.mounted.count; i++)
		if (guarded.states[i].state != GUARDED_ANSWERS &&
			is_in_layers(&layers, guarded.mounted.paths[i])) {
			report_silence(i);
			is_silent = true;
		}
	return is_silent;
}

/*
 * Asks the mount. If it does not answer at once, asks all mounts with the full limit: a tree with
 * several silent mounts must not cost the limit for each.
 */
static void ask_guarded(size_t mount, const char *path, unsigned use)
{
	const struct path_list one = {&guarded.mounted.paths[mount], 1};
	struct question question = {.mountpoint = guarded.mounted.paths[mount],
		.path = path,
		.use = use,
		.limit_ms = PROBE_NAME_MS};

	(void)plyfs_mount_each(&one, question.limit_ms, put_question, note_answer, &question);
	question.limit_ms = PROBE_MS;
	if (!(guarded.states[mount].answered & 1u << use))
		(void)plyfs_mount_each(
			&guarded.mounted, question.limit_ms, put_question, note_answer, &question);
}

/* Finds the innermost mount that may be silent and has the path. Returns false if there is none. */
static bool find_guarded(const char *path, size_t *ret)
{
	size_t longest = 0;

	for (size_t i = 0; i < guarded.mounted.count; i++) {
		size_t len = strlen(guarded.mounted.paths[i]);

		if (len > longest && path_within(path, guarded.mounted.paths[i])) {
			longest = len;
			*ret = i;
		}
	}
	return longest > 0;
}

static int may_use(const char *path, enum layer_use wanted)
{
	unsigned use = wanted;
	size_t i;

	if (!find_guarded(path, &i))
		return 0;
	if (wanted == LAYER_NAME && strcmp(path, guarded.mounted.paths[i]) == 0)
		use = ROOT_USE;
	struct guarded_mount *state = &guarded.states[i];
	if (state->state == GUARDED_ANSWERS && !(state->answered & 1u << use))
		ask_guarded(i, path, use);
	if (state->state == GUARDED_ANSWERS)
		return 0;
	report_silence(i);
	return -ETIMEDOUT;
}

bool plyfs_mount_has_reported(void)
{
	bool has = false;

	for (size_t i = 0; guarded.states && i < guarded.mounted.count; i++)
		has |= guarded.states[i].state == GUARDED_REPORTED;
	return has;
}

void plyfs_mount_guard(void)
{
	if (list_mounts(mount_table_is_remote, &guarded.mounted) < 0 || guarded.mounted.count == 0)
		return;
	/* An overseer (overseer.h) knows what its child has reported. */
	guarded.states = mmap(NULL, guarded.mounted.count * sizeof(*guarded.states),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guarded.states == MAP_FAILED)
		guarded.states = NULL;
	else
		layer_guard(may_use);
}

int plyfs_mount_complain(const char *path)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	char working[PATH_MAX] = "";
	struct silence silence = {.paths = path, .working = working};
	char text[PLYFS_MOUNT_SILENCE_MAX];

	if (plyfs_mount_has_reported())
		return EXIT_FAILED;
	(void)!getcwd(working, sizeof(working));
	if (list_mounts(mount_table_is_remote, &mounted) == 0)
		(void)plyfs_mount_each(&mounted, PROBE_NAME_MS, ask, take_silent, &silence);
	const char *found = silence.silent ? silence.silent : silence.guessed;
	plyfs_mount_silence(found ? found : path, PROBE_MS, text);
	return message("%s" SILENCE_REMEDY, text);
}

/* In a child. */
static int examine(void *path, int out)
{
	struct stat found;

	(void)out;
	return lstat(path, &found) < 0 ? -errno : 0;
}

/* Of a mount for all users, every user who can search the directory above it sees the root. */
bool plyfs_mount_is_private(const char *path)
{
	CLEANUP(freep) char *directory = *path == '/' ? strdup("") : getcwd(NULL, 0);
	CLEANUP(freep) char *whole = NULL, *above = NULL;
	struct table_mount found;

	if (!directory || text_format(&whole, "%s/%s", directory, path + (*path == '/')) < 0 ||
		plyfs_mount_entry(whole, &found) < 0 || strcmp(found.type, FILE_SYSTEM_TYPE) != 0 ||
		found.uid == geteuid() ||
		text_format(&above, "%.*s/", (int)(strrchr(found.path, '/') - found.path),
			found.path) < 0)
		return false;
	return eaccess(above, X_OK) == 0 &&
	       probe_run(PROBE_MS, examine, found.path, NULL, NULL) == -EACCES;
}

bool plyfs_mount_is_foreign(const char *path)
{
	struct table_mount found;

	return plyfs_mount_entry(path, &found) == 0 && mount_table_is_remote(&found);
}

bool plyfs_mount_may_be_silent(void)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};

	return list_mounts(mount_table_is_remote, &mounted) == 0 && mounted.count > 0;
}

/*
 * In a child. The kernel may know the attributes of a file whose file system is silent: statfs(2)
 * and read(2) ask the file system. Only a regular file is opened: a FIFO's writer would see a
 * reader come and go.
 */
static int touch_path(void *path, int out)
{
	struct statfs answer;
	struct stat found;

	(void)out;
	if (stat(path, &found) == 0 && statfs(path, &answer) == 0 && S_ISREG(found.st_mode))
		read_once(AT_FDCWD, path, found.st_mode, 0);
	return 0;
}

int plyfs_mount_wait(const char *path, probe_call *call, void *context)
{
	if (!plyfs_mount_may_be_silent() ||
		probe_run(PROBE_MS, call, context, NULL, NULL) != -ETIMEDOUT)
		return EXIT_DONE;
	return plyfs_mount_complain(path);
}

int plyfs_mount_await(const char *path)
{
	return plyfs_mount_wait(path, touch_path, (void *)(uintptr_t)path);
}
