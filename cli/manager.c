#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "descriptor.h"
#include "fd_message.h"
#include "span.h"

/* The name of the stored descriptor. */
#define STORED_NAME "mount"

/* The first descriptor that is passed (sd_listen_fds(3)). */
#define PASSED_FD 3

/*
 * Maximum time in ms to send a message; for the manager to read all messages; and for that while no
 * process serves the mount.
 */
#define SEND_MS 500
#define BARRIER_MS 5000
#define LEFT_MS 15000

/* Bytes of a line of the log: RFC 3164, section 4.1, lets a receiver drop more. */
#define LINE_BYTES 1024

/* The connections to the manager and to the system's log; -1: there is none. */
static int manager_fd = -1, log_fd = -1;

/* Returns a descriptor, or -1. */
static int connect_to(const struct sockaddr_un *address, size_t len, int flags)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | flags, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, (socklen_t)len) < 0)
		(void)close(take_fd(&fd));
	return fd;
}

void manager_find(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;

	if (manager_fd >= 0 || len < 2 || len >= sizeof(address.sun_path) ||
		(path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* the abstract name space */

	/* Each message waits for a manager that does not read, and the mount waits with it. */
	static const struct timeval limit = {.tv_usec = SEND_MS * 1000};
	manager_fd = connect_to(&address, offsetof(struct sockaddr_un, sun_path) + len, 0);
	if (manager_fd >= 0)
		(void)setsockopt(manager_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

void manager_say(const char *text, bool is_important)
{
	manager_find();
	/* A manager that does not receive it reports that itself, after its own time limit. */
	if (manager_fd >= 0)
		(void)send(manager_fd, text, strlen(text),
			MSG_NOSIGNAL | (is_important ? 0 : MSG_DONTWAIT));
}

void manager_say_status(void *context, const char *text)
{
	char line[4096];

	(void)context;
	snprintf(line, sizeof(line), "STATUS=%s", text);
	for (char *at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	manager_say(line, false);
}

/*
 * Waits until the manager has read all messages: it then closes the descriptor that comes with this
 * one (sd_notify_barrier(3)). Returns a positive number; 0: the time is up; or -1.
 */
static int await_manager(int timeout_ms)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	static const char barrier[] = "BARRIER=1";
	int r = fd_message_send(manager_fd, barrier, strlen(barrier), ends[1]);
	close(ends[1]);
	struct pollfd closed = {.fd = ends[0]};
	r = r == 0 ? poll(&closed, 1, timeout_ms) : r == -EAGAIN ? 0 : -1;
	close(ends[0]);
	return r;
}

int manager_store(int fd)
{
	/*
	 * FDPOLL=0: no process is at the descriptor's other end, which systemd would take for the
	 * end of its use.
	 */
	static const char store[] = "FDSTORE=1\nFDNAME=" STORED_NAME "\nFDPOLL=0";

	bool is_read = manager_fd >= 0 &&
		       fd_message_send(manager_fd, store, strlen(store), fd) == 0 &&
		       await_manager(BARRIER_MS) > 0;
	return is_read ? 0 : -EIO;
}

int manager_ask(void)
{
	manager_fd = -1;
	manager_find();
	int r = await_manager(LEFT_MS);
	close(manager_fd);
	return r == 0 ? -ETIMEDOUT : 0;
}

/* Returns the position of our name among the names, which colons separate; -1: it is missing. */
static int find_stored(const char *names)
{
	for (int place = 0;; place++) {
		size_t length = strcspn(names, ":");
		if (span_is((struct span){names, length}, STORED_NAME))
			return place;
		if (!names[length])
			return -1;
		names += length + 1;
	}
}

int manager_take_stored(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *count = getenv("LISTEN_FDS");
	const char *names = getenv("LISTEN_FDNAMES");

	if (!pid || !count || !names || strtol(pid, NULL, 10) != getpid())
		return -1;
	int place = find_stored(names);
	if (place < 0 || place >= strtol(count, NULL, 10) ||
		fcntl(PASSED_FD + place, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	return PASSED_FD + place;
}

void manager_drop_stored(void)
{
	manager_say("FDSTOREREMOVE=1\nFDNAME=" STORED_NAME, true);
}

/* The format is that of RFC 3164, section 4.1, without a host name, as libc's. */
void manager_log(const char *line)
{
	const struct sockaddr_un log = {.sun_family = AF_UNIX, .sun_path = _PATH_LOG};
	char text[LINE_BYTES], when[32] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		(void)strftime(when, sizeof(when), "%h %e %T", &local);
	int n = snprintf(text, sizeof(text), "<%d>%s plyfs[%d]: %s", LOG_DAEMON | LOG_NOTICE, when,
		(int)getpid(), line);
	size_t len = n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1;

	/* A log that was started anew has another socket. */
	for (int try = 0; try < 2; try++) {
		if (log_fd >= 0 && (send(log_fd, text, len, MSG_NOSIGNAL) >= 0 || errno == EAGAIN))
			return;
		if (try > 0)
			return;
		closep(&log_fd);
		log_fd = connect_to(&log, sizeof(log), SOCK_NONBLOCK);
	}
}
