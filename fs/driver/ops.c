/* Requests: each handler unpacks, asks the view, and replies. None waits for the publisher. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "cleanup.h"
#include "driver.h"
#include "helper.h"
#include "unanswered.h"

bool is_publisher(fuse_req_t req)
{
	pid_t pid = fuse_req_ctx(req)->pid;

	/* 0: the caller is in another PID namespace */
	return pid != 0 && pid == helper_pid(HELPER_PUBLISH);
}

static struct session *session_of(fuse_req_t req, enum request_kind kind)
{
	struct session *session = fuse_req_userdata(req);

	session->requests[kind]++;
	return session;
}

double name_timeout(const struct session *session)
{
	return session->coherence == COHERENCE_STRICT ? 0 : FOR_EVER;
}

/* Timeouts of 0: the kernel caches nothing of a placeholder. It asks for attributes, and waits. */
static int reply_placeholder(fuse_req_t req, const struct stat *stat)
{
	struct fuse_entry_param entry = {.ino = stat->st_ino, .attr = *stat};

	return fuse_reply_entry(req, &entry);
}

/*
 * An inode's attributes never change, except a directory's rights and a file's time. Then the view
 * makes the kernel drop them, after which the kernel ignores replies to older requests; but not a
 * reply to SETATTR, which only the publisher sends: no other program of a strict mount must see it.
 */
static double attribute_timeout(fuse_req_t req, const struct stat *stat)
{
	const struct session *session = fuse_req_userdata(req);

	return is_publisher(req) && !S_ISDIR(stat->st_mode) ? name_timeout(session) : FOR_EVER;
}

/* `seconds` is for the name. */
int reply_entry(fuse_req_t req, const struct stat *stat, double seconds)
{
	struct fuse_entry_param entry = {
		.ino = stat->st_ino,
		.attr = *stat,
		.attr_timeout = attribute_timeout(req, stat),
		.entry_timeout = seconds,
	};

	return fuse_reply_entry(req, &entry);
}

/* The kernel caches the absence of a name, too, until the name is published. */
static void reply_absent(fuse_req_t req, const struct session *session)
{
	/* The kernel looks up a name that the publisher makes: it must not cache that. */
	struct fuse_entry_param entry = {
		.entry_timeout = is_publisher(req) ? 0 : name_timeout(session)};

	fuse_reply_entry(req, &entry);
}

/* Supplementary groups that are examined; the kernel's own limit is 65536. */
#define GROUPS_MAX 1024

static FILE *open_of_process(pid_t tid, const char *name)
{
	char path[sizeof("/proc//uid_map") + 3 * sizeof(int)];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	return fopen(path, "re");
}

/* Reads the user map. False: there is none, or it is longer than any that the kernel takes. */
static bool read_user_map(pid_t tid, char *ret, size_t size)
{
	FILE *file = open_of_process(tid, "uid_map");
	if (!file)
		return false;
	size_t length = fread(ret, 1, size, file);
	fclose(file);
	if (length == size)
		return false;
	ret[length] = '\0';
	return true;
}

/*
 * Returns whether the thread's user namespace has our users. A user that makes a user namespace has
 * all capabilities in it, and they count only there. The map of another namespace differs from our
 * own, unless all users are the same there (user_namespaces(7)).
 */
static bool has_our_users(pid_t tid)
{
	char his[16384], ours[16384];

	return read_user_map(tid, his, sizeof(his)) &&
	       read_user_map(getpid(), ours, sizeof(ours)) && strcmp(his, ours) == 0;
}

bool status_bits(pid_t tid, const char *key, unsigned long long *ret)
{
	size_t length = strlen(key);
	bool is_found = false;
	char line[128];

	FILE *file = open_of_process(tid, "status");
	while (file && !is_found && fgets(line, sizeof(line), file))
		is_found = strncmp(line, key, length) == 0 &&
			   sscanf(line + length, ": %llx", ret) == 1;
	if (file)
		fclose(file);
	return is_found;
}

/* Returns whether the thread may ignore modes: CAP_DAC_OVERRIDE, _READ_SEARCH (capabilities(7)). */
static bool passes_rights(pid_t tid)
{
	unsigned long long capabilities;

	return status_bits(tid, "CapEff", &capabilities) &&
	       capabilities & (1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH) &&
	       has_our_users(tid);
}

/* Returns whether the caller may search the directory, by the rights that are known now. */
bool lets_in(struct session *session, fuse_req_t req, fuse_ino_t parent)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	struct user user = {.uid = ctx->uid, .gid = ctx->gid, .has_more_groups = true};
	gid_t groups[GROUPS_MAX];

	/* If the kernel enforces no modes, only the mounting user reaches the mount. */
	if (!session->connection.has_permissions || is_publisher(req) ||
		view_lets_in(session->view, parent, &user))
		return true;
	int count = fuse_req_getgroups(req, GROUPS_MAX, groups);
	user.groups = groups;
	user.group_count = count < 0 ? 0 : count > GROUPS_MAX ? GROUPS_MAX : (size_t)count;
	user.has_more_groups = count < 0 || count > GROUPS_MAX;
	return view_lets_in(session->view, parent, &user) || passes_rights(ctx->pid);
}

static void reply_lookup(fuse_req_t req, struct session *session, fuse_ino_t parent, int result,
	const struct stat *stat)
{
	if (result == VIEW_GOING) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	if (result >= 0 && !lets_in(session, req, parent)) {
		view_forget(session->view, stat->st_ino, 1);
		result = -EACCES;
	}
	int r = 0;
	if (result == -ENOENT)
		reply_absent(req, session);
	else if (result < 0)
		fuse_reply_err(req, -result);
	else if (result == VIEW_PLACEHOLDER)
		r = reply_placeholder(req, stat);
	else
		r = reply_entry(req, stat, result == VIEW_PASSING ? 0 : name_timeout(session));
	if (r < 0)
		view_forget(session->view, stat->st_ino, 1); /* the kernel did not take the reply */
}

static void answer_waiting(struct view_caller *caller, int result, const struct stat *stat)
{
	struct unanswered *request = unanswered_of(caller);
	struct session *session = request->session;
	fuse_req_t req = request->req;
	fuse_ino_t parent = request->ino;

	if (!unanswered_is_kept(request, result))
		reply_lookup(req, session, parent, result, stat);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct session *session = session_of(req, REQUEST_LOOKUP);
	struct unanswered *request = NULL;
	struct stat stat;

	if (control_has(parent) || origins_is_directory(parent)) {
		control_lookup(req, session, parent, name);
		return;
	}
	if (parent == FUSE_ROOT_ID && strcmp(name, PLYFS_NAME) == 0) {
		stat = control_stat(session, PLYFS_INO);
		reply_entry(req, &stat, name_timeout(session));
		return;
	}
	if (!is_publisher(req)) {
		request = unanswered_add(req, parent);
		if (!request)
			return;
		request->caller.answer = answer_waiting;
	}
	int r = view_lookup(session->view, parent, name, request ? &request->caller : NULL, &stat);
	if (r == VIEW_LATER)
		return;
	if (request)
		unanswered_end(request);
	reply_lookup(req, session, parent, r, &stat);
}

static void forget(struct session *session, fuse_ino_t ino, uint64_t count)
{
	if (origins_is_directory(ino))
		origins_forget(&session->origins, ino, count);
	else
		view_forget(session->view, ino, count);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t count)
{
	struct session *session = session_of(req, REQUEST_FORGET);

	forget(session, ino, count);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	struct session *session = session_of(req, REQUEST_FORGET);

	for (size_t i = 0; i < count; i++)
		forget(session, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

static void reply_attributes(fuse_req_t req, struct session *session, fuse_ino_t ino)
{
	struct stat stat = {0};
	int r = 0;

	if (control_has(ino) || origins_is_directory(ino))
		stat = control_stat(session, ino);
	else
		r = view_stat(session->view, ino, &stat);
	if (r == 0)
		fuse_reply_attr(req, &stat, attribute_timeout(req, &stat));
	else
		fuse_reply_err(req, -r);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	if (!unanswered_waits(req, ino))
		reply_attributes(req, session_of(req, REQUEST_GETATTR), ino);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct session *session = session_of(req, REQUEST_READLINK);
	CLEANUP(version_unrefp) struct version *version = NULL;

	int r = view_version(session->view, ino, &version);
	if (r == 0 && version->kind != VERSION_LINK)
		r = -EINVAL;
	if (r == 0)
		fuse_reply_readlink(req, version->data);
	else
		fuse_reply_err(req, -r);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct session *session = fuse_req_userdata(req);
	int error = (fi->flags & O_ACCMODE) != O_RDONLY                       ? EROFS
		    : session->connection.in_force & FUSE_CAP_NO_OPEN_SUPPORT ? ENOSYS
									      : 0;

	if (error == 0 && unanswered_waits(req, ino))
		return;
	session_of(req, REQUEST_OPEN);
	fi->keep_cache = 1;
	if (error)
		fuse_reply_err(req, error);
	else
		fuse_reply_open(req, fi);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct session *session = session_of(req, REQUEST_OPENDIR);

	(void)ino;
	if (session->connection.in_force & FUSE_CAP_NO_OPENDIR_SUPPORT) {
		fuse_reply_err(req, ENOSYS);
	} else {
		fi->keep_cache = session->coherence != COHERENCE_STRICT;
		fi->cache_readdir = fi->keep_cache;
		fuse_reply_open(req, fi);
	}
}

static void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct session *session = session_of(req, REQUEST_READ);
	CLEANUP(version_unrefp) struct version *version = NULL;

	(void)fi;
	int r = view_version(session->view, ino, &version);
	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	if (version->kind == VERSION_BYTES) {
		uint64_t left =
			(uint64_t)offset < version->size ? version->size - (uint64_t)offset : 0;
		fuse_reply_buf(
			req, left ? version->data + offset : NULL, left < size ? left : size);
		return;
	}
	CLEANUP(bytes_freep) char *buffer = bytes_new(size);
	ssize_t n = buffer ? version_read(version, buffer, size, offset) : -ENOMEM;
	if (n < 0)
		fuse_reply_err(req, (int)-n);
	else
		fuse_reply_buf(req, buffer, (size_t)n);
}

static void op_readdir(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	(void)fi;
	readdir_reply(req, session_of(req, REQUEST_READDIR), ino, size, offset);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct statvfs stat = {
		.f_bsize = 4096,
		.f_frsize = 4096,
		.f_namemax = 255,
		.f_flag = ST_RDONLY,
	};

	(void)ino;
	session_of(req, REQUEST_STATFS);
	fuse_reply_statfs(req, &stat);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	if (!unanswered_waits(req, ino))
		attribute_get(req, session_of(req, REQUEST_GETXATTR), ino, name, size);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	if (!unanswered_waits(req, ino))
		attribute_list(req, session_of(req, REQUEST_LISTXATTR), ino, size);
}

static void op_access(fuse_req_t req, fuse_ino_t ino, int mask)
{
	(void)ino;
	session_of(req, REQUEST_ACCESS);
	fuse_reply_err(req, mask & W_OK ? EROFS : 0);
}

/* Changes: the publisher makes those of view_begin_change(), and all other programs are refused. */

static bool refuses(fuse_req_t req, struct session *session)
{
	if (is_publisher(req))
		return false;
	session->requests[REQUEST_REFUSED]++;
	fuse_reply_err(req, EROFS);
	return true;
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t newparent,
	const char *newname, unsigned int flags)
{
	struct session *session = session_of(req, REQUEST_RENAME);

	(void)newname;
	if (refuses(req, session))
		return;
	if (flags || !control_is_staged(parent, name))
		fuse_reply_err(req, EROFS);
	else
		fuse_reply_err(req, -view_apply_change(session->view, newparent, true, NULL));
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct session *session = session_of(req, REQUEST_UNLINK);

	(void)name;
	if (!refuses(req, session))
		fuse_reply_err(req, -view_apply_change(session->view, parent, true, NULL));
}

static void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct session *session = session_of(req, REQUEST_RMDIR);

	(void)name;
	if (!refuses(req, session))
		fuse_reply_err(req, -view_apply_change(session->view, parent, true, NULL));
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct session *session = session_of(req, REQUEST_MKDIR);
	struct stat stat = {0};

	(void)name;
	(void)mode;
	if (refuses(req, session))
		return;
	int r = view_apply_change(session->view, parent, true, &stat);
	if (r >= 0 && stat.st_ino)
		reply_entry(req, &stat, r == VIEW_PASSING ? 0 : name_timeout(session));
	else
		fuse_reply_err(req, r < 0 ? -r : EEXIST);
}

static void refuse(fuse_req_t req)
{
	session_of(req, REQUEST_REFUSED);
	fuse_reply_err(req, EROFS);
}

static void op_setattr(
	fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	struct session *session = session_of(req, REQUEST_SETATTR);

	(void)attr;
	(void)to_set;
	(void)fi;
	/* The publisher's SETATTR changes nothing: the reply gives the kernel the attributes. */
	if (!refuses(req, session))
		reply_attributes(req, session, ino);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)rdev;
	refuse(req);
}

static void op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent, const char *name)
{
	(void)link;
	(void)parent;
	(void)name;
	refuse(req);
}

static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname)
{
	(void)ino;
	(void)newparent;
	(void)newname;
	refuse(req);
}

static void op_create(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)fi;
	refuse(req);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
	struct fuse_file_info *fi)
{
	(void)ino;
	(void)data;
	(void)size;
	(void)offset;
	(void)fi;
	refuse(req);
}

static void op_setxattr(
	fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size, int flags)
{
	(void)ino;
	(void)name;
	(void)value;
	(void)size;
	(void)flags;
	refuse(req);
}

static void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	(void)ino;
	(void)name;
	refuse(req);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct session *session = userdata;

	/* The former daemon has made the agreement with the kernel. It stays in force. */
	if (session->handover.previous) {
		conn->want = session->connection.wanted;
		return;
	}
	connection_agree(&session->connection, conn, session->publishing.mode == PUBLISH_CLONE,
		session->coherence == COHERENCE_STRICT);
}

const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.readlink = op_readlink,
	.open = op_open,
	.opendir = op_opendir,
	.read = op_read,
	.readdir = op_readdir,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
	.access = op_access,
	.rename = op_rename,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.mkdir = op_mkdir,
	.setattr = op_setattr,
	.mknod = op_mknod,
	.symlink = op_symlink,
	.link = op_link,
	.create = op_create,
	.write = op_write,
	.setxattr = op_setxattr,
	.removexattr = op_removexattr,
};
