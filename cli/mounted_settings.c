#include "mounted_settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "document.h"
#include "outside.h"
#include "plyfs_mount.h"
#include "report.h"
#include "text.h"

/* A mount, as its status describes it. The strings live as long as the status's document. */
struct mount_description {
	const struct node *status;
	const char *mountpoint;
	dev_t dev;             /* of the mount */
	const char *directory; /* where relative arguments of the mount begin; "": in ours */
	const char *config;    /* "": the mount was made from its "source" */
	const struct node *layers;
};

/* A rendered tree hides no directory. */
static bool is_rendered(const struct mount_description *mount)
{
	return report_get(mount->status, "rendered");
}

static bool is_same_directory(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int read_description(const struct node *root, const char *mountpoint,
	struct mount_description *ret, struct problem *problem)
{
	struct stat stat_of_mount;

	if (stat(mountpoint, &stat_of_mount) < 0)
		return -errno;
	*ret = (struct mount_description){
		.status = root,
		.mountpoint = mountpoint,
		.dev = stat_of_mount.st_dev,
		.directory = report_text(root, "directory"),
		.config = report_text(root, "settings.path"),
		.layers = report_get(root, "layers"),
	};
	if (!report_get(root, "settings") || !ret->layers || !node_is_sequence(ret->layers) ||
		!*report_text(root, "source") || !*ret->directory)
		return problem_set(problem, mountpoint, 0, 0,
			"this mount was made by another plyfs, and its status does not name its "
			"layers; give them with -c or -l");
	if (is_same_directory(ret->directory, "."))
		ret->directory = "";
	return 0;
}

/* Returns whether that descriptor of the mount's process is the directory under the mount. */
static bool is_beneath(const struct mount_description *mount, DIR *dir, const char *name)
{
	char target[PATH_MAX];
	struct stat found;
	ssize_t len = readlinkat(dirfd(dir), name, target, sizeof(target) - 1);

	if (len < 0)
		return false;
	target[len] = '\0';
	return strcmp(target, mount->mountpoint) == 0 &&
	       fstatat(dirfd(dir), name, &found, 0) == 0 && S_ISDIR(found.st_mode) &&
	       found.st_dev != mount->dev;
}

/*
 * Finds the directory under the mount, which only the mount's process can reach, as it opened it
 * before. Root and the user that mounted may use its descriptor. *ret is for free(3); it stays NULL
 * if there is no such descriptor.
 */
static int find_beneath(const struct mount_description *mount, char **ret)
{
	CLEANUP(dir_closep) DIR *dir = NULL;
	char list[64];
	const struct dirent *entry;

	snprintf(list, sizeof(list), "/proc/%ld/fd",
		strtol(report_text(mount->status, "pid"), NULL, 10));
	dir = opendir(list);
	while (dir && !is_rendered(mount) && (entry = readdir(dir)))
		if (is_beneath(mount, dir, entry->d_name))
			return text_format(ret, "%s/%s", list, entry->d_name);
	return 0;
}

/* Without that descriptor, neither plyfs.yaml nor a layer may be under the mount. */
static int check_hidden(const struct mount_description *mount,
	const struct settings_environment *around, struct problem *problem)
{
	const struct node *layers = mount->layers;

	for (uint32_t i = 0; !around->beneath && !is_rendered(mount) && i <= layers->seq.count;
		i++) {
		const char *path =
			i ? report_text(layers->seq.items[i - 1], "path") : mount->config;

		if (*path && settings_environment_hides(around, path))
			return problem_set(problem, path, 0, 0,
				"this layer lies under the mount itself, where only root and the "
				"user who mounted can read; run the command as one of them");
	}
	return 0;
}

static int complain_of_layers(const struct mount_description *mount, struct problem *problem)
{
	return problem_set(problem, mount->mountpoint, 0, 0,
		"the mount has other layers than its settings by now; 'plyfs status' shows why");
}

/* Opens the mount's own layer: "%h" in its path may be another directory for us. */
static int take_layer(const struct mount_description *mount, const struct node *described,
	struct settings *settings, struct layer **layer, struct problem *problem)
{
	CLEANUP(layer_freep) struct layer *other = NULL;
	const char *path = report_text(described, "path"), *place;
	bool is_optional = settings->specs[(*layer)->rank].presence == LAYER_OPTIONAL;

	if (strcmp((*layer)->name, report_text(described, "name")) != 0)
		return complain_of_layers(mount, problem);
	if (strcmp((*layer)->path, path) == 0)
		return 0;
	int r = settings_environment_place(&settings->around, path, settings->arena, &place);
	if (r == 0)
		r = layer_open((*layer)->name, place, (*layer)->rank,
			is_optional ? OUTSIDE_OPTIONAL : 0, (*layer)->follow, &other);
	if (r == 0)
		r = layer_set_text(&other->path, path);
	if (r == 0)
		other->exclude = (*layer)->exclude;
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return problem_set(
			problem, path, 0, 0, "this layer can't be opened: %s", text_error(r));
	layer_free(*layer);
	*layer = take_ptr(other);
	return layer_cover(*layer, mount->mountpoint);
}

static int take_layers(
	const struct mount_description *mount, struct settings *settings, struct problem *problem)
{
	int r = 0;

	if (settings->layer_count != mount->layers->seq.count)
		return complain_of_layers(mount, problem);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		r = take_layer(mount, mount->layers->seq.items[i], settings, &settings->layers[i],
			problem);
	return r;
}

static const char *text_or(
	const char *given, const struct mount_description *mount, const char *path)
{
	const struct node *value = report_get(mount->status, path);

	return given || !value ? given : report_text(value, "");
}

/*
 * Adds the host, machine, user and facts that the mount was made for, where the caller gives none.
 * The last fact of a name counts, so the caller's come last.
 */
static int take_environment(const struct mount_description *mount,
	struct settings_environment *around, struct problem *problem)
{
	const struct node *facts = report_get(mount->status, "settings.facts");
	uint32_t count = report_count(facts);
	size_t own = 0;

	while (own < SETTINGS_FACTS_MAX && around->facts[own])
		own++;
	if (count + own > SETTINGS_FACTS_MAX)
		return problem_set(problem, mount->mountpoint, 0, 0,
			"the mount was made with %u facts, and %zu more are given; %d are "
			"possible, so leave some out",
			count, own, SETTINGS_FACTS_MAX);
	memmove(around->facts + count, around->facts, own * sizeof(*around->facts));
	for (uint32_t i = 0; i < count; i++)
		around->facts[i] = report_text(facts->seq.items[i], "");
	around->host = text_or(around->host, mount, "settings.host");
	around->machine_id = text_or(around->machine_id, mount, "settings.machine_id");
	around->user = text_or(around->user, mount, "settings.user");
	return 0;
}

static int make(const struct mount_description *mount, const struct settings_environment *as,
	struct settings **ret, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(freep) char *beneath = NULL;
	struct settings_environment around = *as;
	bool is_others = settings_environment_is_other(as);
	const char *header = report_text(mount->status, "settings.header");

	if (is_others && !*mount->config)
		return problem_set(problem, mount->mountpoint, 0, 0,
			"the mount was made of layers and no plyfs.yaml, so it is the same on "
			"every host; leave out -H, --machine-id, --user and --fact");
	int r = take_environment(mount, &around, problem);
	if (r == 0)
		r = find_beneath(mount, &beneath);
	if (!around.directory && *mount->directory)
		around.directory = mount->directory;
	around.mountpoint = mount->mountpoint;
	around.beneath = beneath;
	if (r == 0)
		r = check_hidden(mount, &around, problem);
	if (r == 0)
		r = *mount->config
			    ? settings_read(&around, mount->config, &settings, problem)
			    : settings_from_layers(&around, report_text(mount->status, "source"),
				      &settings, problem);
	/* The header may be set by a mount option. */
	if (r == 0 && *header)
		settings_fix_header(settings, strcmp(header, "true") == 0 ? HEADER_ON : HEADER_OFF);
	if (r == 0 && !is_others)
		r = take_layers(mount, settings, problem);
	if (r == 0)
		*ret = take_ptr(settings);
	return r;
}

int mounted_settings(const char *mountpoint, const struct settings_environment *as,
	struct settings **ret, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct mount_description mount;

	int r = plyfs_mount_report(mountpoint, NULL, &document, problem);
	if (r == 0)
		r = read_description(document->roots[0], mountpoint, &mount, problem);
	return r == 0 ? make(&mount, as, ret, problem) : r;
}

struct layer_search {
	char *real;        /* the file's path, absolute and without links; owned */
	char *mountpoint;  /* NULL: none was found yet; owned */
	const char *inner; /* the path in the mount: the end of `real` */
	struct problem *problem;
};

static void search_fini(struct layer_search *search)
{
	free(search->real);
	free(search->mountpoint);
}

/* Returns the file's path in the directory `layer`, or NULL if it is not below it. */
static const char *path_in(const char *real, const char *layer)
{
	CLEANUP(freep) char *above = strdup(real);

	for (char *end; above && (end = strrchr(above, '/')) && end > above;) {
		*end = '\0';
		if (is_same_directory(above, layer))
			return real + (end - above) + 1;
	}
	return NULL;
}

/* Finds the file in a mount's layers; the innermost layer counts. NULL: it is in none. */
static const char *search_layers(const char *real, const struct node *status)
{
	const struct node *layers = report_get(status, "layers");
	const char *found = NULL;

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const char *inner = path_in(real, report_text(layers->seq.items[i], "path"));

		if (inner && (!found || inner > found))
			found = inner;
	}
	return found;
}

/*
 * Searches one mount, in a child, as the mount or the layers that it names may not answer. Writes
 * the path in the mount, or nothing. A mount that can't be read, another user's or a dead one, is
 * skipped.
 */
static int search_mount(void *context, const char *mountpoint, int out)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const struct layer_search *search = context;

	if (plyfs_mount_report_within(mountpoint, &document) != 0)
		return 0;
	const char *inner = search_layers(search->real, document->roots[0]);
	return inner ? text_write(out, inner, strlen(inner)) : 0;
}

static int take_inner(void *context, const char *mountpoint, int result, struct span text)
{
	struct layer_search *search = context;
	size_t len = strlen(search->real);

	/* The reply is trusted only as far as it is the end of the path that is searched for. */
	if (result < 0 || text.len == 0 || text.len > len ||
		memcmp(search->real + len - text.len, text.data, text.len) != 0)
		return 0;
	if (search->mountpoint)
		return problem_set(search->problem, search->real, 0, 0,
			"is in layers of several mounts, %s and %s; give the path in one of them",
			search->mountpoint, mountpoint);
	search->inner = search->real + len - text.len;
	search->mountpoint = strdup(mountpoint);
	return search->mountpoint ? 0 : -ENOMEM;
}

int mounted_settings_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	CLEANUP(search_fini) struct layer_search search = {.problem = problem};

	int r = probe_real_path(PROBE_MS, path, &search.real);
	if (r == 0)
		r = plyfs_mount_all(&mounted);
	if (r == 0)
		r = plyfs_mount_each(&mounted, PROBE_OTHERS_MS, search_mount, take_inner, &search);
	if (r == 0 && !search.mountpoint)
		r = -ENOENT;
	if (r == 0) {
		*ret_path = strdup(search.inner);
		r = *ret_path ? 0 : -ENOMEM;
	}
	if (r == 0)
		*ret_mountpoint = take_ptr(search.mountpoint);
	return r;
}
