#include "connection.h"

#include <errno.h>
#include <fcntl.h>

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "descriptor.h"
#include "driver.h"
#include "request_loop.h"

#define MOUNT_OPTIONS_MAX 4096

/* A comma or a backslash in the label would end or change the option (libfuse's escaping). */
static void append_escaped(char *to, size_t size, const char *label)
{
	size_t length = strlen(to);

	for (; *label && length + 3 < size; label++) {
		if (*label == ',' || *label == '\\')
			to[length++] = '\\';
		to[length++] = *label;
	}
	to[length] = '\0';
}

/* A pipe without a reader: libfuse takes it for a connection that has ended. */
static int make_ended(struct connection *connection)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	close(ends[0]);
	connection->ended_fd = ends[1];
	return 0;
}

/*
 * The kernel enforces the modes that we show (default_permissions): without that, every user who
 * can access the mount could read everything. In an ordinary user's private mount it must be off:
 * only the user who mounts can access that mount, and our directories never have a write bit, so it
 * would only stop the publisher.
 */
int connection_init(struct connection *connection, const struct session_options *options,
	struct session *session)
{
	bool is_shared = !options->flags.is_private;
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	char text[MOUNT_OPTIONS_MAX] = "subtype=plyfs,fsname=";

	append_escaped(text, sizeof(text) - 64, options->label);
	if (is_shared)
		strcat(text, ",allow_other");
	connection->has_permissions = is_shared || geteuid() == 0;
	if (connection->has_permissions)
		strcat(text, ",default_permissions");
	if (options->flags.attributes & MOUNT_ATTR_NOEXEC)
		strcat(text, ",noexec");
	int r = make_ended(connection);
	if (r < 0)
		return r;
	if (fuse_opt_add_arg(&args, "plyfs") < 0 || fuse_opt_add_arg(&args, "-o") < 0 ||
		fuse_opt_add_arg(&args, text) < 0 ||
		(options->flags.is_debugging && fuse_opt_add_arg(&args, "-d") < 0)) {
		fuse_opt_free_args(&args);
		return -ENOMEM;
	}
	connection->fuse = fuse_session_new(&args, &ops, sizeof(ops), session);
	fuse_opt_free_args(&args);
	return connection->fuse ? 0 : -EINVAL;
}

void connection_fini(struct connection *connection)
{
	if (connection->fuse)
		fuse_session_destroy(connection->fuse);
	closep(&connection->ended_fd);
	free((char *)(uintptr_t)connection->hello.data);
}

void connection_agree(struct connection *connection, struct fuse_conn_info *conn, bool is_read_only,
	bool is_strict)
{
	/* Without the clone the visible mount can't be read-only. Then the kernel must send each
	 * open, so that one for writing fails at once. */
	if (is_read_only)
		connection->in_force |= conn->capable & FUSE_CAP_NO_OPEN_SUPPORT;
	conn->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
	if (!is_strict)
		connection->in_force |= conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
	/* A listing must not merge every file that it names: attributes only on request. */
	conn->want &= ~(unsigned)(FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
	conn->want |= conn->capable & (FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_CACHE_SYMLINKS |
					      FUSE_CAP_EXPLICIT_INVAL_DATA);
	/*
	 * Lets the kernel remember that a file has no access list: path walks of users other than
	 * the owner stay fast. It implies default_permissions, which an ordinary user's private
	 * mount must not have (connection_init()).
	 */
	if (geteuid() == 0)
		conn->want |= conn->capable & FUSE_CAP_POSIX_ACL;
	conn->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
	connection->wanted = conn->want;
}

void connection_put(const struct connection *connection, struct record *record)
{
	record_put_bytes(record, connection->hello.data, connection->hello.len);
	record_put(record, connection->wanted);
	record_put(record, (connection->in_force & FUSE_CAP_NO_OPEN_SUPPORT) != 0);
	record_put(record, (connection->in_force & FUSE_CAP_NO_OPENDIR_SUPPORT) != 0);
	record_put(record, (connection->wanted & FUSE_CAP_POSIX_ACL) != 0);
	record_put(record, (connection->in_force & FUSE_CAP_PARALLEL_DIROPS) != 0);
}

static int take_hello(struct connection *connection, struct record *record)
{
	struct span bytes = record_get_bytes(record);
	char *copy = span_dup(bytes);

	connection->hello = (struct span){copy, copy ? bytes.len : 0};
	return copy ? 0 : -ENOMEM;
}

int connection_take(struct connection *connection, struct record *record)
{
	int r = take_hello(connection, record);

	connection->wanted = (unsigned)record_get_below(record, UINT_MAX);
	connection->in_force = record_get_bool(record) ? FUSE_CAP_NO_OPEN_SUPPORT : 0;
	connection->in_force |= record_get_bool(record) ? FUSE_CAP_NO_OPENDIR_SUPPORT : 0;
	(void)record_get_bool(record); /* `wanted` has it, too */
	connection->in_force |= record_get_bool(record) ? FUSE_CAP_PARALLEL_DIROPS : 0;
	return r;
}

int connection_greet_again(struct connection *connection, int fuse_fd)
{
	char path[sizeof("/dev/fd/") + 3 * sizeof(int)];

	snprintf(path, sizeof(path), "/dev/fd/%d", fuse_fd);
	if (fuse_session_mount(connection->fuse, path) != 0)
		return -EBADF;
	request_loop_ask(connection->fuse, connection->hello);
	return fuse_session_exited(connection->fuse) ? -EPROTO : 0;
}

int connection_drop_attributes(const struct connection *connection, uint64_t ino)
{
	/* A negative offset: only the attributes, not the content. */
	return connection->is_ending
		       ? -ENOTCONN
		       : fuse_lowlevel_notify_inval_inode(connection->fuse, ino, -1, 0);
}

bool connection_has_ended(const struct connection *connection)
{
	struct pollfd ended = {.fd = fuse_session_fd(connection->fuse)};

	return poll(&ended, 1, 0) > 0 && (ended.revents & POLLERR);
}

void connection_close(struct connection *connection)
{
	dup3(connection->ended_fd, fuse_session_fd(connection->fuse), O_CLOEXEC);
}
