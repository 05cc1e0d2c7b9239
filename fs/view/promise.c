#include "promise.h"

#include <errno.h>
#include <stdlib.h>

#include "attributes.h"
#include "cleanup.h"
#include "entry.h"
#include "state.h"

static struct promise *make_locked(struct view *view, struct entry *entry)
{
	struct promise *promise = calloc(1, sizeof(*promise));

	if (!promise)
		return NULL;
	entry_reserve_ino_locked(view, entry);
	if (inode_table_find(&view->inodes, entry->ino))
		entry->ino = view->next_ino++;
	promise->inode.ino = entry->ino;
	promise->inode.type = INODE_PROMISE;
	promise->entry = entry;
	promise->narrowings = attributes_narrowings_locked(entry->parent);
	entry->promise = promise;
	return promise;
}

int promise_give_locked(struct view *view, struct entry *entry, struct stat *ret)
{
	struct promise *promise = entry->promise ? entry->promise : make_locked(view, entry);

	if (!promise)
		return -ENOMEM;
	inode_hold_locked(view, &promise->inode);
	*ret = (struct stat){
		.st_ino = promise->inode.ino, .st_mode = S_IFREG | 0400, .st_nlink = 1};
	return 0;
}

bool promise_await_locked(struct inode *inode, struct view_caller *caller)
{
	struct promise *promise = (struct promise *)inode;

	if (inode->type != INODE_PROMISE || !promise->entry)
		return false;
	caller->parent = promise->entry->parent->inode.ino;
	caller->next = promise->waiters;
	promise->waiters = caller;
	return true;
}

bool promise_give_up_locked(struct inode *inode, struct view_caller *caller)
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

void promise_keep_locked(struct view *view, struct entry *entry, struct version *version)
{
	struct promise *promise = entry->promise;
	bool may_be_kept = promise && version->kind != VERSION_LINK &&
			   attributes_narrowings_locked(entry->parent) == promise->narrowings;
	uint64_t refs = may_be_kept ? promise->inode.kernel_refs : 0;

	if (refs)
		inode_table_remove(&view->inodes, &promise->inode);
	entry_prepare_first_locked(view, entry, version);
	entry_show_version_locked(view, entry, version);
	if (!refs)
		return;
	if (version->inode.ino != promise->inode.ino) {
		inode_table_add(&view->inodes, &promise->inode);
		return;
	}
	inode_hold_locked(view, &version->inode);
	version->inode.kernel_refs += refs - 1;
	promise->inode.kernel_refs = 0;
}

struct view_caller *promise_end_locked(struct entry *entry, int *result)
{
	struct promise *promise = take_ptr(entry->promise);
	struct view_caller *waiters;

	if (!promise)
		return NULL;
	/* Who waits holds it: if it is held no more, he holds the version. */
	*result = promise->inode.kernel_refs ? -ESTALE : 0;
	waiters = take_ptr(promise->waiters);
	promise->entry = NULL;
	if (!promise->inode.kernel_refs)
		free(promise);
	return waiters;
}

void promise_forgotten_locked(struct promise *promise)
{
	if (!promise->entry)
		free(promise);
}
