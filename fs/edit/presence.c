#include "presence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "dropin.h"
#include "hidden.h"
#include "layer_file.h"
#include "path.h"
#include "text.h"
#include "value_lock.h"

/* The state of a change of the layer's part of one path. */
struct presence {
	const struct layer_edit_request *request;
	const struct settings *settings;
	struct layer *layer;
	struct layer_store *store; /* NULL: the layer is an ordinary directory */
	int lock;
	struct arena *arena;
	const char **paths; /* paths in the layer that a reset removes */
	size_t count;
	size_t capacity;
	const char *dropin; /* of a hide: a drop-in of the file; NULL: there is none */
	presence_report *report;
	void *context;
	struct problem *problem;
};

static void presence_fini(struct presence *presence)
{
	closep(&presence->lock);
	layer_store_freep(&presence->store);
	free(presence->paths);
	arena_free(presence->arena);
}

static int begin(struct presence *presence, const struct offline *offline)
{
	const struct layer_edit_request *request = presence->request;
	int r = arena_new(&presence->arena);

	presence->settings = offline_settings(offline);
	presence->lock = -1;
	if (r == 0)
		r = target_layer_find(presence->settings, request->layer, request->access,
			&presence->layer, &presence->store, presence->problem);
	if (r == 0 && presence->store)
		r = layer_store_check(presence->store, request->path, presence->problem);
	if (r == 0 && settings_file(presence->settings, request->path))
		return problem_set(presence->problem, request->path, 0, 0,
			"is made of other files ('files' in plyfs.yaml); name one of those");
	if (r == 0 && request->mode == LAYER_EDIT_WRITES && !presence->store)
		r = target_layer_lock(presence->layer, &presence->lock, presence->problem);
	return r;
}

/* Returns 1 if the layer has that name, 0, PROBLEM + 1 for a problem, or -errno. */
static int has_name(const struct presence *presence, const char *path, struct stat *found)
{
	struct span text = {"", 0};
	int r = presence->store ? layer_store_read(presence->store, path, presence->arena, &text,
					  presence->problem)
				: layer_file_look(presence->layer, path, found);

	if (presence->store)
		*found = (struct stat){.st_mode = S_IFREG};
	if (union_is_absent(r) || (r == 0 && !text.data))
		return 0;
	return r == 0 ? 1 : r == PROBLEM ? PROBLEM + 1 : r;
}

static int take(struct presence *presence, const char *path)
{
	return path ? array_push(presence->paths, presence->count, presence->capacity, path)
		    : -ENOMEM;
}

/* Returns the whiteout of a path, "DIRECTORY/.wh.NAME". NULL: no memory. */
static const char *mark_of(const char *path, struct arena *arena)
{
	return arena_printf(arena, "%.*s" UNION_MARK_PREFIX "%s", (int)path_directory_length(path),
		path, path_name(path));
}

static bool is_dropin_of(const struct contributor *found, const char *path)
{
	size_t len = strlen(path);

	return found->path && strncmp(found->path, path, len) == 0 &&
	       strncmp(found->path + len, DROPIN_SUFFIX "/", strlen(DROPIN_SUFFIX "/")) == 0;
}

/* Takes the drop-ins among the sources that the lookup has in the layer. */
static int take_dropins(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct presence *presence = context;
	int r = 0;

	(void)composer;
	(void)problem;
	for (unsigned i = 0; r == 0 && i < lookup->count + lookup->left_out_count; i++) {
		const struct contributor *found = &lookup->found[i];

		if (found->layer == presence->layer->rank && is_dropin_of(found, path))
			r = take(presence, arena_copy(presence->arena, span_of(found->path)));
	}
	return r;
}

/* Names a drop-in of any layer. The whiteout of the file does not hide it. */
static int name_dropin(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct presence *presence = context;
	int r = 0;

	(void)composer;
	(void)problem;
	for (unsigned i = 0; r == 0 && !presence->dropin && i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		const struct layer *layer = presence->settings->layers[found->layer];
		CLEANUP(freep) char *name = NULL;

		if (!is_dropin_of(found, path))
			continue;
		r = layer_source_name(layer, found->path, &name);
		presence->dropin = r == 0 ? arena_copy(presence->arena, span_of(name)) : NULL;
	}
	return r;
}

static int find_names(struct presence *presence, const struct offline *offline)
{
	const char *path = presence->request->path;
	const char *mark = mark_of(path, presence->arena);
	const char *opaque = arena_printf(presence->arena, "%s/" UNION_OPAQUE_NAME, path);
	struct stat found = {0}, mark_found;

	if (!mark || !opaque)
		return -ENOMEM;
	int r = has_name(presence, path, &found);
	bool is_directory = r == 1 && S_ISDIR(found.st_mode);
	if (r == 1)
		r = is_directory ? has_name(presence, opaque, &mark_found) : 1;
	if (r == 1)
		r = take(presence, is_directory ? opaque : path);
	if (r == 0)
		r = has_name(presence, mark, &mark_found);
	if (r == 1)
		r = take(presence, mark);
	if (r > PROBLEM)
		return PROBLEM;
	if (r < 0)
		return r;
	r = offline_look_at(offline, path, take_dropins, presence, presence->problem);
	if (is_directory && !presence->count)
		return problem_set(presence->problem, path, 0, 0,
			"is a directory in the layer '%s'; reset the files in it",
			presence->layer->name);
	return presence->count && (r == -ENOENT || r == -EISDIR || r == -ENOTDIR) ? 0 : r;
}

/*
 * Reads the text of a name before its removal, for a dry run. It stays empty if the name is not a
 * file, or the file is too large.
 */
static void read_old(const struct presence *presence, const char *path, struct span *ret)
{
	CLEANUP(freep) char *text = NULL;
	struct stat stat;
	size_t len = 0;

	if (presence->store)
		return;
	CLEANUP(closep) int fd = layer_open_file(presence->layer, path, &stat);
	if (fd >= 0 &&
		text_read(fd, presence->settings->options.limits.source_bytes, &text, &len) == 0 &&
		(ret->data = arena_copy(presence->arena, (struct span){text, len})))
		ret->len = len;
}

static int name_file(const struct presence *presence, const char *path, const char **ret)
{
	CLEANUP(freep) char *name = NULL;
	int r = presence->store ? 0 : layer_source_name(presence->layer, path, &name);

	*ret = r == 0 ? arena_copy(presence->arena,
				span_of(presence->store ? layer_store_name(presence->store) : name))
		      : NULL;
	return *ret ? 0 : -ENOMEM;
}

static int write_key(const struct presence *presence, struct span text, struct layer_edit *change)
{
	int r = layer_store_write(
		presence->store, text, &change->revision, &change->unseen, presence->problem);

	return r == LAYER_FILE_MOVED ? -ESTALE : r;
}

static int remove_one(struct presence *presence, const char *path)
{
	const struct layer_file file = {.layer = presence->layer, .path = path};
	const struct schema_file *schema =
		settings_rule_for(presence->settings, presence->request->path)->schema;
	struct layer_edit change = {.layer = presence->layer,
		.effect = PUT_EMPTIED,
		.schema = schema ? schema->schema : NULL,
		.old = {"", 0},
		.new = {"", 0}};
	int r = 0;

	if (presence->store)
		r = layer_store_read(
			presence->store, path, presence->arena, &change.old, presence->problem);
	else
		read_old(presence, path, &change.old);
	if (r == 0)
		r = name_file(presence, path, &change.file);
	if (r == 0 && presence->request->mode == LAYER_EDIT_WRITES)
		r = presence->store ? write_key(presence, (struct span){NULL, 0}, &change)
				    : layer_file_remove(&file, presence->problem);
	if (r < 0 && r != -ENOMEM && r != -ESTALE)
		return problem_set(presence->problem, change.file, 0, 0, "can't be removed: %s",
			text_error(r));
	return r == 0 ? presence->report(presence->context, &change) : r;
}

int presence_reset(const struct offline *offline, const struct layer_edit_request *request,
	presence_report *report, void *context, struct problem *problem)
{
	CLEANUP(presence_fini)
	struct presence presence = {
		.request = request, .report = report, .context = context, .problem = problem};

	int r = begin(&presence, offline);
	if (r == 0)
		r = find_names(&presence, offline);
	if (r == 0 && presence.count && !target_layer_is_current(presence.settings))
		r = -ESTALE;
	for (size_t i = 0; r == 0 && i < presence.count; i++)
		r = remove_one(&presence, presence.paths[i]);
	if (r == 0 && presence.count && request->mode == LAYER_EDIT_WRITES && !presence.store)
		layer_file_remove_dropins(presence.layer, request->path);
	return r;
}

/* Refuses to hide a file in which a layer below this one locks values. */
static int refuse_lock(void *context, const char *path, const struct value_lock *lock)
{
	const struct presence *presence = context;
	const char *asked = presence->request->path;

	return problem_set(presence->problem, asked, 0, 0,
		"can't be hidden: the layer '%.*s' locks values in %s (the lock is at %s:%u:%u); "
		"hide it in that layer, or remove the lock",
		(int)lock->layer->text.len, lock->layer->text.data,
		strcmp(path, asked) == 0 ? "it" : path, source_shown(lock->layer->source),
		(unsigned)lock->layer->line, (unsigned)lock->layer->column);
}

/* Lists in *hides the files that the whiteout would hide, and finds the highest layer. */
static int find_hidden(struct presence *presence, const char **hides, const struct layer **model)
{
	const struct settings *settings = presence->settings;
	const char *path = presence->request->path;

	*hides = "";
	for (size_t i = settings->layer_count; i-- > 0;) {
		const struct layer *layer = settings->layers[i];
		CLEANUP(freep) char *name = NULL;
		struct stat found;

		if (layer->dirfd < 0 || layer_stat(layer, path, &found) < 0 ||
			union_kind_of(found.st_mode) == UNION_NONE)
			continue;
		if (layer_source_name(layer, path, &name) < 0)
			return -ENOMEM;
		if (layer == presence->layer)
			return problem_set(presence->problem, name, 0, 0,
				"the layer '%s' has this itself, so it would still show: 'plyfs "
				"reset' removes it",
				layer->name);
		if (layer->rank > presence->layer->rank)
			return problem_set(presence->problem, name, 0, 0,
				"the layer '%s' is higher and has this, so it would still show; "
				"hide it there",
				layer->name);
		*model = *model ? *model : layer;
		*hides = arena_printf(presence->arena, "%s%s%s", *hides, **hides ? ", " : "", name);
		if (!*hides)
			return -ENOMEM;
	}
	return **hides ? hidden_locks_each(
				 settings, path, presence->layer->rank, refuse_lock, presence)
		       : -ENOENT;
}

/* Writes the whiteout as any other file of the layer; an absent layer is made. */
static int write_mark(struct presence *presence, const char *mark, const struct layer *model,
	struct layer_edit *change)
{
	const struct layer_file file = {
		.layer = presence->layer, .path = mark, .new = {"", 0}, .model = model};

	if (presence->store)
		return write_key(presence, (struct span){"", 0}, change);
	int r = target_layer_write(presence->settings, file, change->file, presence->problem);
	return r == LAYER_FILE_MOVED ? -ESTALE : r;
}

static int hide(struct presence *presence, const char *mark)
{
	struct layer_edit change = {.layer = presence->layer,
		.effect = PUT_CHANGED,
		.is_new = true,
		.shown_by = presence->dropin,
		.old = {"", 0},
		.new = {"", 0}};
	const struct layer *model = NULL;
	struct stat found;

	/* The layer may have a whiteout already: a device 0/0 or a .wh. name. */
	int r = has_name(presence, presence->request->path, &found);
	bool is_hidden = r == 1 && union_is_whiteout_device(&found);
	r = is_hidden || r < 0 || r > PROBLEM ? r : has_name(presence, mark, &found);
	if (r > 0)
		return r > PROBLEM ? PROBLEM : 0;
	if (r == 0)
		r = find_hidden(presence, &change.hides, &model);
	if (r == 0 && presence->layer->dirfd >= 0 && layer_excludes(presence->layer, mark))
		return problem_set(presence->problem, mark, 0, 0,
			"is excluded from the layer '%s', so it would hide nothing; change the "
			"layer's 'exclude' in plyfs.yaml, or name a layer that does not exclude it",
			presence->layer->name);
	if (r == 0)
		r = name_file(presence, mark, &change.file);
	if (r == 0 && !target_layer_is_current(presence->settings))
		r = -ESTALE;
	if (r == 0 && presence->request->mode == LAYER_EDIT_WRITES)
		r = write_mark(presence, mark, model, &change);
	return r == 0 ? presence->report(presence->context, &change) : r;
}

int presence_hide(const struct offline *offline, const struct layer_edit_request *request,
	presence_report *report, void *context, struct problem *problem)
{
	CLEANUP(presence_fini)
	struct presence presence = {
		.request = request, .report = report, .context = context, .problem = problem};

	int r = begin(&presence, offline);
	const char *mark = r == 0 ? mark_of(request->path, presence.arena) : NULL;
	if (r == 0 && !mark)
		r = -ENOMEM;
	struct problem ignored; /* a path that can't be looked up has no drop-in */
	if (r == 0 && offline_look_at(offline, request->path, name_dropin, &presence, &ignored) ==
			      -ENOMEM)
		r = -ENOMEM;
	return r == 0 ? hide(&presence, mark) : r;
}
