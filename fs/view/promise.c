#include "promise.h"

#include <errno.h>
#include <stdlib.h>

#include "attributes.h"
#include "cleanup.h"
#include "entry.h"
#include "look.h"
#include "state.h"

static void attach(struct view *view, struct promise *promise, struct entry *entry)
{
	entry_enter(view, entry);
	promise->entry = entry;
	promise->narrowings = attributes_narrowings(entry->parent);
	entry->promise = promise;
}

/* Takes the placeholder from its entry. Its inode stays as long as the kernel has it. */
static void detach(struct view *view, struct promise *promise)
{
	struct entry *entry = take_ptr(promise->entry);

	entry->promise = NULL;
	promise->is_suspended = false;
	if (!promise->inode.kernel_refs)
		free(promise);
	entry_leave(view, entry);
}

static struct promise *make(struct view *view, struct entry *entry)
{
	struct promise *promise = calloc(1, sizeof(*promise));

	if (!promise)
		return NULL;
	entry_reserve_ino(view, entry);
	if (inode_table_find(&view->inodes, entry->ino))
		entry->ino = view->next_ino++;
	promise->inode.ino = entry->ino;
	promise->inode.type = INODE_PROMISE;
	attach(view, promise, entry);
	return promise;
}

int promise_give(struct view *view, struct entry *entry, struct stat *ret)
{
	struct promise *promise = entry->promise ? entry->promise : make(view, entry);

	if (!promise)
		return -ENOMEM;
	inode_hold(view, &promise->inode);
	*ret = (struct stat){
		.st_ino = promise->inode.ino, .st_mode = S_IFREG | 0400, .st_nlink = 1};
	return 0;
}

bool promise_await(struct inode *inode, struct view_caller *caller)
{
	struct promise *promise = (struct promise *)inode;

	if (inode->type != INODE_PROMISE || !promise->entry)
		return false;
	caller->parent = promise->entry->parent->inode.ino;
	caller->next = promise->waiters;
	promise->waiters = caller;
	return true;
}

bool promise_give_up(struct inode *inode, struct view_caller *caller)
{
	struct view_caller **at = &((struct promise *)inode)->waiters;

	if (inode->type != INODE_PROMISE)
		return false;
	while (*at && *at != caller)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = caller->next;
	return true;
}

void promise_keep(struct view *view, struct entry *entry, struct version *version)
{
	struct promise *promise = entry->promise;
	bool may_be_kept = promise && version->kind != VERSION_LINK &&
			   attributes_narrowings(entry->parent) == promise->narrowings;
	uint64_t refs = may_be_kept ? promise->inode.kernel_refs : 0;

	entry_prepare_first(view, entry, version);
	if (refs) {
		inode_table_remove(&view->inodes, &promise->inode);
		version->inode.ino = promise->inode.ino;
	}
	entry_show_version(view, entry, version);
	if (!refs)
		return;
	inode_hold(view, &version->inode);
	version->inode.kernel_refs += refs - 1;
	promise->inode.kernel_refs = 0;
}

bool promise_is_held(const struct entry *entry)
{
	return entry->promise && entry->promise->inode.kernel_refs;
}

struct view_caller *promise_end(struct view *view, struct entry *entry, int outcome, int *result)
{
	struct promise *promise = entry->promise;

	if (!promise)
		return NULL;
	/* Each waiter holds the inode: if the placeholder has no reference, the version has it. If
	 * the directory is dead, another one may have its path by now. */
	bool is_gone = (outcome == -ENOENT || outcome == VIEW_GOING) && !entry->parent->is_dead;
	*result = !promise_is_held(entry) ? 0 : is_gone ? -ENOENT : -ESTALE;
	struct view_caller *waiters = take_ptr(promise->waiters);
	detach(view, promise);
	return waiters;
}

struct view_caller *promise_suspend(struct view *view, struct entry *entry)
{
	struct promise *promise = entry->promise;

	if (!promise)
		return NULL;
	struct view_caller *waiters = take_ptr(promise->waiters);
	if (promise_is_held(entry))
		promise->is_suspended = true;
	else
		detach(view, promise);
	return waiters;
}

void promise_take(struct view *view, struct promise *promise, struct entry *entry)
{
	attach(view, promise, entry);
	promise->is_suspended = true;
}

/* Returns a suspended placeholder; NULL: there is none. */
static struct promise *find_suspended(struct view *view)
{
	for (size_t i = 0; i < view->inodes.size; i++)
		for (struct inode *inode = view->inodes.buckets[i]; inode; inode = inode->next)
			if (inode->type == INODE_PROMISE && ((struct promise *)inode)->is_suspended)
				return (struct promise *)inode;
	return NULL;
}

int promise_look_again(struct view *view)
{
	struct promise *promise;
	int r = 0;

	while (r == 0 && (promise = find_suspended(view))) {
		struct look *look = look_new(view, promise->entry, LOOK_FIRST);
		promise->is_suspended = !look;
		if (look)
			look_begin_in_pool(look);
		else
			r = -ENOMEM;
	}
	return r;
}

void promise_forgotten(struct view *view, struct promise *promise)
{
	if (!promise->entry)
		free(promise);
	else if (promise->is_suspended)
		detach(view, promise);
}
