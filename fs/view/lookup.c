/* Lookups: the first lookup of a name, by the kernel or for a dependency, shows the name. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "attach.h"
#include "attributes.h"
#include "cleanup.h"
#include "entry.h"
#include "expand.h"
#include "look.h"
#include "placeholder.h"
#include "queue.h"
#include "read_ahead.h"
#include "settings.h"

/* Positive result: another look has ended first, and shows something else. */
enum { LOOK_OVERTAKEN = 32 };

/* Shows the result of a look at an entry that shows nothing yet. */
static void show_found(struct view *view, struct entry *entry, struct look *look)
{
	if (look->result.directory) {
		entry_show_directory(view, entry, look->result.directory);
		queue_scan(view, look->result.directory, SCAN_NAMES);
		look->result.directory->users--;
		look->result.directory = NULL;
		return;
	}
	placeholder_keep(view, entry, look->result.version);
	if (look->result.problem.message[0])
		entry_set_fault(view, entry, &look->result.problem, look->result.version,
			look->result.code != PROBLEM);
	else
		entry_clear_fault(view, entry);
	/* If memory is short, the publisher looks again, and notes the dependencies. */
	if (dependency_remember(view, look) < 0)
		queue_entry(view, entry);
	view->counts.compositions++;
}

/* The publisher keeps what is shown (refresh.c). */
void look_heed_past(struct look *look)
{
	if (look->purpose != LOOK_REFRESH && look->was_directory) {
		union_keep_directory(&look->result.lookup);
		attach_leave_out_failed(look->view, look->entry, &look->result.lookup);
	}
}

/* Returns whether a layer below this one contributed to the version, and this one did not. */
static bool is_made_without(
	const struct version *version, const struct settings *settings, unsigned rank)
{
	bool has_lower = false;

	for (unsigned i = 0; i <= rank; i++) {
		bool has = version_has_layer(version, settings->layers[i]->name);
		if (i == rank && has)
			return false;
		has_lower |= has;
	}
	return has_lower;
}

bool look_heed_silence(struct look *look)
{
	const struct settings *settings = look->composer.settings;
	struct union_lookup *lookup = &look->result.lookup;
	bool is_late = false;

	/* A link that was shown before is not hidden by layers that do not answer now. */
	if (lookup->kind == UNION_LINK && look->shown &&
		version_has_layer(look->shown, settings->layers[lookup->found[0].layer]->name))
		lookup->whiteout_error = 0;
	for (unsigned i = lookup->count; i-- > 0;) {
		unsigned rank = lookup->found[i].layer;
		if (!layer_has_timed_out(-lookup->found[i].error))
			continue;
		/* If the file has several paths, it is unknown which of them the layer hides. */
		if (!lookup->expanded && look->shown && look->shown->kind != VERSION_BROKEN &&
			is_made_without(look->shown, settings, rank))
			union_drop(lookup, i);
		else
			is_late |= lookup->found[i].error == LAYER_LATE;
	}
	return is_late;
}

void look_heed_unseen(struct look *look)
{
	struct directory *parent = look->entry->parent;

	if (look->result.is_failed)
		attach_failed(look->view, parent);
	if (union_has_unseen(&look->result.lookup))
		attach_unseen(look->view, parent);
}

/*
 * The publisher announces a new directory by mkdir(2), which needs a free name. So the lookup finds
 * nothing, and the directory shows a moment later. If no layer has the directory (a virtual file
 * needs it), it is not announced until its parent is expanded; nor if no layer can be looked at.
 */
static bool is_for_mkdir(const struct look *look)
{
	const struct entry *entry = look->entry;
	const struct directory *parent = entry->parent;
	bool is_missed = entry->known == KNOWN_MISSED && parent->inode.kernel_refs &&
			 look->result.lookup.count;

	return look->result.directory && !view_is_strict(look->view) &&
	       (entry->kind == UNION_NONE ? parent->names != NAMES_SOME
					  : entry->kind != UNION_DIRECTORY || is_missed) &&
	       (look->result.directory->layers || parent->names == NAMES_EXPANDED);
}

/*
 * Answers that there is no such name. If a listing had the name, or the kernel has forgotten its
 * object, its removal must be announced. If the kernel cached its absence, unlink(2) would be
 * refused. And if the name comes back, that must be announced: no event may follow, as the layer
 * may have failed, or the publisher may have looked since this look began.
 */
static int answer_absent(const struct look *look)
{
	struct entry *entry = look->entry;
	bool was_there = entry->kind != UNION_NONE;

	entry->known = was_there ? KNOWN_MISSED : KNOWN_ABSENT;
	/* Files that are merged from sources in the directory lose these sources meanwhile. */
	if (was_there && look->result.directory)
		queue_touch(look->view, entry);
	if (was_there || look->result.directory)
		queue_entry(look->view, entry);
	return was_there ? VIEW_GOING : -ENOENT;
}

/* Shows the result of the look at a name that shows nothing. Returns 0, VIEW_GOING or -ENOENT. */
static int install(struct look *look)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;
	struct directory *parent = entry->parent;
	enum union_kind kind = look->result.lookup.kind;

	if (parent->inode.is_removed)
		return -ENOENT;
	if (kind == UNION_NONE || is_for_mkdir(look))
		return answer_absent(look);
	/* An event of a name that was never listed may mean that the name is new. */
	bool is_reported =
		entry_pending(entry) && entry->use->pending->plan.is_event && look->result.version;
	if (entry->kind != kind && (parent->names != NAMES_SOME || is_reported))
		entry->known = KNOWN_UNANNOUNCED;
	/* The file changed after the kernel forgot it, and that is not published yet. */
	if (look->result.version && entry->use->last.fingerprint &&
		!entry_has_forgotten(entry, look->result.version))
		entry->known = KNOWN_UNANNOUNCED;
	show_found(view, entry, look);
	/*
	 * The publisher has updated this directory meanwhile. It may have seen older content than
	 * this look, or newer; and older content may be in the source cache.
	 */
	if (dependency_is_late(view, look) || parent->changed > look->began) {
		queue_touch(view, entry);
		queue_entry(view, entry);
	}
	return 0;
}

/* As install(); or returns LOOK_OVERTAKEN. */
static int install_first(struct look *look)
{
	const struct entry *entry = look->entry;
	bool is_late = entry_is_shown(entry) || look_is_overtaken(look);

	return is_late && !entry->parent->inode.is_removed ? LOOK_OVERTAKEN : install(look);
}

static int show(struct view *view, struct entry *entry, struct stat *ret)
{
	if (entry->use->version) {
		inode_hold(view, &entry->use->version->inode);
		version_stat(entry->use->version, ret);
	} else {
		inode_hold(view, &entry->use->directory->inode);
		directory_stat(entry->use->directory, ret);
	}
	return 0;
}

/*
 * unlink(2) needs a file to remove, even if the name was never looked up, or was forgotten by the
 * kernel. This one is on no path and not cached, so no other program can open it.
 */
static int show_passing(struct view *view, struct entry *entry, struct stat *ret)
{
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BROKEN);

	if (!version)
		return -ENOMEM;
	version->mode = S_IFREG | 0400;
	entry_prepare_version(view, entry, version);
	inode_hold(view, &version->inode);
	version_stat(version, ret);
	return VIEW_PASSING;
}

/* Answers a lookup of the publisher. Like unlink(2), rmdir(2) needs an object: an empty directory
 * does no harm while the kernel holds its parent's lock. */
static int show_for_publisher(struct view *view, struct stat *ret)
{
	struct change *change = view->publication.change;
	struct entry *entry = change->entry;

	if (view_publication(view) == PUBLISHING_OVERTAKEN)
		return -EAGAIN;
	if (change->kind == CHANGE_REMOVE && !entry->use->version)
		return show_passing(view, entry, ret);
	if (change->kind == CHANGE_REMOVE_DIRECTORY && !entry->use->directory) {
		struct directory *directory;
		int r = directory_new(entry->parent, entry->name,
			view->composer.settings->layer_count, &directory);
		if (r < 0)
			return r;
		directory->attributes.rights.mode = 0500;
		entry->parent->users++;
		entry_show_directory(view, entry, directory);
		change->began = view->revision;
	}
	return entry_is_shown(entry) ? show(view, entry, ret) : -ENOENT;
}

/* The layers have what is shown: an older look must not take it away. */
static int show_found_again(const struct look *look, struct stat *ret)
{
	if (look->result.lookup.count)
		entry_note_news(look->view, look->entry, NEWS_FOUND);
	return show(look->view, look->entry, ret);
}

/*
 * Answers with the file that the layers have. If it differs from the shown one, no path shows it;
 * the publisher publishes it later, which wakes watchers.
 */
static int answer_with_file(struct look *look, struct stat *ret)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;

	bool is_kept = look->result.problem.message[0] && !look->result.version->fallback_count &&
		       entry->use->version->kind != VERSION_BROKEN &&
		       view->composer.settings->options.on_error != ON_ERROR_FAIL;
	bool is_same = is_kept || version_same(entry->use->version, look->result.version);
	bool is_touched = is_same && !is_kept &&
			  version_is_touched(entry->use->version, look->result.version);
	if (is_touched && look_is_overtaken(look))
		return LOOK_OVERTAKEN;
	if (is_touched) {
		entry_take_time(view, entry, look->result.version);
		version_take_sources(entry->use->version, look->result.version);
		if (entry->known == KNOWN_SHOWN)
			entry->known = KNOWN_TOUCHED;
	}
	if (is_same)
		return show_found_again(look, ret);
	entry_prepare_version(view, entry, look->result.version);
	inode_hold(view, &look->result.version->inode);
	version_stat(look->result.version, ret);
	return 0;
}

/*
 * coherence=strict: compares the layers with what is shown. An object that the layers have may be
 * shown to its caller at any time; but what the name shows may change only if nothing newer was
 * shown since the look began: if not, returns LOOK_OVERTAKEN.
 */
static int end_strict(struct look *look, struct stat *ret)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;

	if (look->result.code == LOOK_IS_CURRENT)
		return entry->use->version == look->shown && entry->use->directory == look->child
			       ? show_found_again(look, ret)
			       : LOOK_OVERTAKEN;
	/* A file system that is mounted on the path hides it: what is shown stays. */
	if (entry_is_shown(entry) && view->callbacks.is_covered &&
		view->callbacks.is_covered(view->callbacks.context, look->path))
		return show(view, entry, ret);
	if (look->result.lookup.kind == UNION_NONE)
		return -ENOENT;
	if (entry->use->directory && look->result.directory)
		return show_found_again(look, ret);
	if (entry->use->version && look->result.version)
		return answer_with_file(look, ret);
	if (look_is_overtaken(look))
		return LOOK_OVERTAKEN;
	/* The layers have another kind of object: hides the one that is shown, which is rare, and
	 * makes no event. If none is shown, no other content may get the remembered number. */
	if (entry_is_shown(entry)) {
		entry_clear_fault(view, entry);
		entry_hide(view, entry);
	}
	int r = install(look);
	return r == 0 ? show(view, entry, ret) : r;
}

/* Returns the answer to the look's callers; LOOK_OVERTAKEN: they must ask again. */
static int end_waits(struct look *look, struct stat *ret)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;
	int r = look->result.code == PROBLEM || look->result.code == LOOK_IS_CURRENT
			? 0
			: look->result.code;

	if (r == 0 && look->result.lookup.kind != UNION_NONE)
		r = attributes_settle_waits(view, entry->parent);
	if (r < 0)
		return r;
	if (look->composer.settings != view->composer.settings)
		return LOOK_OVERTAKEN;
	if (look->purpose == LOOK_STRICT)
		return end_strict(look, ret);
	r = install_first(look);
	/* The look that ended first may have begun earlier, and seen older content. */
	if (r == 0 || (r == LOOK_OVERTAKEN && entry_is_shown(entry) && !view_is_strict(view)))
		r = show(view, entry, ret);
	return r;
}

/* Gives each caller a reference, in place of the look's. Waiters of a placeholder have theirs. */
static void hold_for_callers(struct view *view, const struct look *look, uint64_t ino)
{
	struct inode *inode = inode_table_find(&view->inodes.table, ino);

	for (const struct view_caller *caller = look->callers; inode && caller;
		caller = caller->next)
		inode_hold(view, inode);
	if (inode)
		inode_forget(view, inode, 1);
}

void lookup_again(struct view *view, const char *name, struct view_caller *callers)
{
	for (struct view_caller *caller = callers, *next; caller; caller = next) {
		struct stat stat;
		next = caller->next;
		int r = view_lookup(view, caller->parent, name, caller, &stat);
		if (r != VIEW_LATER)
			caller->answer(caller, r, &stat);
	}
}

/* A caller that joined the publisher's look gets a look of its own, as that one may wait. */
void lookup_takes_long(struct look *look)
{
	struct view *view = look->view;
	bool is_first = look->purpose == LOOK_FIRST;
	struct view_caller *callers = NULL;
	char name[NAME_MAX + 1];
	struct stat stat;
	int r = 0;

	if (view_has_placeholders(view)) {
		look->is_closed = true;
		callers = take_ptr(look->callers);
	}
	for (struct view_caller *caller = callers; is_first && r == 0 && caller;
		caller = caller->next)
		r = placeholder_give(view, look->entry, &stat);
	strcpy(name, look->entry->name);
	if (is_first)
		look_answer(callers, r == 0 ? VIEW_PLACEHOLDER : r, &stat);
	else
		lookup_again(view, name, callers);
}

/* Makes another look for the same placeholder. NULL: no memory. */
static struct look *look_again(struct view *view, struct entry *entry, bool was_new)
{
	struct look *look = look_new(view, entry, LOOK_FIRST);

	if (!look)
		return NULL;
	look->is_entry_new = was_new;
	/* If only the placeholder and this look use the entry, the use begins now. */
	if (entry->use->users == 2)
		entry_used(entry)->used_since = ++view->revision;
	return look;
}

void lookup_end(struct look *look)
{
	struct view *view = look->view;
	struct entry *entry = look->entry;
	char name[NAME_MAX + 1];
	struct stat stat = {0};
	int kept = 0;

	int r = end_waits(look, &stat);
	entry->parent->has_absences |= r == -ENOENT;
	look_heed_unseen(look);
	if (r == 0)
		hold_for_callers(view, look, stat.st_ino);
	/* Other waiters for this answer were admitted by rights that have been taken away since. */
	if (r == 0 && attributes_revocations(entry->parent))
		r = VIEW_PASSING;
	struct view_caller *callers = take_ptr(look->callers);
	struct view_caller *waiters = NULL;
	/* With the new settings it may be another file, but the placeholder is the same. */
	bool is_again =
		look->purpose == LOOK_FIRST && r == LOOK_OVERTAKEN && placeholder_is_held(entry);
	bool was_new = look->is_entry_new;
	/* A directory in its place is announced by mkdir(2) in a moment: the path is not gone. */
	bool is_other = look->result.lookup.kind != UNION_NONE && (r == -ENOENT || r == VIEW_GOING);
	int outcome = is_other ? -ESTALE : r;
	if (look->purpose == LOOK_FIRST && !is_again)
		waiters = placeholder_end(view, entry, outcome, &kept);
	strcpy(name, entry->name);
	look_free(look);
	struct look *next = is_again ? look_again(view, entry, was_new) : NULL;
	if (is_again && !next)
		waiters = placeholder_end(view, entry, -ENOMEM, &kept);
	if (next)
		look_begin_in_pool(next);
	look_answer(waiters, kept, NULL);
	if (r == LOOK_OVERTAKEN)
		lookup_again(view, name, callers);
	else
		look_answer(callers, r, &stat);
}

/* Looks up a directory, and shows it, for a dependency: there is no caller. */
static int enter_waits(struct view *view, struct entry *entry)
{
	struct look *look = look_new(view, entry, LOOK_STRICT);

	if (!look)
		return -ENOMEM;
	int r = expand_look_up(&view->finder, look->composer.settings, look->layers, look->path,
		&look->result.lookup);
	if (r == 0)
		look_heed_past(look);
	if (r == 0)
		r = union_knows_directory(&look->result.lookup);
	if (r == 0 && look->result.lookup.kind != UNION_DIRECTORY)
		r = look->result.lookup.kind == UNION_NONE ? -ENOENT : -ENOTDIR;
	if (r == 0)
		r = attach_make(view, look->composer.settings, entry->parent, entry->name,
			&look->result.lookup, &look->result.directory);
	if (r == 0)
		r = attributes_settle_waits(view, entry->parent);
	if (r == 0)
		r = look->composer.settings == view->composer.settings ? install_first(look)
								       : LOOK_OVERTAKEN;
	look_free(look);
	return r == VIEW_GOING ? -ENOENT : r;
}

int lookup_enter(
	struct view *view, struct directory *parent, const char *name, struct directory **ret)
{
	CLEANUP(freep) char *path = NULL;
	int r = directory_join(parent, name, &path) < 0 ? -ENOMEM : LOOK_OVERTAKEN;

	parent->users++;
	while (r == LOOK_OVERTAKEN) {
		struct entry *entry = directory_entry(parent, name);
		if (!entry)
			r = -ENOMEM;
		/* To find out whether the file has sources, its patterns may lead here again. */
		else if (settings_file(view->composer.settings, path))
			r = -ENOTDIR;
		else if (entry_is_shown(entry))
			r = 0;
		else
			r = enter_waits(view, entry);
	}
	struct entry *entry = directory_find(parent, name);
	if (r == 0 && entry && entry->use->directory) {
		entry->use->directory->users++;
		*ret = entry->use->directory;
	} else if (r == 0) {
		r = -ENOTDIR;
	}
	directory_leave(view, parent);
	return r;
}

int lookup_enter_path(struct view *view, const char *path, struct directory **ret)
{
	struct directory *directory = view->root;
	char name[NAME_MAX + 1];

	directory->users++;
	while (*path) {
		size_t length = strcspn(path, "/");
		struct directory *child = NULL;
		int r = length > NAME_MAX ? -ENOENT : 0;
		if (r == 0 && length) {
			memcpy(name, path, length);
			name[length] = '\0';
			r = lookup_enter(view, directory, name, &child);
		}
		if (child || r < 0) {
			directory_leave(view, directory);
			directory = child;
		}
		if (r < 0)
			return r;
		path += length;
		path += *path == '/';
	}
	*ret = directory;
	return 0;
}

/* Begins a look, or joins the one under way. A strict mount joins none. */
static int look_for_waits(struct view *view, struct entry *entry, struct view_caller *caller)
{
	bool is_new = !entry->use->users && !entry_pending(entry) && !entry->kind;
	struct look *look = entry_is_shown(entry) ? NULL : entry->use->look;

	if (look && look->purpose == LOOK_AHEAD) {
		if (read_ahead_join(view, entry, caller))
			return VIEW_LATER;
		look = NULL;
	}
	if (look && !look->is_closed && !view_is_strict(view)) {
		caller->next = look->callers;
		look->callers = caller;
		return VIEW_LATER;
	}
	look = look_new(view, entry, entry_is_shown(entry) ? LOOK_STRICT : LOOK_FIRST);
	if (!look)
		return -ENOMEM;
	look->callers = caller;
	look->is_entry_new = is_new && !entry->parent->listers;
	/* A request must not wait for a remote file system. */
	if (settings_may_wait(look->composer.settings))
		look_begin_in_pool(look);
	else
		look_begin(look);
	return VIEW_LATER;
}

/* Answers a lookup. `caller` NULL: the publisher's. */
static int answer_waits(struct view *view, uint64_t parent, const char *name,
	struct view_caller *caller, struct stat *ret)
{
	struct directory *directory = inode_directory(view, parent);

	if (!directory || directory->inode.is_removed)
		return -ENOENT;
	/* The kernel may not know the directory's present rights yet. */
	directory->users++;
	attributes_notify_waits(view, directory);
	directory_leave(view, directory);
	directory = inode_directory(view, parent);
	if (!directory || directory->inode.is_removed)
		return -ENOENT;
	struct entry *entry = directory_find(directory, name);
	if (!caller && view->publication.change && entry &&
		view->publication.change->entry == entry)
		return show_for_publisher(view, ret);
	if (entry && entry_is_shown(entry) && (!caller || !view_is_strict(view)))
		return show(view, entry, ret);
	entry = directory_entry(directory, name);
	if (!entry)
		return -ENOMEM;
	if (caller && entry->use->placeholder && view_has_placeholders(view))
		return placeholder_give(view, entry, ret) < 0 ? -ENOMEM : VIEW_PLACEHOLDER;
	if (caller) {
		directory->users++;
		int r = look_for_waits(view, entry, caller);
		read_ahead_begin(view, directory, name);
		directory_leave(view, directory);
		return r;
	}
	/* The publisher looks up a directory on the path to its change. */
	int r = enter_waits(view, entry);
	entry = r == 0 ? directory_find(directory, name) : NULL;
	return entry ? show(view, entry, ret) : -ENOENT;
}

int view_lookup(struct view *view, uint64_t parent, const char *name, struct view_caller *caller,
	struct stat *ret)
{
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (union_is_mark(name))
		return -ENOENT;
	if (caller)
		*caller = (struct view_caller){.answer = caller->answer, .parent = parent};
	int r = answer_waits(view, parent, name, caller, ret);
	const struct directory *directory = inode_directory(view, parent);
	return r == 0 && directory && attributes_revocations(directory) ? VIEW_PASSING : r;
}
