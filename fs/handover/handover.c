#include "handover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "successor.h"
#include "text.h"

/* Never changes. */
#define OFFER_FORMAT 1

/* The kernel takes no more descriptors with a message (SCM_MAX_FD). */
#define FDS_MAX 253

/* How long the other may take for a message that needs no work. */
#define ANSWER_MS 10000

/* How long an heir is waited for without a look whether we are to end. */
#define STEP_MS 50

/* A daemon that is killed closes its descriptors one by one. */
#define TIDY_TRIES 10
#define TIDY_MS 10

enum message_kind {
	MESSAGE_RECORD,      /* one descriptor; so many more come */
	MESSAGE_DESCRIPTORS, /* some of them */
	MESSAGE_WANT,
	MESSAGE_END,
	MESSAGE_READY,
	MESSAGE_GO,
	MESSAGE_NO,
};

/* As it is sent, between processes of one machine. */
struct message {
	uint64_t kind;
	uint64_t count; /* RECORD: of further descriptors */
};

static int send_message(int socket, const struct message *message, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr header;
	} control = {0};
	struct iovec part = {(void *)(uintptr_t)message, sizeof(*message)};
	struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};

	if (count) {
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(count * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&head);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
	}
	ssize_t n = sendmsg(socket, &head, MSG_NOSIGNAL);
	return n == sizeof(*message) ? 0 : n < 0 ? -errno : -EPIPE;
}

static int tell(int socket, enum message_kind kind)
{
	const struct message message = {.kind = kind};

	return send_message(socket, &message, NULL, 0);
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

/* Up to FDS_MAX descriptors, which are the caller's. */
static size_t take_fds(struct msghdr *head, int *fds)
{
	size_t count = 0;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(head); at; at = CMSG_NXTHDR(head, at)) {
		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS)
			continue;
		count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(at), count * sizeof(int));
	}
	return count;
}

/* 0; -EPIPE: the other has ended; -ETIMEDOUT; or another -errno. With no timeout (-1) it waits. */
static int receive(
	int socket, int timeout_ms, struct message *message, int fds[FDS_MAX], size_t *count)
{
	union {
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec part = {message, sizeof(*message)};
	struct msghdr head = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control)};
	struct pollfd polled = {.fd = socket, .events = POLLIN};
	int ready;

	do
		ready = poll(&polled, 1, timeout_ms);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return ready < 0 ? -errno : -ETIMEDOUT;
	ssize_t n = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
	/* It has ended with something of ours unread. What it had sent before comes now. */
	if (n < 0 && errno == ECONNRESET)
		n = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	*count = take_fds(&head, fds);
	if (n == sizeof(*message) && !(head.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return 0;
	close_all(fds, *count);
	return n == 0 ? -EPIPE : -EBADMSG;
}

/* Without descriptors. */
static int hear(int socket, int timeout_ms, enum message_kind *ret)
{
	struct message message;
	int fds[FDS_MAX];
	size_t count;

	int r = receive(socket, timeout_ms, &message, fds, &count);
	if (r < 0)
		return r;
	close_all(fds, count);
	if (count || message.kind > MESSAGE_NO)
		return -EBADMSG;
	*ret = (enum message_kind)message.kind;
	return 0;
}

static int send_record(int socket, struct record *record)
{
	CLEANUP(closep) int file = record_file(record);
	size_t count, n;
	const int *fds = record_fds(record, &count);
	struct message message = {MESSAGE_RECORD, count};

	if (file < 0)
		return file;
	int r = send_message(socket, &message, &file, 1);
	for (size_t at = 0; r == 0 && at < count; at += n) {
		n = count - at < FDS_MAX ? count - at : FDS_MAX;
		message = (struct message){MESSAGE_DESCRIPTORS, n};
		r = send_message(socket, &message, fds + at, n);
	}
	return r;
}

/* Appends what comes until there are `wanted`. */
static int receive_fds(int socket, size_t wanted, int **ret, size_t *ret_count)
{
	struct message message;
	int some[FDS_MAX];
	size_t count;
	int r = 0;

	while (r == 0 && *ret_count < wanted) {
		r = receive(socket, ANSWER_MS, &message, some, &count);
		if (r < 0)
			break;
		int *fds =
			message.kind == MESSAGE_DESCRIPTORS && count && count <= wanted - *ret_count
				? reallocarray(*ret, *ret_count + count, sizeof(int))
				: NULL;
		if (!fds) {
			close_all(some, count);
			return -EBADMSG;
		}
		memcpy(fds + *ret_count, some, count * sizeof(int));
		*ret = fds;
		*ret_count += count;
	}
	return r;
}

static int receive_record(int socket, int timeout_ms, uint64_t format, struct record **ret)
{
	CLEANUP(closep) int file = -1;
	struct message message;
	int first[FDS_MAX], *fds = NULL;
	size_t first_count, count = 0;

	int r = receive(socket, timeout_ms, &message, first, &first_count);
	if (r < 0)
		return r;
	if (message.kind != MESSAGE_RECORD || first_count != 1) {
		close_all(first, first_count);
		return message.kind == MESSAGE_NO ? -ECANCELED : -EBADMSG;
	}
	file = first[0];
	r = receive_fds(socket, message.count, &fds, &count);
	if (r == 0)
		return record_open(format, file, fds, count, ret);
	close_all(fds, count);
	free(fds);
	return r;
}

void offer_fini(struct offer *offer)
{
	closep(&offer->beneath_fd);
	*offer = (struct offer){.beneath_fd = -1};
}

/* In this order for ever. */
static int put_offer(const struct offer *offer, struct record **ret)
{
	struct record *record;
	int r = record_new(OFFER_FORMAT, &record);

	if (r < 0)
		return r;
	record_put(record, STATE_FORMAT);
	record_put(record, (uint64_t)getpid());
	record_put_fd(record, offer->beneath_fd);
	*ret = record;
	return 0;
}

/* What a later plyfs may have put behind it is passed over. */
static int take_offer(struct record *record, struct offer *ret, uint64_t *format)
{
	*format = record_get(record);
	ret->pid = (pid_t)record_get_below(record, INT_MAX);
	ret->beneath_fd = record_get_fd(record);
	return ret->beneath_fd >= 0 && !record_error(record) ? 0 : -EBADMSG;
}

/*
 * Where it is listened for the mount of that superblock; an ordinary user may have no such place.
 * The directory is made if need be with `is_made`. 0 or -errno.
 */
static int find_place(dev_t dev, bool is_made, struct sockaddr_un *ret)
{
	const char *base = geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
	char directory[sizeof(ret->sun_path)];
	struct stat stat;

	if (!base || *base != '/')
		return -ENOENT;
	int n = snprintf(directory, sizeof(directory), "%s/plyfs", base);
	if (n < 0 || (size_t)n >= sizeof(directory))
		return -ENAMETOOLONG;
	if (is_made && mkdir(directory, 0711) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(directory, &stat) < 0)
		return -errno;
	if (!S_ISDIR(stat.st_mode) || stat.st_uid != geteuid() || stat.st_mode & 0022)
		return -EPERM;
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%u:%u", directory, major(dev),
		minor(dev));
	return n > 0 && (size_t)n < sizeof(ret->sun_path) ? 0 : -ENAMETOOLONG;
}

static bool is_own(int socket)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.uid == geteuid();
}

pid_t handover_server(dev_t dev)
{
	struct sockaddr_un place;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	CLEANUP(closep) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* The kernel answers, whatever the process is doing. */
	if (fd < 0 || find_place(dev, false, &place) < 0 ||
		connect(fd, (struct sockaddr *)&place, sizeof(place)) < 0 ||
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid())
		return 0;
	return peer.pid;
}

struct handover {
	const struct offer *offer;
	int listener; /* -1: nobody can ask */
	int heir;     /* who has asked; -1: nobody */
	int signal;   /* signalfd */
	int epoll;    /* of these three */
	const struct successor *successor;
};

#define BACKLOG 4 /* connections that wait for accept(2) */

/* What lies there is of a mount that has had the same number. */
static int listen_at(dev_t dev)
{
	struct sockaddr_un place;
	int r = find_place(dev, true, &place);

	if (r < 0)
		return r;
	CLEANUP(closep) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(place.sun_path);
	if (bind(fd, (struct sockaddr *)&place, sizeof(place)) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	int listener = fd;
	fd = -1;
	return listener;
}

static int watch(const struct handover *handover, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

	return fd < 0 || epoll_ctl(handover->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static void handover_freep(struct handover **handover)
{
	handover_free(*handover);
}

int handover_new(const struct offer *offer, dev_t dev, int listener,
	const struct successor *successor, struct handover **ret)
{
	CLEANUP(handover_freep) struct handover *handover = calloc(1, sizeof(*handover));
	sigset_t asked;

	if (!handover) {
		closep(&listener);
		return -ENOMEM;
	}
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR2);
	sigaddset(&asked, HANDOVER_LEAVE_SIGNAL);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	*handover = (struct handover){.offer = offer,
		.listener = listener >= 0 ? listener : listen_at(dev),
		.heir = -1,
		.signal = signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.successor = successor};
	if (handover->signal < 0 || handover->epoll < 0)
		return -errno;
	int r = watch(handover, handover->listener);
	if (r == 0)
		r = watch(handover, handover->signal);
	if (r < 0)
		return r;
	successor_note(successor, dev);
	*ret = take_ptr(handover);
	return 0;
}

void handover_serves(const struct handover *handover)
{
	/* unix(7): SO_PEERCRED names the process that called listen(2) last. */
	if (handover->listener >= 0)
		(void)!listen(handover->listener, BACKLOG);
}

void handover_free(struct handover *handover)
{
	if (!handover)
		return;
	closep(&handover->listener);
	closep(&handover->heir);
	closep(&handover->signal);
	closep(&handover->epoll);
	free(handover);
}

void handover_end(struct handover *handover)
{
	closep(&handover->listener);
	handover->listener = -1;
}

/* Whether a socket of that name is open, with us or with an heir; or that can't be told. */
static bool is_bound(const char *path)
{
	CLEANUP(fclosep) FILE *file = fopen("/proc/net/unix", "re");
	char line[256];
	bool is_found = !file;

	while (!is_found && fgets(line, sizeof(line), file)) {
		char *name = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		is_found = name && strcmp(name, path) == 0;
	}
	return is_found;
}

void handover_tidy(dev_t dev)
{
	struct sockaddr_un place;

	if (find_place(dev, false, &place) < 0)
		return;
	for (int i = 0; i < TIDY_TRIES && is_bound(place.sun_path); i++)
		poll(NULL, 0, TIDY_MS);
	if (!is_bound(place.sun_path))
		unlink(place.sun_path);
}

int handover_fd(const struct handover *handover)
{
	return handover->epoll;
}

int handover_listener(const struct handover *handover)
{
	return handover->listener;
}

static void drop_heir(struct handover *handover)
{
	closep(&handover->heir);
	handover->heir = -1;
}

/* One at a time: the last who asks. */
static void take_heir(struct handover *handover)
{
	CLEANUP(record_freep) struct record *record = NULL;

	int fd = accept4(handover->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (!is_own(fd) || put_offer(handover->offer, &record) < 0 || send_record(fd, record) < 0) {
		close(fd);
		return;
	}
	drop_heir(handover);
	handover->heir = fd;
	if (watch(handover, fd) < 0)
		drop_heir(handover);
}

static int take_wish(struct handover *handover)
{
	enum message_kind kind = MESSAGE_NO;
	int r = hear(handover->heir, 0, &kind);

	if (r == -ETIMEDOUT)
		return HANDOVER_NOTHING;
	if (r == 0 && kind == MESSAGE_WANT)
		return HANDOVER_WANTED;
	if (r == 0 && kind == MESSAGE_END)
		return HANDOVER_END;
	drop_heir(handover);
	return HANDOVER_NOTHING;
}

int handover_take(struct handover *handover)
{
	struct signalfd_siginfo info;

	if (read(handover->signal, &info, sizeof(info)) > 0) {
		if (info.ssi_signo == HANDOVER_LEAVE_SIGNAL)
			return HANDOVER_LEAVE;
		successor_begin(handover->successor);
	}
	if (handover->listener >= 0)
		take_heir(handover);
	return handover->heir >= 0 ? take_wish(handover) : HANDOVER_NOTHING;
}

/* If a signal has asked this process to end meanwhile, it unmounts: the heir would not know. */
static bool is_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
		       sigismember(&pending, SIGHUP));
}

/* Waits until the heir has taken the state over, unless a signal asks us to end meanwhile. */
static int hear_of_heir(int socket, enum message_kind *ret)
{
	int r = -ETIMEDOUT;

	for (int waited = 0; r == -ETIMEDOUT && waited < HANDOVER_MS && !is_to_end();
		waited += STEP_MS)
		r = hear(socket, STEP_MS, ret);
	return (r == 0 || r == -ETIMEDOUT) && is_to_end() ? -ECANCELED : r;
}

int handover_give(struct handover *handover, struct record *record, pid_t *heir)
{
	enum message_kind kind = MESSAGE_NO;
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	getsockopt(handover->heir, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	int r = send_record(handover->heir, record);
	if (r == 0)
		r = hear_of_heir(handover->heir, &kind);
	if (r == 0 && kind != MESSAGE_READY)
		r = -ECANCELED;
	if (r == 0)
		r = tell(handover->heir, MESSAGE_GO);
	if (r == 0) {
		*heir = peer.pid;
		successor_note(handover->successor, 0);
		return 0;
	}
	tell(handover->heir, MESSAGE_NO);
	drop_heir(handover);
	return r;
}

/* Returns whether the manager has closed the other end, and so does not keep the mount. */
static bool is_dropped(int socket)
{
	struct pollfd polled = {.fd = socket};

	return poll(&polled, 1, 0) != 0;
}

int handover_leave(struct handover *handover, struct record *record,
	bool (*store)(void *context, int socket), void *context)
{
	CLEANUP(record_freep) struct record *offer = NULL;
	int ends[2];

	int r = put_offer(handover->offer, &offer);
	if (r < 0)
		return r;
	/* What does not fit in it is not waited for: nobody reads. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return -errno;
	r = send_record(ends[0], offer);
	if (r == 0)
		r = send_record(ends[0], record);
	if (r == 0 && !store(context, ends[1]))
		r = -EIO;
	close(ends[1]);
	if (r == 0 && is_dropped(ends[0]))
		r = -ENOSPC;
	if (r == 0)
		successor_note(handover->successor, 0);
	close(ends[0]);
	return r;
}

struct heir {
	int socket;
	bool is_stored; /* nobody is at the other end */
	struct offer offer;
	uint64_t format;
};

void heir_free(struct heir *heir)
{
	if (!heir)
		return;
	closep(&heir->socket);
	offer_fini(&heir->offer);
	free(heir);
}

void heir_freep(struct heir **heir)
{
	heir_free(*heir);
}

const struct offer *heir_offer(const struct heir *heir)
{
	return &heir->offer;
}

bool heir_can_read(const struct heir *heir)
{
	return heir->format == STATE_FORMAT;
}

bool heir_is_stored(const struct heir *heir)
{
	return heir->is_stored;
}

static int take_offer_from(struct heir *heir)
{
	CLEANUP(record_freep) struct record *record = NULL;
	int r = receive_record(heir->socket, ANSWER_MS, OFFER_FORMAT, &record);

	return r == 0 ? take_offer(record, &heir->offer, &heir->format) : r;
}

static int ask(const char *mountpoint, struct heir *heir, struct problem *problem)
{
	struct sockaddr_un place;
	struct stat stat;

	if (lstat(mountpoint, &stat) < 0)
		return problem_set(
			problem, mountpoint, 0, 0, "can't be taken over: %s", text_error(-errno));
	int r = find_place(stat.st_dev, false, &place);
	if (r == 0 && connect(heir->socket, (struct sockaddr *)&place, sizeof(place)) < 0)
		r = -errno;
	if (r < 0)
		return problem_set(problem, mountpoint, 0, 0,
			"no plyfs of yours serves it (%s); give its mountpoint, as the user who "
			"mounted it",
			strerror(-r));
	if (!is_own(heir->socket))
		return problem_set(problem, mountpoint, 0, 0,
			"is served by another user's plyfs; only that user may take it over");
	r = take_offer_from(heir);
	if (r < 0)
		return problem_set(problem, mountpoint, 0, 0,
			"the plyfs that serves it does not hand it over now (%s); try again",
			strerror(-r));
	return 0;
}

/* With that socket, which it closes if there is no memory. */
static struct heir *heir_new(int socket)
{
	struct heir *heir = malloc(sizeof(*heir));

	if (heir)
		*heir = (struct heir){.socket = socket, .offer = {.beneath_fd = -1}};
	else
		close(socket);
	return heir;
}

int heir_find(const char *mountpoint, struct heir **ret, struct problem *problem)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	CLEANUP(heir_freep) struct heir *heir = heir_new(fd);
	if (!heir)
		return -ENOMEM;
	int r = ask(mountpoint, heir, problem);
	if (r == 0)
		*ret = take_ptr(heir);
	return r;
}

int heir_stored(int socket, struct heir **ret)
{
	struct heir *heir = heir_new(socket);

	if (!heir)
		return -ENOMEM;
	heir->is_stored = true;
	if (take_offer_from(heir) < 0)
		heir->format = 0;
	*ret = heir;
	return 0;
}

/* The manager has the socket, too: it is the descriptors in it that must go. */
static void drop_all(int socket)
{
	struct message message;
	int fds[FDS_MAX];
	size_t count;
	int r;

	while ((r = receive(socket, 0, &message, fds, &count)) == 0 || r == -EBADMSG)
		if (r == 0)
			close_all(fds, count);
}

int heir_end(struct heir *heir)
{
	enum message_kind kind;

	if (heir->is_stored) {
		drop_all(heir->socket);
		return 0;
	}
	int r = tell(heir->socket, MESSAGE_END);

	if (r == 0)
		r = hear(heir->socket, HANDOVER_MS, &kind);
	return r == -EPIPE ? 0 : r == 0 ? -EBADMSG : r;
}

int heir_want(struct heir *heir, struct record **ret)
{
	int r = heir->is_stored ? 0 : tell(heir->socket, MESSAGE_WANT);

	return r < 0 ? r : receive_record(heir->socket, HANDOVER_MS, STATE_FORMAT, ret);
}

int heir_ready(struct heir *heir)
{
	enum message_kind kind = MESSAGE_NO;

	if (heir->is_stored)
		return 0;
	int r = tell(heir->socket, MESSAGE_READY);
	/* If the old daemon waits no more, it has sent a message before. */
	if (r == 0 || r == -EPIPE)
		r = hear(heir->socket, -1, &kind);
	/* The old daemon has died: the heir serves. */
	if (r == -EPIPE)
		return 0;
	return r < 0 ? r : kind == MESSAGE_GO ? 0 : -ECANCELED;
}
