/* READDIR. Readers of requests wait for no file system: the pool makes a remote layer's listing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "driver.h"
#include "unanswered.h"

/* A reply being filled. */
struct page {
	fuse_req_t req;
	fuse_ino_t ino; /* of the directory */
	char *data;
	size_t size;
	size_t used;
};

static bool add_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct page *page = context;
	struct stat stat = {.st_ino = ino, .st_mode = type};

	if (page->ino == FUSE_ROOT_ID && strcmp(name, PLYFS_NAME) == 0)
		return true;
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

static void run(struct pool_job *job)
{
	struct unanswered *request = (struct unanswered *)job;
	CLEANUP(freep) char *data = malloc(request->size);
	struct page page = {request->req, request->ino, data, request->size, 0};

	int r = fill(request->session, request->ino, request->offset, true, &page);
	/* At rest, a listing ends early: the daemon that serves next makes it again. */
	if (r < 0 && session_handover_is_at_rest(&request->session->handover))
		r = -ENOTCONN;
	if (!unanswered_is_kept(request, r))
		reply(&page, r);
}

void readdir_reply(
	fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size, off_t offset)
{
	CLEANUP(freep) char *data = malloc(size);
	struct page page = {req, ino, data, size, 0};
	int r = fill(session, ino, offset, false, &page);

	if (r != VIEW_LATER) {
		reply(&page, r);
		return;
	}
	struct unanswered *request = unanswered_add(req, ino);
	if (request) {
		request->size = size;
		request->offset = offset;
		unanswered_run(request, run, 0);
	}
}
