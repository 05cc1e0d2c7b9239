#include "generation_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "generation.h"
#include "layer.h"
#include "rendered_state.h"
#include "text.h"

int generation_link_put(
	struct rendered *rendered, const char *name, const char *target, struct problem *problem)
{
	struct owned *owned = generation_get_beside(rendered, name);
	int at = rendered->place->dirfd;
	const struct fingerprint fingerprint = {
		.mode = S_IFLNK | 0777, .hash = fingerprint_add(FINGERPRINT_HASH, span_of(target))};
	struct fingerprint now;
	char staged[STAGED_MAX];
	int r = owned ? fingerprint_at(at, name, &now) : -ENOMEM;

	if (r < 0)
		return r;
	bool is_there = S_ISLNK(now.mode) && now.hash == fingerprint.hash;
	if (is_there && owned->fingerprint.mode)
		return manifest_put(rendered->manifest, owned, &fingerprint);
	if (now.mode && !owned->fingerprint.mode && !is_there)
		return rendered_refuse(name, problem);
	if (owned->fingerprint.mode && !is_there && strcmp(name, GENERATION_LINK) != 0) {
		rendered_report_drift(rendered, owned, &now);
		if (rendered->options.keeps_drift)
			return 0;
	}
	if (rendered->options.mode == RENDER_DRY)
		return 0;
	const struct fingerprint before = owned->fingerprint;
	r = manifest_put(rendered->manifest, owned, &fingerprint);
	if (r < 0)
		return r;
	rendered_stage_name(rendered, staged);
	if (symlinkat(target, rendered->stage_fd, staged) == 0 &&
		renameat(rendered->stage_fd, staged, at, name) == 0) {
		owned->reported = 0;
		return 0;
	}
	r = -errno;
	unlinkat(rendered->stage_fd, staged, 0);
	manifest_undo(rendered->manifest, owned, &before);
	return r;
}

/* Replaces a file that has the right bytes by a link, with --adopt. */
static bool adopt(struct rendered *rendered, const struct owned *owned)
{
	struct fingerprint now;

	return rendered->options.adopts &&
	       fingerprint_at(rendered->place->dirfd, owned->path, &now) == 0 &&
	       S_ISREG(now.mode) && S_ISREG(owned->fingerprint.mode) &&
	       now.hash == owned->fingerprint.hash &&
	       (rendered->options.mode == RENDER_DRY ||
		       unlinkat(rendered->place->dirfd, owned->path, 0) == 0);
}

/* Puts the link by which a name at the top is reached. */
static int link_name(struct rendered *rendered, struct owned *owned, struct problem *problem)
{
	CLEANUP(freep) char *target = NULL;

	if (text_format(&target, GENERATION_LINK "/%s", owned->path) < 0)
		return -ENOMEM;
	int r = generation_link_put(rendered, owned->path, target, problem);
	if (r != PROBLEM || !adopt(rendered, owned))
		return r;
	return rendered->options.mode == RENDER_DRY
		       ? 0
		       : generation_link_put(rendered, owned->path, target, problem);
}

/* Removes the link of a name. If another program has replaced it, that stays. */
static int unlink_name(struct rendered *rendered, struct owned *link)
{
	const char *name = generation_path(link);
	struct fingerprint now;
	bool is_there = fingerprint_at(rendered->place->dirfd, name, &now) == 0 &&
			S_ISLNK(now.mode) && now.hash == link->fingerprint.hash;
	const struct fingerprint before = link->fingerprint;
	int r = is_there ? manifest_put(rendered->manifest, link, &(struct fingerprint){0}) : 0;

	if (r == 0 && is_there && unlinkat(rendered->place->dirfd, name, 0) < 0) {
		r = -errno;
		manifest_undo(rendered->manifest, link, &before);
	}
	if (r < 0)
		return r;
	r = manifest_drop(rendered->manifest, link);
	manifest_forget(rendered->manifest, link);
	return r;
}

/* Returns whether it is a link to a name that is no longer shown. */
static bool is_idle(const struct rendered *rendered, const struct owned *owned)
{
	const char *name = generation_path(owned);

	if (!generation_is_beside(owned) || !S_ISLNK(owned->fingerprint.mode) ||
		strcmp(name, GENERATION_LINK) == 0)
		return false;
	const struct owned *named = manifest_find(rendered->manifest, name);
	return !named || !generation_shows(named);
}

int generation_link_all(struct rendered *rendered, struct problem *problem)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int result = manifest_list(rendered->manifest, "", &all, &count);

	for (size_t i = 0; result != -ENOMEM && i < count; i++) {
		struct problem other = {0};
		int r = 0;

		if (is_idle(rendered, all[i]))
			r = rendered->options.mode == RENDER_DRY ? 0
								 : unlink_name(rendered, all[i]);
		else if (generation_shows(all[i]) && !strchr(all[i]->path, '/'))
			r = link_name(rendered, all[i], &other);
		if (r != 0 && result == 0) {
			result = r;
			*problem = other;
		}
	}
	return result;
}
