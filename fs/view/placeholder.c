#include "placeholder.h"

#include <errno.h>
#include <stdlib.h>

#include "attributes.h"
#include "cleanup.h"
#include "entry.h"
#include "look.h"
#include "state.h"

static void attach(struct view *view, struct placeholder *placeholder, struct entry *entry)
{
	entry_enter(view, entry);
	placeholder->entry = entry;
	placeholder->revocations = attributes_revocations(entry->parent);
	entry_used(entry)->placeholder = placeholder;
}

/* Takes the placeholder from its entry. Its inode stays as long as the kernel has it. */
static void detach(struct view *view, struct placeholder *placeholder)
{
	struct entry *entry = take_ptr(placeholder->entry);

	entry_used(entry)->placeholder = NULL;
	placeholder->is_suspended = false;
	if (!placeholder->inode.kernel_refs)
		free(placeholder);
	entry_leave(view, entry);
}

static struct placeholder *make(struct view *view, struct entry *entry)
{
	struct placeholder *placeholder = calloc(1, sizeof(*placeholder));

	if (!placeholder || !entry_use(entry)) {
		free(placeholder);
		return NULL;
	}
	entry_reserve_ino(view, entry);
	if (inode_table_find(&view->inodes.table, entry_ino(entry)))
		entry_used(entry)->ino = view->inodes.next++;
	placeholder->inode.ino = entry_ino(entry);
	placeholder->inode.type = INODE_PLACEHOLDER;
	attach(view, placeholder, entry);
	return placeholder;
}

int placeholder_give(struct view *view, struct entry *entry, struct stat *ret)
{
	struct placeholder *placeholder =
		entry->use->placeholder ? entry->use->placeholder : make(view, entry);

	if (!placeholder)
		return -ENOMEM;
	inode_hold(view, &placeholder->inode);
	*ret = (struct stat){
		.st_ino = placeholder->inode.ino, .st_mode = S_IFREG | 0400, .st_nlink = 1};
	return 0;
}

static struct placeholder *find(struct view *view, uint64_t ino)
{
	struct inode *inode = inode_table_find(&view->inodes.table, ino);

	return inode && inode->type == INODE_PLACEHOLDER ? (struct placeholder *)inode : NULL;
}

bool view_is_placeholder(struct view *view, uint64_t ino)
{
	return find(view, ino);
}

int view_await(struct view *view, uint64_t ino, struct view_caller *caller)
{
	struct placeholder *placeholder = find(view, ino);

	if (!placeholder || !placeholder->entry)
		return 0;
	caller->parent = placeholder->entry->parent->inode.ino;
	caller->next = placeholder->waiters;
	placeholder->waiters = caller;
	return VIEW_LATER;
}

bool view_give_up(struct view *view, uint64_t ino, struct view_caller *caller)
{
	struct placeholder *placeholder = find(view, ino);
	struct view_caller **at = placeholder ? &placeholder->waiters : NULL;

	while (at && *at && *at != caller)
		at = &(*at)->next;
	if (!at || !*at)
		return false;
	*at = caller->next;
	return true;
}

void placeholder_keep(struct view *view, struct entry *entry, struct version *version)
{
	struct placeholder *placeholder = entry->use->placeholder;
	bool may_be_kept = placeholder && version->kind != VERSION_LINK &&
			   attributes_revocations(entry->parent) == placeholder->revocations;
	uint64_t refs = may_be_kept ? placeholder->inode.kernel_refs : 0;

	entry_prepare_first(view, entry, version);
	if (refs) {
		inode_table_remove(&view->inodes.table, &placeholder->inode);
		version->inode.ino = placeholder->inode.ino;
	}
	entry_show_version(view, entry, version);
	if (!refs)
		return;
	inode_hold(view, &version->inode);
	version->inode.kernel_refs += refs - 1;
	placeholder->inode.kernel_refs = 0;
}

bool placeholder_is_held(const struct entry *entry)
{
	return entry->use->placeholder && entry->use->placeholder->inode.kernel_refs;
}

struct view_caller *placeholder_end(
	struct view *view, struct entry *entry, int outcome, int *result)
{
	struct placeholder *placeholder = entry->use->placeholder;

	if (!placeholder)
		return NULL;
	/* Each waiter holds the inode: if the placeholder has no reference, the version has taken
	 * its inode. If the directory is dead, another one may have its path by now. */
	bool is_gone =
		(outcome == -ENOENT || outcome == VIEW_GOING) && !entry->parent->inode.is_removed;
	*result = !placeholder_is_held(entry) ? 0 : is_gone ? -ENOENT : -ESTALE;
	struct view_caller *waiters = take_ptr(placeholder->waiters);
	detach(view, placeholder);
	return waiters;
}

struct view_caller *placeholder_suspend(struct view *view, struct entry *entry)
{
	struct placeholder *placeholder = entry->use->placeholder;

	if (!placeholder)
		return NULL;
	struct view_caller *waiters = take_ptr(placeholder->waiters);
	if (placeholder_is_held(entry))
		placeholder->is_suspended = true;
	else
		detach(view, placeholder);
	return waiters;
}

void placeholder_take(struct view *view, struct placeholder *placeholder, struct entry *entry)
{
	attach(view, placeholder, entry);
	placeholder->is_suspended = true;
}

/* Returns a suspended placeholder; NULL: there is none. */
static struct placeholder *find_suspended(struct view *view)
{
	for (size_t i = 0; i < view->inodes.table.size; i++)
		for (struct inode *inode = view->inodes.table.buckets[i]; inode;
			inode = inode->next)
			if (inode->type == INODE_PLACEHOLDER &&
				((struct placeholder *)inode)->is_suspended)
				return (struct placeholder *)inode;
	return NULL;
}

int placeholder_look_again(struct view *view)
{
	struct placeholder *placeholder;
	int r = 0;

	while (r == 0 && (placeholder = find_suspended(view))) {
		struct look *look = look_new(view, placeholder->entry, LOOK_FIRST);
		placeholder->is_suspended = !look;
		if (look)
			look_begin_in_pool(look);
		else
			r = -ENOMEM;
	}
	return r;
}

void placeholder_forgotten(struct view *view, struct placeholder *placeholder)
{
	if (!placeholder->entry)
		free(placeholder);
	else if (placeholder->is_suspended)
		detach(view, placeholder);
}
