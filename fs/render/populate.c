#include "populate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bases.h"
#include "cleanup.h"
#include "coroutine.h"
#include "generation.h"
#include "layer.h"
#include "layer_task.h"
#include "path.h"
#include "refresh.h"
#include "render_state.h"
#include "shown_directory.h"
#include "text.h"

/*
 * Maximum number of concurrent lookups: the pool composes some of them while earlier ones are
 * written. All lookups of a batch are waited for together: waking up for each would take a
 * processor from the pool each time.
 */
#define LOOKS 64
#define LOOKS_BATCH (LOOKS / 2)

/* Positive result of a lookup: the file is as an earlier process has left it. */
#define IS_KEPT 64

struct populate_lookup {
	struct view_caller caller; /* must be first */
	struct render *render;
	char *name;
	int result; /* VIEW_LATER: there is no answer yet */
	struct stat stat;
};

struct populate_names {
	struct populate_lookup **items;
	size_t count;
	size_t capacity;
	size_t asked;            /* names whose lookups have begun */
	size_t pending;          /* those of them whose names are not written yet */
	enum shown_state before; /* the directory's: a failure is reported once */
	int error;               /* -ENOMEM: why the list ends early; or 0 */
};

static void on_answer(struct view_caller *caller, int result, const struct stat *stat)
{
	struct populate_lookup *look = (struct populate_lookup *)caller;

	look->result = result == VIEW_GOING ? -ENOENT : result;
	if (look->result >= 0)
		look->stat = *stat;
	if (look->render->awaited == look)
		coroutine_wake(&look->render->answered);
}

/* Returns whether an earlier process has left the file as this one would. */
static bool is_kept(struct render *render, uint64_t parent, const char *directory, const char *name)
{
	CLEANUP(freep) char *path = NULL;

	if (path_join(directory, name, &path) < 0)
		return false;
	struct owned *owned = manifest_find(render->manifest, path);
	bool is_so = owned && owned->basis &&
		     bases_keep(render->rendered, owned, view_basis(render->view, parent, name));
	if (is_so)
		owned->is_seen = true;
	return is_so;
}

static void ask(struct render *render, uint64_t parent, struct populate_lookup *look)
{
	struct stat stat = {0};

	look->caller = (struct view_caller){.answer = on_answer};
	look->result = VIEW_LATER;
	int r = view_lookup(render->view, parent, look->name, &look->caller, &stat);
	if (r != VIEW_LATER)
		on_answer(&look->caller, r, &stat);
}

static void wait_for(struct render *render, struct populate_lookup *look)
{
	render->awaited = look;
	while (look->result == VIEW_LATER)
		coroutine_wait(&render->answered, NULL);
	render->awaited = NULL;
}

static bool take_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct populate_names *names = context;
	struct populate_lookup *look = calloc(1, sizeof(*look));

	(void)ino;
	(void)type;
	(void)cookie;
	if (!look || !(look->name = strdup(name)) ||
		array_push(names->items, names->count, names->capacity, look) < 0) {
		free(look ? look->name : NULL);
		free(look);
		names->error = -ENOMEM;
		return false;
	}
	return true;
}

static void names_fini(struct populate_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->items[i]->name);
		free(names->items[i]);
	}
	free(names->items);
}

/* Notes that something older may be at the path, or below it: no directory above may be opened. */
static int hold(struct render *render, const char *path)
{
	CLEANUP(freep) char *above = strdup(path);

	for (char *end = above; end; end = strrchr(above, '/')) {
		if (end != above)
			*end = '\0';
		struct owned *owned = manifest_find(render->manifest, above);
		if (owned)
			owned->may_be_older = true;
	}
	return above ? 0 : -ENOMEM;
}

/* Keeps what is shown at the path: its present state is unknown, so it must not be removed. */
static int keep_shown(struct render *render, const char *path)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(render->manifest, path, &all, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		all[i]->is_seen = true;
	return r == 0 ? hold(render, path) : r;
}

void populate_miss(struct render *render, uint64_t ino, const char *path, int result)
{
	struct shown_directory *shown = shown_find(render, ino);
	if (!layer_is_shortage(result))
		result = keep_shown(render, path);
	if (!shown)
		return;
	if (layer_is_shortage(result) && shown->state != SHOWN_UNKNOWN) {
		render->incomplete++;
		shown->state = SHOWN_UNKNOWN;
	} else if (shown->state == SHOWN_WHOLE) {
		shown->state = SHOWN_MISSED;
	}
	deferred_look(render->deferred, shown->path, RETRY_MS);
}

void populate_note_number(struct render *render, struct owned *owned, uint64_t ino)
{
	if (owned->ino)
		view_forget(render->view, owned->ino, 1);
	owned->ino = ino;
	owned->is_seen = true;
}

int populate_dress(struct render *render, struct owned *owned, uint64_t ino, bool may_open,
	struct problem *problem)
{
	struct stat stat;
	int r = view_stat(render->view, ino, &stat);

	if (r < 0)
		return r;
	owned->is_closed = !may_open && rendered_keep_closed(owned, &stat);
	render->is_removal_due |= owned->is_closed;
	return rendered_put_directory(render->rendered, owned, &stat, problem);
}

int populate_put_directory(struct render *render, const char *path, uint64_t ino)
{
	struct problem problem;

	struct owned *owned = manifest_get(render->manifest, path);
	int r = owned ? shown_add(render, ino, path) : -ENOMEM;
	if (owned) {
		populate_note_number(render, owned, ino);
		bases_note(render->rendered, owned, 0); /* that of a former file */
	}
	if (r == 0)
		r = populate_dress(render, owned, ino, false, &problem);
	bool is_put = failure_is_over(render, owned, r);
	if (is_put && !render->options.is_atomic)
		shown_watch(shown_find(render, ino));
	if (!is_put)
		failure_retry(render, path, owned, r, &problem);
	/* The directory is not walked now: keep what is shown in it. */
	if (!is_put && keep_shown(render, path) < 0)
		r = -ENOMEM;
	if (is_put)
		populate_directory(render, path, ino);
	return layer_is_shortage(r) ? r : 0;
}

bool populate_was_replaced(const struct render *render, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(render->view);

	return render->options.mode != RENDER_WATCH && settings_were_read(settings, problem) != 0;
}

/*
 * Writes a file. If it does not merge and was never good in this process, the last good file of an
 * earlier process stays. Returns 0 or -ENOMEM.
 */
static int put_file(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;

	int r = view_version(render->view, ino, &version);
	if (r == 0)
		view_drop_names(version);
	struct owned *owned = manifest_get(render->manifest, path);
	const struct fingerprint before = owned ? owned->fingerprint : (struct fingerprint){0};
	uint64_t staged = rendered_staged(render->rendered);
	if (!owned)
		r = -ENOMEM;
	else
		populate_note_number(render, owned, ino);
	if (r == 0 && populate_was_replaced(render, &problem))
		return 0;
	if (r == 0)
		r = rendered_put(render->rendered, owned, version, &problem);
	if (owned)
		bases_note(render->rendered, owned, r == 0 ? version->basis : 0);
	if (!failure_is_over(render, owned, r))
		failure_retry(render, path, owned, r, &problem);
	/* If another program's change is put right, the fingerprint is the former one. */
	bool is_changed = owned && (owned->fate != FATE_SAME ||
					   (r == 0 && rendered_staged(render->rendered) > staged) ||
					   !fingerprint_equal(&before, &owned->fingerprint));
	if (is_changed)
		view_note_change(render->view, path);
	return owned ? 0 : -ENOMEM;
}

/* Begins lookups, up to LOOKS of them. A name that is kept needs none. */
static void ask_some(
	struct render *render, uint64_t parent, const char *directory, struct populate_names *names)
{
	/* A process that watches might miss that the directory is replaced meanwhile. */
	layer_stay(render->options.mode == RENDER_WATCH ? "" : directory);
	for (; names->asked < names->count && names->pending < LOOKS; names->asked++) {
		struct populate_lookup *look = names->items[names->asked];

		if (look->result == 0 && is_kept(render, parent, directory, look->name))
			look->result = IS_KEPT;
		names->pending += look->result != IS_KEPT;
		if (look->result == 0)
			ask(render, parent, look);
	}
	layer_stay("");
}

static void put_name(struct render *render, uint64_t parent, const char *directory,
	const struct populate_lookup *look, enum shown_state before)
{
	CLEANUP(freep) char *path = NULL;
	int r = look->result;

	if (r == -ENOENT || r == IS_KEPT)
		return;
	if (path_join(directory, look->name, &path) < 0)
		r = -ENOMEM;
	if (r < 0 && before == SHOWN_WHOLE)
		failure_retry(render, path ? path : directory, NULL, r, NULL);
	if (r >= 0)
		r = S_ISDIR(look->stat.st_mode)
			    ? populate_put_directory(render, path, look->stat.st_ino)
			    : put_file(render, path, look->stat.st_ino);
	if (r < 0)
		populate_miss(render, parent, path, r);
}

void populate_directory(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(names_fini) struct populate_names names = {0};

	struct shown_directory *shown = shown_find(render, ino);
	if (shown) {
		render->incomplete -= shown->state == SHOWN_UNKNOWN;
		names.before = shown->state;
		shown->state = SHOWN_WHOLE;
	}
	/* The publisher is in a hurry otherwise: a slow layer would never be listed. */
	int patience_ms = layer_tasks_patience(0);
	int r = view_list(render->view, ino, 0, true, take_name, &names);
	layer_tasks_patience(patience_ms);
	if (r == 0)
		r = names.error;
	if (r < 0) {
		if (r != -ENOENT && names.before == SHOWN_WHOLE)
			failure_retry(render, path, NULL, r, NULL);
		if (r != -ENOENT)
			populate_miss(render, ino, path, r);
		return;
	}
	for (size_t i = 0; i < names.count; i++) {
		struct populate_lookup *look = names.items[i];

		look->render = render;
		if (!*path && strcmp(look->name, PLYFS_NAME) == 0)
			look->result = -ENOENT;
	}
	for (size_t done = 0; done < names.count; done++) {
		struct populate_lookup *look = names.items[done];

		if (done % LOOKS_BATCH == 0) {
			ask_some(render, ino, path, &names);
			size_t end =
				done + LOOKS_BATCH < names.asked ? done + LOOKS_BATCH : names.asked;
			wait_for(render, names.items[end - 1]);
		}
		wait_for(render, look);
		names.pending -= look->result != IS_KEPT;
		put_name(render, ino, path, look, names.before);
	}
	/* Wait for all lookups before their names are freed. */
	for (size_t i = 0; i < names.asked; i++)
		wait_for(render, names.items[i]);
}

/* Opens a directory that was kept closed, unless something older may still be in it. */
static void open_directory(struct render *render, struct owned *owned)
{
	struct problem problem;
	int r = 0;

	owned->is_closed &= S_ISDIR(owned->fingerprint.mode);
	if (owned->is_closed && !owned->may_be_older)
		r = populate_dress(render, owned, owned->ino, true, &problem);
	if (r != 0 && r != RENDERED_KEPT)
		failure_retry(render, owned->path, owned, r, &problem);
	render->is_removal_due |= owned->is_closed;
	owned->may_be_older = false;
}

/*
 * Removes what an earlier run has written and the layers no longer have, and then opens the
 * directories. Failures are retried.
 */
static int remove_unseen(struct render *render)
{
	CLEANUP(freep) struct owned **all = NULL;
	struct problem problem;
	size_t count;
	int r = manifest_list(render->manifest, "", &all, &count);

	/* Backwards: a directory comes before its contents. */
	for (size_t i = count; r == 0 && i-- > 0;) {
		if (all[i]->failure && all[i]->fingerprint.mode)
			r = hold(render, all[i]->path);
		if (all[i]->is_seen || generation_is_beside(all[i])) {
			open_directory(render, all[i]);
			continue;
		}
		CLEANUP(freep) char *path = strdup(all[i]->path);
		if (!path)
			return -ENOMEM;
		int removed = rendered_remove(render->rendered, all[i], &problem);
		if (removed == 0)
			view_note_change(render->view, path);
		else if (removed != RENDERED_KEPT) {
			failure_retry(render, path, manifest_find(render->manifest, path), removed,
				&problem);
			render->is_removal_due = true;
			deferred_look(render->deferred, "", failure_retry_ms(render, removed));
			r = hold(render, path);
		}
	}
	return r;
}

void populate_remove_unseen(struct render *render)
{
	render->is_removal_due = render->incomplete > 0;
	int r = render->is_removal_due ? 0 : remove_unseen(render);
	if (r == 0)
		return; /* failed removals are scheduled already */
	render->is_removal_due = true;
	failure_retry(render, render->options.directory, NULL, r, NULL);
	deferred_look(render->deferred, "", RETRY_MS);
}

/*
 * Returns whether the publisher is still to retry a change of this name. The view's version is
 * older than that change, so it must not be put there.
 */
static bool is_publishing(struct render *render, struct owned *owned)
{
	if (owned->is_publishing)
		owned->is_publishing = !view_is_settled(render->view, true);
	if (owned->is_publishing)
		deferred_look(render->deferred, owned->path, RETRY_MS);
	return owned->is_publishing;
}

void populate_again(struct render *render, const char *path)
{
	struct stat stat;

	struct owned *owned = manifest_find(render->manifest, path);
	uint64_t ino = owned ? owned->ino : *path ? 0 : VIEW_INO_ROOT;
	const struct shown_directory *shown = shown_find(render, ino);
	bool is_due = (shown && shown->state != SHOWN_WHOLE) ||
		      (owned && ino && !is_publishing(render, owned) &&
			      (owned->failure || rendered_has_drifted(render->rendered, owned) ||
				      owned->is_kept_back));
	int r = is_due ? view_stat(render->view, ino, &stat) : -ESTALE;
	if (r == 0 && owned)
		owned->ino = 0; /* the reference is passed on */
	if (r == 0 && !*path)
		populate_directory(render, path, ino);
	else if (r == 0)
		r = S_ISDIR(stat.st_mode) ? populate_put_directory(render, path, ino)
					  : put_file(render, path, ino);
	if (r == -ENOMEM)
		deferred_look(render->deferred, path, RETRY_MS);
	if (render->is_removal_due)
		populate_remove_unseen(render);
}

void populate_all_again(struct render *render)
{
	const struct owned *owned;

	for (size_t i = 0; (owned = manifest_at(render->manifest, i)); i++)
		deferred_look(render->deferred, owned->path, 0);
	deferred_look(render->deferred, "", 0);
}
