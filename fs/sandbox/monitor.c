#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "helper.h"
#include "named_files.h"
#include "opening.h"
#include "parcel.h"

/* Nothing takes longer, unless it was stopped, or a file system does not answer. */
#define ANSWER_MS 5000

/* So long it may take to end after its last answer, if it owes another one. */
#define END_MS 1500

/* Bytes of a line for the log. */
#define LINE_MAX_BYTES 4096

enum call { CALL_OPEN, CALL_LOG, CALL_UNMOUNT, CALL_LOOK, CALL_FOUND, CALL_TAKE };

struct monitor_request {
	enum call call;
	int flags;                 /* OPEN: of open(2); FOUND: whether links are followed */
	char line[LINE_MAX_BYTES]; /* sent up to its NUL */
};

#define REQUEST_LEAST offsetof(struct monitor_request, line)

/* The monitor's own. */

/* One of two threads: who serves the mount must have an answer at once, while the other one reads
 * settings, whose paths may lead through that mount. */
struct monitor_server {
	const struct monitor_options *options;
	int socket;
	bool looks; /* reads the settings again where it is asked for what they did not name */
	struct named_files *files; /* of both */
};

static bool is_named(const struct monitor_server *server, int fd)
{
	if (named_files_has(server->files, fd))
		return true;
	if (!server->looks)
		return false;
	named_files_look(server->files);
	return named_files_has(server->files, fd);
}

/* Nothing is written, made or waited for, whatever is asked. */
static int open_named(const struct monitor_server *server, int path_fd, int flags)
{
	char path[DESCRIPTOR_LINK_MAX];
	struct stat stat;

	if (path_fd < 0 || fstat(path_fd, &stat) < 0)
		return -EBADF;
	if (!is_named(server, path_fd))
		return -EACCES;
	/* Was it a file a moment ago, it is another by now: as open(2) says of a socket. */
	if (!S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode))
		return -ENXIO;
	descriptor_link(path_fd, path);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (flags & O_DIRECTORY));
	return fd < 0 ? -errno : fd;
}

static void serve_one(const struct monitor_server *server, struct monitor_request *request,
	size_t size, int given)
{
	const struct monitor_options *options = server->options;
	CLEANUP(closep) int fd = -1;
	int result = -EINVAL;

	((char *)request)[size < sizeof(*request) ? size : sizeof(*request) - 1] = '\0';
	switch (request->call) {
	case CALL_LOG:
		if (options->log)
			options->log(request->line);
		return; /* nobody waits */
	case CALL_OPEN:
		result = fd = open_named(server, given, request->flags);
		break;
	case CALL_UNMOUNT:
		result = options->unmount ? options->unmount(options->context) : -EINVAL;
		break;
	case CALL_LOOK:
		if (server->looks)
			named_files_look(server->files);
		result = server->looks ? 0 : -EINVAL;
		break;
	case CALL_FOUND:
		result = named_files_were_found(server->files, given, request->flags) ? 0 : -ENOENT;
		break;
	case CALL_TAKE:
		named_files_take(server->files);
		result = 0;
		break;
	}
	result = result < 0 ? result : 0;
	parcel_send(server->socket, &result, sizeof(result), fd);
}

/* Until the other end is closed. */
static void *serve(void *context)
{
	const struct monitor_server *server = context;
	struct monitor_request request;

	for (;;) {
		CLEANUP(closep) int given = -1;
		ssize_t n = parcel_take(server->socket, &request, sizeof(request), &given);
		if (n <= 0)
			return NULL;
		if ((size_t)n >= REQUEST_LEAST)
			serve_one(server, &request, (size_t)n, given);
	}
}

/* The second socket comes by the first, as one is kept. */
static int begin(
	const struct monitor_options *options, int socket, struct monitor_server servers[2])
{
	const struct sandbox_options wanted = {
		.process = SANDBOX_MONITOR, .switches = options->switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;
	struct named_files *files;
	struct sandbox_state state;
	struct problem problem;
	char byte;
	pthread_t thread;

	if (parcel_take(socket, &byte, sizeof(byte), &servers[1].socket) <= 0)
		return -EPIPE;
	int r = sandbox_prepare(&wanted, &sandbox, &problem);
	if (r == 0)
		r = sandbox_enter(sandbox, &state, &problem);
	if (r == 0)
		r = named_files_new(options->settings, &files);
	if (r != 0)
		return r == PROBLEM ? -EPERM : r;
	servers[0] = (struct monitor_server){.options = options, .socket = socket, .files = files};
	servers[1] = (struct monitor_server){options, servers[1].socket, true, files};
	return -pthread_create(&thread, NULL, serve, &servers[1]);
}

__attribute__((noreturn)) static void run(const struct monitor_options *options, int socket)
{
	struct monitor_server servers[2] = {0};

	socket = helper_begin(HELPER_MONITOR, socket, options->kept);
	/* A layer is one, also while settings are read again. */
	descriptor_raise_limit();
	int r = begin(options, socket, servers);
	if (parcel_send(socket, &r, sizeof(r), -1) == 0 && r == 0)
		serve(&servers[0]);
	/* It does not end while its other thread waits for a file system: the parent is to see. */
	shutdown(socket, SHUT_RDWR);
	/* Not exit(3): what was set up before the fork is the parent's to take down. */
	_exit(0);
}

/* The parent's. */

struct monitor_line {
	int socket;    /* -1: none */
	bool is_taken; /* from a request to its answer */
	struct coroutine_queue waiting;
	unsigned owed; /* answers that nobody waits for any more */
};

static struct {
	struct monitor_line serving; /* who waits for it serves the mount: it waits for nobody */
	struct monitor_line looking; /* … reads settings */
} monitor = {.serving = {.socket = -1}, .looking = {.socket = -1}};

/* A descriptor, 0, or -errno: -ETIMEDOUT: there is no answer in time. */
static int take_answer(struct monitor_line *line, int timeout_ms)
{
	struct pollfd answer = {.fd = line->socket, .events = POLLIN};
	int result = 0, fd = -1;

	if (await_ms(&answer, 1, timeout_ms) == 0)
		return -ETIMEDOUT;
	/* However it came to its end, it is not there any more. */
	ssize_t n = parcel_take(line->socket, &result, sizeof(result), &fd);
	if (n == sizeof(result) && result >= 0)
		return fd >= 0 ? fd : 0;
	closep(&fd);
	return n == sizeof(result) ? result : -EPIPE;
}

/* Takes the answers that came too late. Returns 0, or -errno while one is still owed. */
static int settle(struct monitor_line *line)
{
	while (line->owed) {
		int fd = take_answer(line, 0);
		if (fd == -ETIMEDOUT || fd == -EPIPE)
			return fd;
		if (fd > 0)
			close(fd);
		line->owed--;
	}
	return 0;
}

/* A descriptor, 0 or -errno. */
static int ask(struct monitor_line *line, const struct monitor_request *request, int given)
{
	while (line->is_taken)
		coroutine_wait(&line->waiting, NULL);
	line->is_taken = true;
	int r = line->socket < 0 ? -EPIPE : settle(line);
	if (r == 0)
		r = parcel_send(line->socket, request, REQUEST_LEAST, given);
	if (r == 0) {
		r = take_answer(line, ANSWER_MS);
		/* Also if the wait was cancelled. */
		line->owed += r == -ETIMEDOUT || r == -EPIPE;
	}
	line->is_taken = false;
	coroutine_wake(&line->waiting);
	return r;
}

static int open_by_monitor(int path_fd, int flags, bool is_setting)
{
	const struct monitor_request request = {.call = CALL_OPEN, .flags = flags};
	int fd = ask(is_setting ? &monitor.looking : &monitor.serving, &request, path_fd);

	/* It reads settings, and a layer does not answer. */
	if (fd == -ETIMEDOUT && is_setting)
		return -EBUSY;
	/* Without one, what the kernel said before stands; who reads settings says why. */
	return (fd == -EPIPE && !is_setting) || fd == 0 ? -EACCES : fd;
}

static void look_by_monitor(void)
{
	ask(&monitor.looking, &(struct monitor_request){.call = CALL_LOOK}, -1);
}

/* Without one, nothing is to be known. */
static bool monitor_has_found(int directory, bool follows)
{
	const struct monitor_request request = {.call = CALL_FOUND, .flags = follows};
	int r = ask(&monitor.looking, &request, directory);

	return r == 0 || r == -EPIPE;
}

static void take_by_monitor(void)
{
	ask(&monitor.looking, &(struct monitor_request){.call = CALL_TAKE}, -1);
}

static void close_both(int ends[2])
{
	closep(&ends[0]);
	closep(&ends[1]);
}

/* Returns 0 when it is in its sandbox. */
static int begin_monitor(const struct monitor_options *options, int serving[2], int looking[2])
{
	pid_t pid = fork();

	if (pid == 0)
		run(options, serving[1]);
	if (pid < 0)
		return -errno;
	helper_began(HELPER_MONITOR, pid);
	int r = parcel_send(serving[0], "", 1, looking[1]);
	/* With our copies open we would not see the monitor's end. */
	closep(&serving[1]);
	closep(&looking[1]);
	if (r == 0 && recv(serving[0], &r, sizeof(r), 0) != sizeof(r))
		r = -EPIPE;
	return r;
}

int monitor_start(const struct monitor_options *options)
{
	int serving[2], looking[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, serving) < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, looking) < 0) {
		int r = -errno;
		close_both(serving);
		return r;
	}
	int r = begin_monitor(options, serving, looking);
	if (r < 0) {
		close_both(serving);
		close_both(looking);
		return r;
	}
	monitor.serving.socket = serving[0];
	monitor.looking.socket = looking[0];
	opening_delegate(&(struct opening_delegate){
		open_by_monitor, look_by_monitor, monitor_has_found, take_by_monitor});
	return 0;
}

bool monitor_has_ended(void)
{
	struct pollfd end = {.fd = monitor.serving.socket};

	return end.fd >= 0 && poll(&end, 1, 0) > 0 && (end.revents & POLLHUP);
}

bool monitor_log(const char *line)
{
	struct monitor_request request = {.call = CALL_LOG};
	size_t len = strlen(line);

	if (len >= sizeof(request.line))
		len = sizeof(request.line) - 1;
	memcpy(request.line, line, len);
	/* Nobody is to wait for the log: a line that finds no room is lost, as with syslog(3). */
	return monitor.serving.socket >= 0 &&
	       send(monitor.serving.socket, &request, REQUEST_LEAST + len + 1,
		       MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

int monitor_unmount(void)
{
	return ask(&monitor.serving, &(struct monitor_request){.call = CALL_UNMOUNT}, -1);
}

void monitor_cancel(void)
{
	shutdown(monitor.looking.socket, SHUT_RDWR);
}

void monitor_stop(void)
{
	struct pollfd end = {.fd = monitor.serving.socket};

	if (end.fd < 0)
		return;
	opening_delegate(&(struct opening_delegate){0});
	closep(&monitor.looking.socket);
	/* It logs first what it was asked to log. */
	helper_wake();
	shutdown(end.fd, SHUT_WR);
	(void)await_ms(&end, 1, ANSWER_MS);
	/* With its end it lets go of the layers. One that waits for a layer may stay for ever. */
	if (monitor.looking.owed)
		helper_leave(HELPER_MONITOR, END_MS);
	else
		helper_end(HELPER_MONITOR, ANSWER_MS);
	closep(&monitor.serving.socket);
}
