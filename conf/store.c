#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "descriptor.h"
#include "document.h"
#include "layer.h"
#include "text.h"

/* Greatest size of a status, in bytes. */
#define STATUS_MAX ((size_t)16 << 20)

/* Number of characters of a commit that messages show. */
#define COMMIT_SHOWN 12

/* Follows the path of a removed directory in /proc. */
#define DELETED " (deleted)"

struct store *store_new(void)
{
	struct store *store = calloc(1, sizeof(*store));

	if (store)
		store->held_fd = -1;
	return store;
}

void store_freep(struct store **place)
{
	struct store *store = *place;

	if (!store)
		return;
	arena_free(store->arena);
	closep(&store->held_fd);
	free(store->state);
	free(store->tree);
	free(store->inner);
	free(store);
}

/* Returns the path of the descriptor, even if the directory was removed. Returns 0 or -errno. */
static int place_of(int fd, char ret[PATH_MAX])
{
	size_t suffix = strlen(DELETED);
	struct stat stat;
	int r = descriptor_path(fd, ret);

	if (r < 0 || fstat(fd, &stat) < 0)
		return r < 0 ? r : -errno;
	size_t len = strlen(ret);
	if (stat.st_nlink == 0 && len > suffix && strcmp(ret + len - suffix, DELETED) == 0)
		ret[len - suffix] = '\0';
	return 0;
}

/* Returns the length of "tree.N" at the beginning of `name`; 0: it is another name. */
static size_t present_length(const char *name)
{
	size_t prefix = strlen(STORE_TREE_PREFIX);

	if (strncmp(name, STORE_TREE_PREFIX, prefix) != 0)
		return 0;
	size_t digits = strspn(name + prefix, "0123456789");
	char end = name[prefix + digits];
	return digits && (end == '\0' || end == '/') ? prefix + digits : 0;
}

/* Returns the length of the name of any tree of a mirror. */
static size_t tree_length(const char *name)
{
	static const char *const others[] = {
		STORE_RECYCLED_NAME, STORE_DRAFT_NAME, STORE_RENEWED_NAME};
	size_t len = strcspn(name, "/");

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (span_is((struct span){name, len}, others[i]))
			return len;
	return present_length(name);
}

/* Returns whether it is a STATE. If the tree has a number, one of the two files suffices. */
static bool is_state(int fd, const char *tree)
{
	bool has_status = faccessat(fd, STORE_STATUS_NAME, F_OK, 0) == 0;
	bool has_lock = faccessat(fd, STORE_LOCK_NAME, F_OK, 0) == 0;

	return present_length(tree) ? has_status || has_lock : has_status && has_lock;
}

/* Takes the parts of "STATE/tree.N/INNER", `slash` before the tree. Returns 0 or -ENOMEM. */
static int take_place(struct store *store, const char *path, const char *slash)
{
	const char *tree = slash + 1;
	size_t len = tree_length(tree);
	const char *inner = tree + len + (tree[len] == '/');

	store->state = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	store->tree = strndup(tree, len);
	int r = text_format(&store->inner, "%s%s", inner, *inner ? "/" : "");
	return store->state && store->tree ? r : -ENOMEM;
}

/*
 * Finds the tree that contains the path: the outermost, as the directories in a tree come from the
 * store and may have any names. Returns a descriptor of its STATE, and sets *store; -ENOENT if
 * there is none; or the -errno of a shortage.
 */
static int find_state(struct store *store, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		CLEANUP(freep) char *state = NULL;
		CLEANUP(closep) int fd = -1;

		if (!tree_length(slash + 1))
			continue;
		state = strndup(path, slash == path ? 1 : (size_t)(slash - path));
		if (!state)
			return -ENOMEM;
		fd = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && layer_is_shortage(-errno))
			return -errno;
		if (fd < 0 || !is_state(fd, slash + 1))
			continue;
		int r = take_place(store, path, slash);
		return r < 0 ? r : take_fd(&fd);
	}
	return -ENOENT;
}

/* Ends a revision; empties it if it is neither a number nor a commit, as an attribute may be. */
static void end_revision(char *revision, ssize_t len)
{
	revision[len > 0 ? len : 0] = '\0';
	if (revision[strspn(revision, "0123456789abcdef")])
		*revision = '\0';
}

/* Returns a text of the status, or of an object in it; "" if it is no text, or has a NUL in it. */
static const char *text_of(const struct node *map, const char *name)
{
	const struct node *node = map && node_is_map(map) ? node_get(map, name) : NULL;

	if (!node || !node_is_scalar(node) || node->style != NODE_DOUBLE ||
		strlen(node->text.data) != node->text.len)
		return "";
	return node->text.data;
}

/* Reads the present status. Returns 0 with *ret, which may have no root; or -errno. */
static int read_status(int state, struct stat *stat, struct document **ret)
{
	const struct source source = {.name = STORE_STATUS_NAME, .layer = ""};
	const struct read_options options = {.format = &format_json};
	CLEANUP(freep) char *text = NULL;
	struct problem ignored;
	size_t len;
	CLEANUP(closep) int fd = descriptor_open_file(state, STORE_STATUS_NAME);

	if (fd < 0 || fstat(fd, stat) < 0)
		return fd < 0 ? fd : -errno;
	int r = S_ISREG(stat->st_mode) ? text_read(fd, STATUS_MAX, &text, &len) : -EINVAL;
	if (r == 0)
		r = document_read(&source, (struct span){text, len}, &options, ret, &ignored);
	return r == PROBLEM ? -EINVAL : r;
}

/* Takes all texts from the status. They are "" if it is NULL. */
static int take_status(struct store *store, const struct node *status)
{
	bool is_map = status && node_is_map(status);
	const struct node *access = is_map ? node_get(status, "access") : NULL;
	const char *kind = text_of(status, "kind");
	/* Without `access`, the mirrored path in the repository is unknown. */
	bool is_etcd = strcmp(kind, "etcd") == 0, is_git = strcmp(kind, "git") == 0 && access;
	const struct {
		const struct node *map;
		const char *name;
		const char **ret;
	} texts[] = {{status, "identity", &store->identity}, {status, "endpoint", &store->endpoint},
		{is_git           ? access
			: is_etcd ? status
				  : NULL,
			is_git ? "path" : "source", &store->prefix},
		{access, "ref", &store->ref}, {access, "endpoints", &store->endpoints},
		{access, "cacert", &store->ca}, {access, "cert", &store->cert},
		{access, "key", &store->key}, {access, "user_file", &store->user_file}};
	int r = 0;

	store->kind = is_etcd ? STORE_ETCD : is_git ? STORE_GIT : STORE_UNKNOWN;
	for (size_t i = 0; r == 0 && i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = text_of(texts[i].map, texts[i].name);

		*texts[i].ret = arena_copy(store->arena, span_of(text));
		r = *texts[i].ret ? 0 : -ENOMEM;
	}
	return r;
}

/* Takes the commit of the layer's tree. A number is never used again, so it identifies the tree;
 * the other names are used again, and say nothing. */
static int take_commit(struct store *store)
{
	CLEANUP(freep) char *path = NULL;
	char commit[STORE_REVISION_MAX] = "";

	if (text_format(&path, "%s/%s", store->state, store->tree) < 0)
		return -ENOMEM;
	if (store->kind == STORE_GIT && present_length(store->tree)) {
		ssize_t len = lgetxattr(path, STORE_REVISION_ATTRIBUTE, commit, sizeof(commit) - 1);
		end_revision(commit, len);
	}
	store->commit = arena_copy(store->arena, span_of(commit));
	return store->commit ? 0 : -ENOMEM;
}

static void take_owner(struct store *store, const struct stat *state, const struct stat *status)
{
	store->owner = status->st_uid;
	store->group = status->st_gid;
	store->is_shared = state->st_uid != status->st_uid ||
			   ((state->st_mode | status->st_mode) & (S_IWGRP | S_IWOTH));
}

static int find(struct store *store, int directory)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct stat state, status;
	char path[PATH_MAX];

	int r = place_of(directory, path);
	if (r < 0)
		return r;
	CLEANUP(closep) int fd = find_state(store, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &state) < 0)
		return -errno;
	r = read_status(fd, &status, &document);
	if (layer_is_shortage(r))
		return r;
	if (r == 0)
		take_owner(store, &state, &status);
	r = arena_new(&store->arena);
	if (r == 0)
		r = take_status(store, document && document->count ? document->roots[0] : NULL);
	return r == 0 ? take_commit(store) : r;
}

int store_find(int directory, struct store **ret)
{
	CLEANUP(store_freep) struct store *store = store_new();

	if (!store)
		return -ENOMEM;
	store->is_shared = true;
	int r = find(store, directory);
	if (r == -ENOENT) {
		*ret = NULL;
		return 0;
	}
	if (r == 0)
		*ret = take_ptr(store);
	return r;
}

bool store_is_replaced(int directory)
{
	CLEANUP(store_freep) struct store *store = store_new();
	struct stat stat;
	char path[PATH_MAX];

	if (fstat(directory, &stat) == 0 && stat.st_nlink == 0)
		return true;
	int r = store ? place_of(directory, path) : -ENOMEM;
	CLEANUP(closep) int fd = r < 0 ? r : find_state(store, path);
	return layer_is_shortage(fd) || (fd >= 0 && !present_length(store->tree));
}

void store_hold(struct store *store)
{
	CLEANUP(freep) char *path = NULL;

	if (store->held_fd >= 0 || text_format(&path, "%s/%s", store->state, store->tree) < 0)
		return;
	store->held_fd = descriptor_open_directory(AT_FDCWD, path);
	if (store->held_fd >= 0)
		(void)flock(store->held_fd, LOCK_SH | LOCK_NB);
}

bool store_is_kept(const struct store *store)
{
	CLEANUP(freep) char *path = NULL;

	if (text_format(&path, "%s/" STORE_LOCK_NAME, store->state) < 0)
		return true;
	CLEANUP(closep) int lock = descriptor_open_file(AT_FDCWD, path);
	return lock < 0 || (flock(lock, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK);
}

uint64_t store_revision(const struct store *store)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct stat stat;
	CLEANUP(closep) int fd = open(store->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || read_status(fd, &stat, &document) < 0 || !document->count)
		return 0;
	return strtoull(text_of(document->roots[0], "revision"), NULL, 10);
}

int store_name(const struct store *store, const char *path, char **ret)
{
	size_t len = strlen(store->prefix);
	bool needs_slash = len > 0 && store->prefix[len - 1] != '/';

	return text_format(
		ret, "%s%s%s%s", store->prefix, needs_slash ? "/" : "", store->inner, path);
}

void store_read_attribute(int fd, char ret[STORE_REVISION_MAX])
{
	end_revision(ret, fgetxattr(fd, STORE_REVISION_ATTRIBUTE, ret, STORE_REVISION_MAX - 1));
}

void store_read_revision(const struct store *store, int fd, char ret[STORE_REVISION_MAX])
{
	if (store->kind != STORE_ETCD) {
		snprintf(ret, STORE_REVISION_MAX, "%s", store->commit);
		return;
	}
	store_read_attribute(fd, ret);
	if (*ret == '0' || ret[strspn(ret, "0123456789")])
		*ret = '\0';
}

int store_place(const struct store *store, const char *name, const char *revision, char **ret)
{
	return store->kind == STORE_ETCD
		       ? text_format(ret, "etcd:%s%s%s", name, *revision ? "@" : "", revision)
		       : text_format(ret, "git:%.*s%s%s", COMMIT_SHOWN, revision,
				 *revision ? ":" : "", name);
}
