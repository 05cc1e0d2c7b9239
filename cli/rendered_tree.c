#include "rendered_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "drift.h"
#include "generation.h"
#include "json_put.h"
#include "layer_choice.h"
#include "limit.h"
#include "manifest.h"
#include "message.h"
#include "mounted_settings.h"
#include "offline.h"
#include "plyfs_mount.h"
#include "probe.h"
#include "report_print.h"
#include "text.h"
#include "unified.h"
#include "view.h"

/* Columns. */
#define INDENT 14

static int find_drift(const char *root, struct drift_list *ret, struct problem *problem)
{
	int r = drift_find(root, ret);

	return r == -EBADMSG ? problem_set(problem, root, 0, 0, MANIFEST_UNREADABLE) : r;
}

/*
 * Returns 0 if the path is a rendered tree of root's or ours; -EPERM: it is another user's, which
 * could lead us to settings of that user's choice; or -ENOENT.
 */
static int check_root(const char *path)
{
	CLEANUP(freep) char *manifest = NULL;
	struct stat own, found;

	if (text_format(&manifest, "%s/" PLYFS_NAME "/manifest", strcmp(path, "/") ? path : "") < 0)
		return -ENOMEM;
	int r = lstat(manifest, &found) < 0 ? -errno : S_ISREG(found.st_mode) ? 0 : -ENOENT;
	*strrchr(manifest, '/') = '\0';
	if ((r < 0 && r != -EACCES) || lstat(manifest, &own) < 0 || !S_ISDIR(own.st_mode))
		return -ENOENT;
	bool is_one = r == 0 && found.st_uid == own.st_uid;
	return is_one && (own.st_uid == 0 || own.st_uid == geteuid()) ? 0 : -EPERM;
}

/*
 * Finds the tree, as a probe_call: a mount that answers for its own root may not answer for names
 * in it.
 */
static int write_root(void *path, int out)
{
	CLEANUP(freep) char *real = realpath(path, NULL);
	int result = -ENOENT;

	if (!real)
		return -errno;
	for (;;) {
		int r = check_root(real);
		if (r == 0)
			return text_write(out, real, strlen(real));
		if (r == -EPERM)
			result = r;
		char *slash = strrchr(real, '/');
		if (!slash || !slash[1])
			return result;
		slash[slash == real] = '\0';
	}
}

int rendered_tree_find(const char *path, char **ret)
{
	return probe_run(PROBE_MS, write_root, (void *)(uintptr_t)path, ret, NULL);
}

const char *rendered_tree_inner(const char *root, const char *real)
{
	const char *inner = real + (strcmp(root, "/") ? strlen(root) : 0);

	inner += *inner == '/';
	if (generation_has_name(inner) && drift_is_atomic(root)) {
		inner += strcspn(inner, "/");
		inner += *inner == '/';
	}
	return inner;
}

int rendered_tree_print_drift(const char *root)
{
	CLEANUP(drift_list_fini) struct drift_list drifts = {0};
	struct problem problem;
	int r = find_drift(root, &drifts, &problem);

	if (r != 0)
		return message_result(r, &problem, root);
	printf("%-*s", INDENT, "  drift");
	if (!drifts.count) {
		puts("none");
		return EXIT_DONE;
	}
	printf("%zu; 'plyfs diff' shows it\n", drifts.count);
	for (size_t i = 0; i < drifts.count; i++) {
		fputs("    ", stdout);
		report_print(drifts.items[i].path);
		printf(": %s\n", drifts.items[i].error ? text_error(drifts.items[i].error)
						       : drift_text(drifts.items[i].drift));
	}
	return EXIT_DONE;
}

static void put_drift(struct json *out, const struct drift_list *drifts)
{
	json_put(out, ",\n  'drift': [");
	for (size_t i = 0; i < drifts->count; i++) {
		const struct drifted *item = &drifts->items[i];
		json_put(out, ",\n    {'path': %s, 'kind': %s}", item->path,
			item->error ? "unreadable" : drift_name(item->drift));
	}
	json_put(out, "\n  ]\n}\n");
}

int rendered_tree_print_json(const char *root, struct document **ret)
{
	CLEANUP(drift_list_fini) struct drift_list drifts = {0};
	CLEANUP(freep) char *text = NULL;
	struct problem problem;

	int r = plyfs_mount_report(root, &text, ret, &problem);
	if (r == 0 && !node_is_map((*ret)->roots[0]))
		r = -EIO;
	if (r == 0)
		r = find_drift(root, &drifts, &problem);
	char *end = r == 0 ? strrchr(text, '}') : NULL;
	if (r == 0 && !end)
		r = -EIO;
	if (r != 0)
		return message_result(r, &problem, root);
	while (end > text && end[-1] == '\n')
		end--;
	fwrite(text, 1, (size_t)(end - text), stdout);
	json_put(JSON(stdout), ",\n  'running': %hhd", drift_is_rendered_now(root));
	put_drift(JSON(stdout), &drifts);
	return EXIT_DONE;
}

struct rendered_comparison {
	struct unified *how;
	const char *root;
	const char *inside; /* leads from the root to the tree: "..data/" or "" */
	struct settings *settings;
	struct offline *offline;
};

/*
 * Composes the file that was written, as it is now; *is_other: its layers have changed since then.
 */
static int read_written(const struct rendered_comparison *comparison, const struct drifted *item,
	char **ret, size_t *len, bool *is_other)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct fingerprint now;
	struct problem problem;
	int r = offline_read(comparison->offline, item->path, &version, &problem);

	if (r == -ENOENT || r == -ENOTDIR || r == -EISDIR || r == PROBLEM) {
		*is_other = r != -EISDIR || !S_ISDIR(item->was.mode);
		return 0;
	}
	if (r == 0)
		r = fingerprint_of_version(version, -1, &now);
	if (r < 0)
		return r;
	*is_other = item->was.hash != now.hash;
	if (version->size > LIMITS_DEFAULT.result_bytes)
		return -EFBIG;
	*len = version->size;
	return version_read_all(version, ret);
}

/* Reads what is there now: a link's target or a file's bytes; nothing for other objects. */
static int read_found(const char *file, char **ret, size_t *len)
{
	struct stat stat;

	if (lstat(file, &stat) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (S_ISLNK(stat.st_mode)) {
		*ret = malloc((size_t)stat.st_size + 1);
		ssize_t n = *ret ? readlink(file, *ret, (size_t)stat.st_size) : 0;
		*len = n < 0 ? 0 : (size_t)n;
		return *ret ? 0 : -ENOMEM;
	}
	if (!S_ISREG(stat.st_mode))
		return 0;
	CLEANUP(closep)
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : text_read(fd, LIMITS_DEFAULT.result_bytes, ret, len);
}

static int compare(const struct rendered_comparison *comparison, const struct drifted *item)
{
	CLEANUP(freep) char *old_text = NULL, *new_text = NULL, *file = NULL, *label = NULL;
	size_t old_len = 0, new_len = 0;
	bool is_other = false;

	bool has_text = item->drift != DRIFT_RIGHTS && !item->is_beside;
	if (text_format(&file, "%s/%s%s", comparison->root,
		    item->is_beside ? "" : comparison->inside, item->path) < 0)
		return -ENOMEM;
	int r = item->error;
	if (r == 0 && has_text)
		r = read_written(comparison, item, &old_text, &old_len, &is_other);
	if (r == 0 && has_text)
		r = read_found(file, &new_text, &new_len);
	if (r < 0)
		return r;
	if (text_format(&label, "%s (%s)", item->path,
		    is_other ? "as its layers are by now; they have changed since it was written"
			     : "as it was written") < 0)
		return -ENOMEM;
	const struct unified_side old = {label, {old_text ? old_text : "", old_len}};
	const struct unified_side new = {file, {new_text ? new_text : "", new_len}};
	const struct unified_item shown = {.path = item->path, .change = drift_text(item->drift)};
	if (!message_is_json()) {
		fputs("# ", stdout);
		report_print(item->path);
		printf(": %s\n", shown.change);
		fflush(stdout);
	}
	r = unified_print(comparison->how, &shown, &old, &new);
	return r < 0 ? r : 0;
}

/*
 * Makes the settings as the tree's own process has them, so that headers name the sources in the
 * same way.
 */
static int open_settings(struct rendered_comparison *comparison, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct settings_environment around = {0};
	int r = plyfs_mount_report(comparison->root, NULL, &document, problem);

	if (r == 0)
		around.directory = report_text(document->roots[0], "directory");
	if (r == 0)
		r = mounted_settings(comparison->root, &around, &comparison->settings, problem);
	return r == 0 ? offline_new(comparison->settings, &comparison->offline) : r;
}

int rendered_tree_diff(struct unified *how, const char *root)
{
	CLEANUP(drift_list_fini) struct drift_list drifts = {0};
	struct rendered_comparison comparison = {.how = how,
		.root = root,
		.inside = drift_is_atomic(root) ? GENERATION_LINK "/" : ""};
	struct problem problem;
	int code = EXIT_DONE;
	int r = find_drift(root, &drifts, &problem);

	if (r == 0 && drifts.count > 0)
		r = open_settings(&comparison, &problem);
	for (size_t i = 0; r == 0 && i < drifts.count; i++) {
		int compared = compare(&comparison, &drifts.items[i]);
		if (compared < 0)
			code = message_result(compared, NULL, drifts.items[i].path);
	}
	offline_free(comparison.offline);
	settings_unref(comparison.settings);
	return r == 0 ? code : message_result(r, &problem, root);
}
