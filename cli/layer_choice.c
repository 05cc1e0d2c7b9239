#include "layer_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "absent_layer.h"
#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "generation.h"
#include "hidden.h"
#include "layer.h"
#include "message.h"
#include "mounted_settings.h"
#include "place.h"
#include "plyfs_mount.h"
#include "prefixed_path.h"
#include "rendered_tree.h"
#include "store.h"
#include "text.h"
#include "union.h"

/* A mirror would have to replace a layer this often within milliseconds. */
#define HOLD_ATTEMPTS 100

struct layer_choice layer_choice_guess(const char *word)
{
	struct stat found;
	bool is_found = stat(word, &found) == 0;

	/* A missing name that looks like a plyfs.yaml is better reported as a missing file. */
	if (is_found ? !S_ISDIR(found.st_mode) : format_of_name(word) == &format_yaml)
		return (struct layer_choice){.config = word};
	return (struct layer_choice){.layers = word};
}

int layer_choice_take_fact(const struct command *command, void *context, const char *text)
{
	struct settings_environment *around = context;
	size_t count = 0;

	if (!fact_is_given(text))
		return command_misuse(
			command, "'%s' is no fact; give NAME=VALUE, as in role=web", text);
	while (count < SETTINGS_FACTS_MAX && around->facts[count])
		count++;
	if (count == SETTINGS_FACTS_MAX)
		return command_misuse(command,
			"more than %d facts are given; write them into a file, and name it as "
			"'facts' in plyfs.yaml",
			SETTINGS_FACTS_MAX);
	around->facts[count] = text;
	return EXIT_DONE;
}

bool layer_choice_is_double(const struct command *command, const struct layer_choice *choice)
{
	if (choice->config && choice->layers)
		command_misuse(command, "-c and -l are two ways to say the same; give one");
	else if (choice->layers && settings_environment_is_other(&choice->around))
		command_misuse(command, "-H, --machine-id, --user and --fact replace %%H and the "
					"like in a plyfs.yaml; layers given with -l have none");
	else
		return false;
	return true;
}

/* The layers to open: those of a mount, of an outline, or else of the choice. */
struct opened_layers {
	const struct layer_choice *choice;
	const char *mountpoint;   /* NULL: none */
	struct settings *outline; /* NULL: none */
};

static int open_layers(
	const struct opened_layers *opened, struct settings **ret, struct problem *problem)
{
	const struct layer_choice *choice = opened->choice;
	const struct settings_environment *around = &choice->around;

	if (opened->outline) {
		int r = settings_open(opened->outline, problem);
		if (r == 0)
			*ret = settings_ref(opened->outline);
		return r;
	}
	return opened->mountpoint ? mounted_settings(opened->mountpoint, around, ret, problem)
	       : choice->config   ? settings_read(around, choice->config, ret, problem)
				  : settings_from_layers(around, choice->layers, ret, problem);
}

static const char *name_of(const struct layer_choice *choice, const char *mountpoint)
{
	return mountpoint ? mountpoint : layer_choice_text(choice);
}

/* Returns whether a mirror has replaced none of the layers before it could be held. */
static bool hold_layers(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		if (!layer->store)
			continue;
		store_hold(layer->store);
		if (!layer_is_current(layer))
			return false;
	}
	return true;
}

static int open_and_hold(
	struct opened_layers opened, struct settings **ret, struct problem *problem)
{
	for (int i = 0; i < HOLD_ATTEMPTS; i++) {
		int r = open_layers(&opened, ret, problem);
		if (r != 0 || hold_layers(*ret))
			return r;
		settings_unref(take_ptr(*ret));
		/* Its layers are open. */
		opened.outline = NULL;
	}
	return problem_set(problem, name_of(opened.choice, opened.mountpoint), 0, 0,
		"mirrors replace the layers faster than they can be opened; try again");
}

/*
 * Opens the layers in a child, to find out whether that blocks. The kernel may know the directory
 * of a layer whose file system is silent: fstatfs(2) asks the file system.
 */
static int try_to_open(void *context, int out)
{
	struct settings *settings;
	struct problem problem;
	struct statfs answer;

	(void)out;
	int r = open_layers(context, &settings, &problem);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0)
			(void)fstatfs(settings->layers[i]->dirfd, &answer);
	return 0;
}

/* A layer, or the target of a link, may be on a mount that does not answer. */
static int wait_for_layers(const struct opened_layers *opened)
{
	return plyfs_mount_wait(name_of(opened->choice, opened->mountpoint), try_to_open,
		(void *)(uintptr_t)opened);
}

/* Reports that the choice can't be used. Returns EXIT_FAILED. */
static int complain_of_choice(
	const struct layer_choice *choice, int result, const struct problem *problem)
{
	message_result(result, problem, layer_choice_text(choice));
	if (result == PROBLEM)
		place_show(NULL, problem);
	return EXIT_FAILED;
}

int layer_choice_start_mirrors(const struct layer_choice *choice, bool is_fresh,
	const struct supervisor_options *options, struct supervisor **ret,
	struct settings **ret_outline)
{
	CLEANUP(settings_unrefp) struct settings *outline = NULL;
	CLEANUP(supervisor_freep) struct supervisor *supervisor = NULL;
	const struct opened_layers opened = {.choice = choice};
	struct problem problem;

	if (!choice->config)
		return EXIT_DONE;
	if (wait_for_layers(&opened) != EXIT_DONE)
		return EXIT_FAILED;
	int r = settings_outline(&choice->around, choice->config, &outline, &problem);
	if (r == 0)
		r = supervisor_new(outline, options, &supervisor, &problem);
	if (r == 0)
		r = supervisor_wait(supervisor, is_fresh, &problem);
	if (r != 0)
		return complain_of_choice(choice, r, &problem);
	*ret = take_ptr(supervisor);
	*ret_outline = take_ptr(outline);
	return EXIT_DONE;
}

static int open_with(const struct opened_layers *opened, bool holds, struct settings **ret)
{
	struct problem problem;

	if (wait_for_layers(opened) != EXIT_DONE)
		return EXIT_FAILED;
	int r = holds ? open_and_hold(*opened, ret, &problem) : open_layers(opened, ret, &problem);
	if (r != 0)
		return complain_of_choice(opened->choice, r, &problem);
	if ((*ret)->warning.message[0])
		message_warning(&(*ret)->warning);
	return EXIT_DONE;
}

int layer_choice_open(
	const struct layer_choice *choice, struct settings *outline, struct settings **ret)
{
	return open_with(&(struct opened_layers){choice, NULL, outline}, false, ret);
}

int layer_choice_hold(
	const struct layer_choice *choice, struct settings *outline, struct settings **ret)
{
	return open_with(&(struct opened_layers){choice, NULL, outline}, true, ret);
}

int layer_choice_end(const struct settings *settings)
{
	struct problem problem;

	int r = settings_were_read(settings, &problem);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, NULL);
}

int layer_choice_not_in_mount(const struct command *command, const char *path, int error)
{
	const char *layers = command == &command_ls ? "--layers" : "-l";
	CLEANUP(freep) char *root = NULL;
	struct stat found;

	if (error == -ENOENT && rendered_tree_find(path, &root) == -EPERM)
		return message_at(path, RENDERED_TREE_FOREIGN);
	if (error == -ENOENT && lstat(path, &found) == 0)
		return command_misuse(command,
			"'%s' is not in a plyfs mount; give its layers with -c or %s", path,
			layers);
	if (error == -ENOENT)
		return command_misuse(command,
			"there is no '%s', in a mount or elsewhere; for a path in layers, give "
			"them with -c or %s",
			path, layers);
	return layer_choice_complain(NULL, path, error, NULL);
}

/*
 * Splits `path` into the directory and the last name, which may be a link and need not exist. A
 * path that ends in "." or ".." has no last name: all of it is the directory.
 */
static int split_path(const char *path, char **ret_directory, char **ret_name)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	const struct span name = {path + start, end - start};
	bool has_name = name.len > 0 && !span_is(name, ".") && !span_is(name, "..");
	if (!has_name)
		start = end;
	*ret_directory = start > 0 ? strndup(path, start) : strdup(".");
	*ret_name = has_name ? strndup(name.data, name.len) : strdup("");
	return *ret_directory && *ret_name ? 0 : -ENOMEM;
}

/* Finds the mount or rendered tree that the directory is in. *real is its path without links. */
static int find_tree(const char *directory, char **root, char **real, bool *is_rendered)
{
	int r = plyfs_mount_resolve(directory, root, real);

	*is_rendered = r == -ENOENT;
	r = *is_rendered ? rendered_tree_find(directory, root) : r;
	if (r == 0 && *is_rendered)
		r = probe_real_path(PROBE_MS, directory, real);
	/* A path in another user's tree may lie in a layer, too. */
	return r == -EPERM ? -ENOENT : r;
}

/* Returns whether the name in `root` is a generation, or the link to it. */
static bool is_generation(const char *path, const char *root)
{
	CLEANUP(freep) char *own_root = NULL, *real = NULL;
	bool is_rendered;

	return find_tree(path, &own_root, &real, &is_rendered) == 0 && is_rendered &&
	       strcmp(own_root, root) == 0 && strcmp(real, root) != 0 &&
	       !*rendered_tree_inner(root, real);
}

static int locate(const char *path, char **mountpoint, char **ret_path)
{
	CLEANUP(freep) char *directory = NULL, *name = NULL, *real = NULL;
	bool is_rendered;

	int r = split_path(path, &directory, &name);
	if (r == 0)
		r = find_tree(directory, mountpoint, &real, &is_rendered);
	/* The name of a mountpoint is in the file system around it. */
	if (r == -ENOENT) {
		*name = '\0';
		r = find_tree(path, mountpoint, &real, &is_rendered);
		if (r < 0)
			return r == -ETIMEDOUT ? r : -ENOENT;
	}
	if (r < 0)
		return r;
	/* These stand for the whole tree. */
	if (is_rendered && generation_has_name(name) && strcmp(real, *mountpoint) == 0 &&
		is_generation(path, *mountpoint))
		*name = '\0';
	const char *inner =
		is_rendered ? rendered_tree_inner(*mountpoint, real) : real + strlen(*mountpoint);
	inner += *inner == '/';
	const char *slash = *inner && *name ? "/" : "";
	return text_format(ret_path, "%s%s%s", inner, slash, name);
}

int layer_choice_in_mount(const struct command *command, const struct layer_choice *choice,
	const char *path, struct settings **ret, char **ret_path)
{
	CLEANUP(freep) char *mountpoint = NULL, *inner = NULL, *real = NULL;
	struct problem problem;

	int r = locate(path, &mountpoint, &inner);
	int found = r == -ENOENT ? probe_real_path(PROBE_MS, path, &real) : r;
	/* The user may be in a layer's directory and name a file there. */
	if (r == -ENOENT && found == 0)
		r = mounted_settings_find(path, &mountpoint, &inner, &problem);
	else if (found == -ETIMEDOUT)
		r = found;
	if (r == PROBLEM)
		return layer_choice_complain(NULL, path, r, &problem);
	if (r < 0)
		return layer_choice_not_in_mount(command, path, r);
	const struct opened_layers opened = {choice, mountpoint, NULL};
	if (wait_for_layers(&opened) != EXIT_DONE)
		return EXIT_FAILED;
	r = open_and_hold(opened, ret, &problem);
	if (r != 0)
		return layer_choice_complain(NULL, mountpoint, r, &problem);
	/* The warnings about the mount's own options were printed when it was made. */
	if (choice->around.facts[0] && (*ret)->warning.message[0])
		message_warning(&(*ret)->warning);
	*ret_path = take_ptr(inner);
	return EXIT_DONE;
}

char *layer_choice_directory(void)
{
	char *path = getcwd(NULL, 0);

	return path || errno == ENOMEM ? path : strdup("/proc/self/cwd (deleted)");
}

void layer_choice_note_absent(const struct settings *settings)
{
	struct problem problem;

	if (absent_layer_find(settings, &problem) == PROBLEM)
		message_warning(&problem);
}

static bool is_warned_of(
	const struct settings *settings, const char *beside, size_t before, const char *directory)
{
	char other[PATH_MAX];

	for (size_t i = 0; i < before; i++) {
		layer_closed_above(settings->layers[i], beside, other);
		if (strcmp(other, directory) == 0)
			return true;
	}
	return false;
}

int layer_choice_warn_closed(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context)
{
	CLEANUP(freep) char *real = NULL;
	char directory[PATH_MAX];
	struct problem problem;
	int r = 0;

	/* A mount at that path may not answer: the wait has a limit. */
	(void)probe_real_path(PROBE_OTHERS_MS, beside, &real);
	for (size_t i = 0; real && r == 0 && i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		layer_closed_above(layer, real, directory);
		if (!*directory || is_warned_of(settings, real, i, directory))
			continue;
		problem_set(&problem, directory, 0, 0,
			"other users can't search this directory, but a mount shows them the "
			"layer '%s', which is in it; close the layer itself (chmod o-rx %s), or "
			"mount with -o private",
			layer->name, layer->place);
		r = warn(context, &problem);
	}
	return r;
}

/*
 * If a layer has a FIFO, a socket or a device at the path, or if it is plyfs's own path, reports
 * that. Returns whether it did.
 */
static bool report_unshown(const struct settings *settings, const char *path, const char *inner)
{
	for (size_t i = settings->layer_count; i-- > 0;) {
		CLEANUP(freep) char *name = NULL;
		struct stat found;

		if (layer_stat(settings->layers[i], inner, &found) < 0)
			continue;
		if (settings_is_own(inner)) {
			message_at(path, "not shown: '" PLYFS_NAME
					 "' at the root is plyfs's own; give it another name");
			return true;
		}
		if (union_kind_of(found.st_mode) != UNION_NONE ||
			union_is_whiteout_device(&found) ||
			layer_source_name(settings->layers[i], inner, &name) < 0)
			continue;
		message_at(path,
			"%s is %s, which is not shown, and no layer has a file there; put a "
			"file in its place",
			name,
			S_ISFIFO(found.st_mode)   ? "a FIFO"
			: S_ISSOCK(found.st_mode) ? "a socket"
						  : "a device");
		return true;
	}
	return false;
}

/*
 * If a file or link stands in the place of a directory above the path, reports that. Returns
 * whether it did.
 */
static bool report_no_directory(
	const struct settings *settings, const char *path, const char *inner)
{
	for (const char *end = strchr(inner, '/'); end; end = strchr(end + 1, '/')) {
		CLEANUP(freep) char *above = strndup(inner, (size_t)(end - inner));
		CLEANUP(freep) char *name = NULL;
		enum union_kind kind = UNION_NONE;
		size_t i = settings->layer_count;
		struct stat found;

		while (above && kind == UNION_NONE && i-- > 0)
			if (layer_stat(settings->layers[i], above, &found) == 0)
				kind = union_kind_of(found.st_mode);
		if (!union_is_leaf(kind) ||
			layer_source_name(settings->layers[i], above, &name) < 0)
			continue;
		const char *what = kind == UNION_LINK ? "a link" : "a file";
		while (++i < settings->layer_count && layer_excludes(settings->layers[i], above))
			;
		if (i == settings->layer_count)
			message_at(path,
				"no layer can have such a file, as %s is %s, and no directory; "
				"give another path",
				name, what);
		else
			message_at(path,
				"no layer has such a file, as %s is %s, and no directory; for one "
				"in a higher layer, make the directory '%s' there",
				name, what, above);
		return true;
	}
	return false;
}

/* Finds a lower layer's file that a higher layer hides. Returns false if there is none, or it can't
 * be named. */
static bool find_hidden(
	const struct settings *settings, const char *inner, char **mark, char **name)
{
	CLEANUP(freep) struct hidden *hidden = settings ? malloc(sizeof(*hidden)) : NULL;

	return hidden &&
	       hidden_find(settings, (unsigned)settings->layer_count, inner, hidden) > 0 &&
	       hidden_mark_name(settings, hidden, mark) == 0 &&
	       layer_source_name(settings->layers[hidden->layer], inner, name) == 0;
}

/* Reports a missing file: "motd: hidden by site/.wh.motd; vendor/motd exists". */
static int complain_of_absence(
	const struct settings *settings, const char *path, const char *inner, int result)
{
	CLEANUP(freep) char *mark = NULL, *name = NULL;

	if (settings && layer_choice_end(settings) != EXIT_DONE)
		return EXIT_FAILED;
	if (find_hidden(settings, inner, &mark, &name))
		return message_at(path, "hidden by %s; %s exists", mark, name);
	if (settings && (report_unshown(settings, path, inner) ||
				prefixed_path_report(settings, path, PREFIXED_PATH_OLD) ||
				(result == -ENOTDIR && report_no_directory(settings, path, inner))))
		return EXIT_FAILED;
	return message_at(path, "no layer has such a file");
}

/* Reports a directory in the place of a file, and the file of a lower layer that it hides. */
static int complain_of_directory(
	const struct settings *settings, const char *path, const char *inner)
{
	CLEANUP(freep) char *mark = NULL, *name = NULL;

	if (!find_hidden(settings, inner, &mark, &name))
		return message_at(path, "is a directory; give a file");
	return message_at(
		path, "is a directory: %s hides the file %s; give a file in it", mark, name);
}

int layer_choice_complain(const struct settings *settings, const char *path, int result,
	const struct problem *problem)
{
	return layer_choice_complain_in(settings, path, path, result, problem);
}

int layer_choice_complain_in(const struct settings *settings, const char *path, const char *inner,
	int result, const struct problem *problem)
{
	switch (-result) {
	case ENOENT:
	case ENOTDIR:
		return complain_of_absence(settings, path, inner, result);
	case EISDIR:
		return complain_of_directory(settings, path, inner);
	case ENOTCONN:
		return message_at(path, PLYFS_MOUNT_ENDED);
	case ETIMEDOUT:
		return plyfs_mount_complain(path);
	case EACCES:
		if (plyfs_mount_is_private(path))
			return message_at(path, PLYFS_MOUNT_PRIVATE);
		__attribute__((fallthrough));
	default:
		message_result(result, problem, path);
	}
	if (settings && result == PROBLEM)
		place_show(settings, problem);
	return EXIT_FAILED;
}
