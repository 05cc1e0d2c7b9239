#include "handover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "fd_message.h"
#include "followed_path.h"
#include "forked.h"
#include "helper.h"
#include "slice.h"
#include "text.h"

/* Never changes. */
#define OFFER_FORMAT 1

/* How long a killed trial may take to end, in ms. If it waits for a disk, it may stay for ever. */
#define KILLED_MS 1000

/* How often a process looks whether the next daemon has the state, in ms. */
#define LEFT_PAUSE_MS 200

/* The environment's variable with "SOCKET TRIED" for the new program. */
#define INHERITANCE "PLYFS_INHERITANCE"

/* The directory of the lock. */
#define SYSTEM_DIRECTORY "/run"
#define USER_DIRECTORY "XDG_RUNTIME_DIR"

enum message_kind {
	MESSAGE_RECORD,      /* one descriptor; `count` more follow */
	MESSAGE_DESCRIPTORS, /* some of them */
	MESSAGE_WANT,        /* this one and the next: with a daemon of version 0.2 */
	MESSAGE_READY = 4,
	MESSAGE_GO,
};

/* As it is sent, between processes of one machine. */
struct message {
	uint64_t kind;
	uint64_t count; /* RECORD: of further descriptors */
};

static int send_message(int socket, const struct message *message, const int *fds, size_t count)
{
	return fd_message_send_all(socket, message, sizeof(*message), fds, count);
}

/* Receives a message. Returns 0; -EAGAIN or -EPIPE: no message is left; or another -errno. */
static int receive(int socket, struct message *message, int fds[FD_MESSAGE_FDS_MAX], size_t *count)
{
	ssize_t n = fd_message_take_all(socket, message, sizeof(*message), fds, count);

	if (n < 0)
		return n == -EMFILE ? -EBADMSG : (int)n;
	if (n == sizeof(*message))
		return 0;
	descriptor_close_all(fds, *count);
	return n == 0 ? -EPIPE : -EBADMSG;
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
		n = count - at < FD_MESSAGE_FDS_MAX ? count - at : FD_MESSAGE_FDS_MAX;
		message = (struct message){MESSAGE_DESCRIPTORS, n};
		r = send_message(socket, &message, fds + at, n);
	}
	return r;
}

/* Appends the descriptors that arrive to *ret, until there are `wanted`. */
static int receive_fds(int socket, size_t wanted, int **ret, size_t *ret_count)
{
	struct message message;
	int some[FD_MESSAGE_FDS_MAX];
	size_t count;
	int r = 0;

	while (r == 0 && *ret_count < wanted) {
		r = receive(socket, &message, some, &count);
		if (r < 0)
			break;
		int *fds =
			message.kind == MESSAGE_DESCRIPTORS && count && count <= wanted - *ret_count
				? reallocarray(*ret, *ret_count + count, sizeof(int))
				: NULL;
		if (!fds) {
			descriptor_close_all(some, count);
			return -EBADMSG;
		}
		memcpy(fds + *ret_count, some, count * sizeof(int));
		*ret = fds;
		*ret_count += count;
	}
	return r;
}

static int receive_record(int socket, uint64_t format, struct record **ret)
{
	CLEANUP(closep) int file = -1;
	struct message message;
	int first[FD_MESSAGE_FDS_MAX], *fds = NULL;
	size_t first_count, count = 0;

	int r = receive(socket, &message, first, &first_count);
	if (r < 0)
		return r;
	if (message.kind != MESSAGE_RECORD || first_count != 1) {
		descriptor_close_all(first, first_count);
		return -EBADMSG;
	}
	file = first[0];
	r = receive_fds(socket, message.count, &fds, &count);
	if (r == 0)
		return record_open(format, file, fds, count, ret);
	descriptor_close_all(fds, count);
	free(fds);
	return r;
}

/* Writes the offer, always in this order. Earlier versions read the process number. */
static int put_offer(int beneath_fd, struct record **ret)
{
	struct record *record;
	int r = record_new(OFFER_FORMAT, &record);

	if (r < 0)
		return r;
	record_put(record, STATE_FORMAT);
	record_put(record, (uint64_t)getpid());
	record_put_fd(record, beneath_fd);
	*ret = record;
	return 0;
}

/*
 * Opens the file of the locks: the daemon of the mount of `dev` locks the byte `dev`, so that the
 * kernel knows its process number for as long as it lives. The daemon must not open the file again:
 * close(2) would end the lock (fcntl_locking(2)). An ordinary user may have no such file. In a
 * daemon, a path into its own mount leads beneath it (followed_path.h): no process answers there
 * yet, and no other process finds the lock. Returns the descriptor, or -errno.
 */
static int open_locks(int flags)
{
	const char *base = geteuid() == 0 ? SYSTEM_DIRECTORY : getenv(USER_DIRECTORY);
	struct stat stat;

	if (!base || *base != '/')
		return -ENOENT;
	CLEANUP(closep) int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	CLEANUP(closep) int above = followed_path_open(root, base, O_PATH | O_DIRECTORY, true);
	if (above < 0)
		return above;
	if (flags & O_CREAT && mkdirat(above, "plyfs", 0711) < 0 && errno != EEXIST)
		return -errno;
	CLEANUP(closep)
	int own = followed_path_open(above, "plyfs", O_PATH | O_DIRECTORY | O_NOFOLLOW, true);
	if (own < 0)
		return own;
	if (fstat(own, &stat) < 0)
		return -errno;
	if (stat.st_uid != geteuid() || stat.st_mode & 0022)
		return -EPERM;
	int fd = openat(own, "mounts", O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
	return fd < 0 ? -errno : fd;
}

static struct flock lock_of(dev_t dev)
{
	return (struct flock){
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)dev, .l_len = 1};
}

pid_t handover_server(dev_t dev)
{
	struct flock lock = lock_of(dev);
	CLEANUP(closep) int fd = open_locks(0);

	if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

struct handover {
	struct handover_options options;
	int lock;            /* its end is the lock's end; -1: other processes can't find us */
	struct flock locked; /* what `lock` locks, or will lock */
	int predecessor;     /* pidfd: the process that still has the lock; -1: none */
	int signal;          /* signalfd */
	int timer;           /* timerfd: the trial's time is up */
	int epoll;           /* of these two, and of the trial */
	struct program_trial trial;
	bool is_late;        /* the trial's time was up: its answer no longer counts */
	struct stat program; /* as it was when its trial began */
	unsigned tried;
	char error[TRIAL_TEXT_MAX]; /* "": the last one has not failed */
};

static int watch(const struct handover *handover, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

	return epoll_ctl(handover->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

int handover_new(const struct handover_options *options, struct handover **ret)
{
	CLEANUP(handover_freep) struct handover *handover = calloc(1, sizeof(*handover));
	sigset_t asked;

	if (!handover)
		return -ENOMEM;
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR2);
	sigaddset(&asked, HANDOVER_LEAVE_SIGNAL);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	/* If SIGCHLD were ignored, the exit status of a trial would be lost. */
	signal(SIGCHLD, SIG_DFL);
	*handover = (struct handover){.options = *options,
		.lock = -1,
		.predecessor = -1,
		.signal = signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK),
		.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.tried = options->tried};
	if (handover->signal < 0 || handover->timer < 0 || handover->epoll < 0)
		return -errno;
	int r = watch(handover, handover->signal);
	if (r == 0)
		r = watch(handover, handover->timer);
	if (r < 0)
		return r;
	*ret = take_ptr(handover);
	return 0;
}

void handover_freep(struct handover **place)
{
	struct handover *handover = *place;
	char text[TRIAL_TEXT_MAX];

	if (!handover)
		return;
	if (handover->trial.pid) {
		struct pollfd ended = {.fd = handover->trial.pidfd, .events = POLLIN};
		trial_kill(&handover->trial);
		if (poll(&ended, 1, KILLED_MS) > 0)
			trial_take(&handover->trial, text);
	}
	closep(&handover->lock);
	closep(&handover->predecessor);
	closep(&handover->signal);
	closep(&handover->timer);
	closep(&handover->epoll);
	free(handover);
}

/*
 * Locks, or waits for the process that has the lock. The kernel gives `dev` to the next mount as
 * soon as one has ended, and the daemon of that one may not have noticed its end yet.
 */
static void take_lock(struct handover *handover)
{
	struct flock lock = handover->locked;

	if (fcntl(handover->lock, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
		return;
	if (fcntl(handover->lock, F_GETLK, &lock) < 0)
		return;
	if (lock.l_type != F_UNLCK)
		handover->predecessor = pidfd_open(lock.l_pid, 0);
	if (handover->predecessor >= 0 && watch(handover, handover->predecessor) == 0)
		return;
	/* It has given up the lock, or has ended, in between; or it is of another PID namespace. */
	closep(&handover->predecessor);
	(void)fcntl(handover->lock, F_SETLK, &handover->locked);
}

/* Returns whether the process of the pidfd has ended. */
static bool has_ended(int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	return poll(&ended, 1, 0) > 0;
}

void handover_lock(struct handover *handover, dev_t dev)
{
	int fd = open_locks(O_CREAT);

	handover->locked = lock_of(dev);
	handover->lock = fd < 0 ? -1 : fd;
	if (fd >= 0)
		take_lock(handover);
}

void handover_end(struct handover *handover)
{
	closep(&handover->predecessor);
	closep(&handover->lock);
}

int handover_fd(const struct handover *handover)
{
	return handover->epoll;
}

void handover_fail(struct handover *handover, const char *error)
{
	handover->tried++;
	snprintf(handover->error, sizeof(handover->error), "%s", error);
}

unsigned handover_tried(const struct handover *handover, const char **error)
{
	*error = *handover->error ? handover->error : NULL;
	return handover->tried;
}

static void set_timer(const struct handover *handover, int ms)
{
	const struct itimerspec due = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}};

	(void)timerfd_settime(handover->timer, 0, &due, NULL);
}

static int begin_trial(struct handover *handover)
{
	const struct handover_options *options = &handover->options;
	char question[TRIAL_QUESTION_MAX];

	snprintf(question, sizeof(question), "%d,%s,%s", STATE_FORMAT,
		options->terms.coherence == COHERENCE_STRICT ? "strict" : "cached",
		options->terms.state);
	/* If it is gone, the trial says so, and names it. */
	if (stat(options->call->path, &handover->program) < 0)
		handover->program = (struct stat){0};
	int r = trial_begin(options->call, question, options->beneath_fd, &handover->trial);
	if (r < 0)
		return r;
	r = watch(handover, handover->trial.pidfd);
	handover->is_late = r < 0;
	if (r < 0)
		trial_kill(&handover->trial);
	set_timer(handover, TRIAL_MS);
	return r;
}

bool handover_is_answered(const char *question, struct handover_terms *ret)
{
	static const char strict[] = "strict,";
	char *end;

	if (strtol(question, &end, 10) != STATE_FORMAT || *end != ',')
		return false;
	ret->coherence =
		strncmp(++end, strict, strlen(strict)) == 0 ? COHERENCE_STRICT : COHERENCE_CACHED;
	const char *comma = strchr(end, ',');
	ret->state = comma ? comma + 1 : "";
	return true;
}

/* Notes that a trial has failed, or can't begin. */
static enum handover_wish fail(struct handover *handover, const char *error)
{
	handover_fail(handover, error);
	return HANDOVER_FAILED;
}

/* Reads the signals, and begins a trial if one is wanted and none is under way. */
static enum handover_wish take_signals(struct handover *handover)
{
	struct signalfd_siginfo info;
	bool is_wanted = false;

	while (read(handover->signal, &info, sizeof(info)) > 0) {
		if (info.ssi_signo == HANDOVER_LEAVE_SIGNAL)
			return HANDOVER_LEAVE;
		is_wanted = true;
	}
	if (!is_wanted || (handover->trial.pid && !handover->is_late))
		return HANDOVER_NOTHING;
	if (handover->trial.pid)
		return fail(handover, "the program of an earlier try has not ended yet");
	int r = begin_trial(handover);
	return r < 0 ? fail(handover, text_error(r)) : HANDOVER_NOTHING;
}

static enum handover_wish take_trial(struct handover *handover)
{
	bool is_late = handover->is_late;
	char text[TRIAL_TEXT_MAX];

	set_timer(handover, 0);
	handover->is_late = false;
	bool is_able = trial_take(&handover->trial, text);
	if (is_late)
		return HANDOVER_NOTHING;
	return is_able ? HANDOVER_WANTED : fail(handover, text);
}

enum handover_wish handover_take(struct handover *handover)
{
	uint64_t times;

	if (handover->predecessor >= 0 && has_ended(handover->predecessor)) {
		closep(&handover->predecessor);
		take_lock(handover);
	}
	enum handover_wish r = take_signals(handover);
	if (r != HANDOVER_NOTHING || !handover->trial.pid)
		return r;
	if (has_ended(handover->trial.pidfd))
		return take_trial(handover);
	if (read(handover->timer, &times, sizeof(times)) < 0 || handover->is_late)
		return HANDOVER_NOTHING;
	handover->is_late = true;
	trial_kill(&handover->trial);
	return fail(handover, "the new program did not answer in time");
}

/* Puts the offer and the record into ends[0]. Does not wait for room, as no process reads yet. */
static int fill_socket(const struct handover *handover, struct record *record, int ends[2])
{
	CLEANUP(record_freep) struct record *offer = NULL;

	int r = put_offer(handover->options.beneath_fd, &offer);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return -errno;
	r = send_record(ends[0], offer);
	if (r == 0)
		r = send_record(ends[0], record);
	if (r < 0) {
		close(ends[0]);
		close(ends[1]);
	}
	return r;
}

/* Returns whether a pending signal asks this process to end. Then it must unmount, and not exec. */
static bool is_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
		       sigismember(&pending, SIGHUP));
}

/* Blocks the signals that would end the new program before it serves. It inherits the mask. */
static void block_ends(sigset_t *old)
{
	static const int held[] = {
		SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR2, HANDOVER_LEAVE_SIGNAL};
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		sigaddset(&signals, held[i]);
	sigprocmask(SIG_SETMASK, &signals, old);
}

/* Returns whether the file at the program's path is still the one that was tried. */
static bool is_as_tried(const struct handover *handover)
{
	const struct stat *tried = &handover->program;
	struct stat now;

	return stat(handover->options.call->path, &now) == 0 && now.st_dev == tried->st_dev &&
	       now.st_ino == tried->st_ino && now.st_ctim.tv_sec == tried->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == tried->st_ctim.tv_nsec;
}

/* Returns only on failure: -errno. */
static int become(const struct handover *handover, int socket)
{
	const struct program_call *call = handover->options.call;
	char text[64];
	sigset_t old;

	if (!is_as_tried(handover))
		return -ESTALE;
	snprintf(text, sizeof(text), "%d %u %d", socket, handover->tried + 1, call->is_config);
	if (setenv(INHERITANCE, text, 1) < 0)
		return -errno;
	(void)fcntl(socket, F_SETFD, 0);
	block_ends(&old);
	setrlimit(RLIMIT_NOFILE, &call->files);
	uint64_t slice_ns = slice_get();
	slice_set(call->slice_ns);
	/* It goes on after the exec, and kills a program that hangs, unless it is ignored. */
	signal(SIGALRM, SIG_DFL);
	alarm(HANDOVER_S);
	int r = is_to_end() ? -ECANCELED : chdir(call->directory) < 0 ? -errno : 0;
	if (r == 0) {
		execv(call->path, call->words);
		r = -errno;
	}
	alarm(0);
	descriptor_raise_limit();
	slice_set(slice_ns);
	(void)!chdir("/");
	sigprocmask(SIG_SETMASK, &old, NULL);
	unsetenv(INHERITANCE);
	return r;
}

int handover_become(struct handover *handover, struct record *record)
{
	int ends[2];
	int r = fill_socket(handover, record, ends);

	if (r < 0)
		return r;
	r = become(handover, ends[1]);
	close(ends[0]);
	close(ends[1]);
	return r;
}

struct inheritance handover_inherit(void)
{
	const char *text = getenv(INHERITANCE);
	struct inheritance ret = {.socket = -1};
	int is_config = 0;

	if (!text || sscanf(text, "%d %u %d", &ret.socket, &ret.tried, &is_config) != 3 ||
		fcntl(ret.socket, F_SETFD, FD_CLOEXEC) < 0)
		ret.socket = -1;
	ret.is_config = is_config;
	unsetenv(INHERITANCE);
	return ret;
}

/*
 * In a process of its own, while the state is in the socket. If the manager waits for the mount, it
 * can't start the next daemon. So the mount ends, and whoever waits for it gets an error. Systemd
 * logs no process left over from the former start if its name begins with a parenthesis.
 */
__attribute__((noreturn)) static void watch_manager(
	int socket, const struct handover_manager *manager, const char *mountpoint)
{
	struct pollfd dropped = {.fd = socket};
	int unread = 0;

	helper_reset_signals();
	prctl(PR_SET_NAME, "(plyfs-left)");
	if (forked_keep_only(-1, &socket, 1) < 0)
		_exit(1);
	while (poll(&dropped, 1, LEFT_PAUSE_MS) == 0 && ioctl(socket, SIOCOUTQ, &unread) == 0 &&
		unread > 0)
		if (manager->ask() < 0 && poll(&dropped, 1, 0) == 0)
			umount2(mountpoint, MNT_FORCE);
	_exit(0);
}

int handover_leave(struct handover *handover, struct record *record,
	const struct handover_manager *manager, const char *mountpoint)
{
	int ends[2];
	int r = fill_socket(handover, record, ends);

	if (r < 0)
		return r;
	r = manager->store(ends[1]);
	close(ends[1]);
	/* If the manager has closed the other end, it does not keep the mount. */
	if (r == 0 && poll(&(struct pollfd){.fd = ends[0]}, 1, 0) != 0)
		r = -ENOSPC;
	if (r == 0 && fork() == 0)
		watch_manager(ends[0], manager, mountpoint);
	close(ends[0]);
	return r;
}

struct previous {
	int socket;
	int beneath_fd;
	uint64_t format; /* 0: the offer can't be read */
	bool is_older;   /* a daemon of version 0.2 is at the other end, and serves */
};

void previous_freep(struct previous **previous)
{
	if (!*previous)
		return;
	closep(&(*previous)->socket);
	closep(&(*previous)->beneath_fd);
	free(*previous);
}

/* Returns whether the socket was connected to a name: only a daemon of version 0.2 has one. */
static bool has_name(int socket)
{
	struct sockaddr_un peer;
	socklen_t size = sizeof(peer);

	return getpeername(socket, (struct sockaddr *)&peer, &size) == 0 &&
	       size > sizeof(peer.sun_family);
}

bool previous_can_read(const struct previous *previous)
{
	return previous->format == STATE_FORMAT;
}

int previous_beneath(const struct previous *previous)
{
	return previous->beneath_fd;
}

int previous_find_older(const char *mountpoint)
{
	const char *base = geteuid() == 0 ? SYSTEM_DIRECTORY : getenv(USER_DIRECTORY);
	const struct timeval wait = {.tv_sec = HANDOVER_S};
	struct sockaddr_un place = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat stat;

	if (!base || lstat(mountpoint, &stat) < 0)
		return -1;
	snprintf(place.sun_path, sizeof(place.sun_path), "%s/plyfs/%u:%u", base, major(stat.st_dev),
		minor(stat.st_dev));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&place, sizeof(place)) == 0 &&
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
		peer.uid == geteuid() &&
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0)
		return fd;
	closep(&fd);
	return -1;
}

int previous_new(int socket, struct previous **ret)
{
	CLEANUP(record_freep) struct record *offer = NULL;
	struct previous *previous = malloc(sizeof(*previous));

	if (!previous) {
		close(socket);
		return -ENOMEM;
	}
	*previous =
		(struct previous){.socket = socket, .beneath_fd = -1, .is_older = has_name(socket)};
	*ret = previous;
	if (receive_record(socket, OFFER_FORMAT, &offer) < 0)
		return 0;
	/* Ignores fields that a later plyfs has added. */
	uint64_t format = record_get(offer);
	(void)record_get_below(offer, INT_MAX);
	previous->beneath_fd = record_get_fd(offer);
	if (previous->beneath_fd >= 0 && !record_error(offer))
		previous->format = format;
	return 0;
}

/* The manager has the socket, too: so the descriptors are taken out of it, and closed. */
bool previous_end_mount(struct previous *previous)
{
	struct message message;
	int fds[FD_MESSAGE_FDS_MAX];
	size_t count;
	int r;

	if (previous->is_older)
		return false;
	while ((r = receive(previous->socket, &message, fds, &count)) == 0 || r == -EBADMSG)
		if (r == 0)
			descriptor_close_all(fds, count);
	return true;
}

static int send_kind(int socket, enum message_kind kind)
{
	const struct message message = {.kind = kind};

	return send_message(socket, &message, NULL, 0);
}

/* Waits until the old daemon gives the mount away. -EPIPE: it has ended, so the mount is ours. */
static int await_end_of_older(int socket)
{
	struct message message = {0};
	int fds[FD_MESSAGE_FDS_MAX];
	size_t count;
	int r = send_kind(socket, MESSAGE_READY);

	if (r == 0)
		r = receive(socket, &message, fds, &count);
	return r == 0 && message.kind != MESSAGE_GO ? -ECANCELED : r == -EPIPE ? 0 : r;
}

int previous_take(struct previous *previous, struct record **ret)
{
	CLEANUP(record_freep) struct record *record = NULL;
	int r = previous->is_older ? send_kind(previous->socket, MESSAGE_WANT) : 0;

	if (r == 0)
		r = receive_record(previous->socket, STATE_FORMAT, &record);
	if (r == 0 && previous->is_older)
		r = await_end_of_older(previous->socket);
	if (r < 0)
		return r;
	previous->is_older = false;
	*ret = take_ptr(record);
	return 0;
}
