/* READDIR. Readers of requests wait for no file system: the pool makes a remote layer's listing. */
#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "driver.h"
#include "pool.h"
#include "unanswered.h"

/* A reply being filled. */
struct page {
	fuse_req_t req;
	char *data;
	size_t size;
	size_t used;
};

/* A request that waits for its listing. */
struct waiting_listing {
	struct pool_job job; /* first */
	fuse_req_t req;
	struct session *session;
	fuse_ino_t ino;
	size_t size;
	off_t offset;
	struct unanswered *unanswered;
};

static bool add_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct page *page = context;
	struct stat stat = {.st_ino = ino, .st_mode = type};
	size_t left = page->size - page->used;
	size_t n = fuse_add_direntry(
		page->req, page->data + page->used, left, name, &stat, (off_t)cookie);

	if (n > left)
		return false;
	page->used += n;
	return true;
}

/* Returns 0, VIEW_LATER or -errno. */
static int fill(
	struct session *session, fuse_ino_t ino, off_t offset, bool may_wait, struct page *page)
{
	uint64_t cookie = (uint64_t)offset;

	if (!page->data)
		return -ENOMEM;
	if (cookie < 1 && add_name(page, ".", ino, S_IFDIR, 1))
		cookie = 1;
	if (cookie == 1 && add_name(page, "..", ino, S_IFDIR, 2))
		cookie = 2;
	if (control_has(ino) || origins_is_directory(ino))
		return 0;
	return view_list(session->view, ino, cookie, may_wait, add_name, page);
}

static void reply(const struct page *page, int result)
{
	if (result == 0)
		fuse_reply_buf(page->req, page->data, page->used);
	else
		fuse_reply_err(page->req, -result);
}

static void end(struct waiting_listing *waiting, const struct page *page, int result)
{
	/* At rest, a listing ends early: the daemon that serves next makes it again. */
	if (result < 0 && session_handover_is_at_rest(&waiting->session->handover))
		result = -ENOTCONN;
	if (!unanswered_is_kept(
		    &waiting->session->handover, waiting->unanswered, waiting->req, result))
		reply(page, result);
	free(waiting);
}

static void run(struct pool_job *job)
{
	struct waiting_listing *waiting = (struct waiting_listing *)job;
	CLEANUP(freep) char *data = malloc(waiting->size);
	struct page page = {waiting->req, data, waiting->size, 0};

	end(waiting, &page, fill(waiting->session, waiting->ino, waiting->offset, true, &page));
}

static void drop(struct pool_job *job)
{
	struct waiting_listing *waiting = (struct waiting_listing *)job;

	end(waiting, &(struct page){.req = waiting->req}, -ENOTCONN);
}

static int list_in_pool(const struct waiting_listing *request)
{
	struct waiting_listing *waiting = malloc(sizeof(*waiting));

	if (!waiting)
		return -ENOMEM;
	*waiting = *request;
	waiting->unanswered = unanswered_add(&waiting->session->handover);
	if (!waiting->unanswered) {
		free(waiting);
		return -ENOMEM;
	}
	view_run(waiting->session->view, &waiting->job, 0);
	return 0;
}

void readdir_reply(
	fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size, off_t offset)
{
	CLEANUP(freep) char *data = malloc(size);
	struct page page = {req, data, size, 0};
	int r = fill(session, ino, offset, false, &page);

	if (r == VIEW_LATER) {
		r = list_in_pool(&(struct waiting_listing){.job = {.run = run, .drop = drop},
			.req = req,
			.session = session,
			.ino = ino,
			.size = size,
			.offset = offset});
		if (r == 0)
			return;
	}
	reply(&page, r);
}
