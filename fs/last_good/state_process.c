#include "state_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "fd_message.h"
#include "helper.h"
#include "last_good_file.h"

/* Milliseconds to wait for further changes: a path that changes often is not written each time. */
#define QUIET_MS 1000

/* Milliseconds until a failed order is tried again: the disk may have been full. */
#define RETRY_MS 3000

/*
 *      IDLE ──CALL──▶ QUIET ──▶ ASKING ──PUT, REMOVE──▶ ASKING …
 *        ▲──────COMMIT────────────│  a failure ──▶ RETRYING ──▶ as if it had not failed
 */
enum phase { IDLE, QUIET, ASKING, RETRYING };

/* The directory's lock. RELEASED: it stays free until the daemon claims it again. */
enum lock_state { UNLOCKED, LOCKED, RELEASED };

struct state {
	int socket;
	int directory;
	enum phase phase;
	enum lock_state lock;
	struct state_order order; /* the order under way */
	int source;               /* the file of STATE_PUT; -1: none */
	struct state_order batch[STATE_BATCH];
	size_t count;
};

static void answer(const struct state *state, enum state_answer_kind kind, int error)
{
	const struct state_answer answer = {kind, error};

	/* If the daemon has ended, the next read reports it. */
	(void)send(state->socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

static int lock_directory(struct state *state)
{
	if (state->lock == RELEASED)
		return -EBUSY;
	if (state->lock == UNLOCKED && flock(state->directory, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	state->lock = LOCKED;
	return 0;
}

/* New files are on the disk before they replace old ones, and the names are before the answer. */
static int commit(struct state *state)
{
	int r = state->count ? last_good_file_sync(state->directory) : 0;

	for (size_t i = 0; r == 0 && i < state->count; i++)
		r = state->batch[i].kind == STATE_PUT
			    ? last_good_file_rename(state->directory, state->batch[i].number)
			    : last_good_file_remove(state->directory, state->batch[i].number);
	if (r == 0 && state->count)
		r = last_good_file_sync(state->directory);
	if (r == 0)
		state->count = 0;
	return r;
}

/* Adds the order to the batch. It replaces an earlier order for the same file. */
static int add(struct state *state)
{
	size_t i = 0;

	while (i < state->count && state->batch[i].number != state->order.number)
		i++;
	if (i == STATE_BATCH) {
		int r = commit(state);
		if (r < 0)
			return r;
		i = 0;
	}
	state->batch[i] = state->order;
	state->count += i == state->count;
	return 0;
}

static int carry_out(struct state *state)
{
	int r = lock_directory(state);

	if (r < 0)
		return r;
	if (state->order.kind == STATE_COMMIT)
		return commit(state);
	if (state->order.kind == STATE_PUT)
		r = last_good_file_write(state->directory, state->order.number, state->source);
	return r ? r : add(state);
}

static void try(struct state *state)
{
	bool is_again = state->phase == RETRYING;
	int r = carry_out(state);

	if (r < 0) {
		state->phase = RETRYING;
		if (!is_again)
			answer(state, STATE_FAILED, r);
		return;
	}
	closep(&state->source);
	bool is_end = state->order.kind == STATE_COMMIT;
	state->phase = is_end ? IDLE : ASKING;
	answer(state, is_end ? STATE_WRITTEN : STATE_NEXT, 0);
}

static void ask(struct state *state)
{
	state->phase = ASKING;
	answer(state, STATE_NEXT, 0);
}

static void release(struct state *state)
{
	(void)flock(state->directory, LOCK_UN);
	state->lock = RELEASED;
	answer(state, STATE_RELEASED, 0);
}

/* The daemon may be compromised: an order that does not fit the phase is ignored. */
static void take_order(struct state *state, const struct state_order *order, int fd)
{
	bool is_file = order->kind == STATE_PUT || order->kind == STATE_REMOVE;

	if (order->kind == STATE_RELEASE) {
		release(state);
	} else if (order->kind == STATE_CLAIM) {
		state->lock = UNLOCKED;
		(void)lock_directory(state);
	} else if (order->kind == STATE_CALL && state->phase == IDLE) {
		state->phase = QUIET;
	} else if (order->kind == STATE_HURRY && state->phase <= QUIET) {
		ask(state);
	} else if (state->phase == ASKING && (is_file || order->kind == STATE_COMMIT) &&
		   (order->kind == STATE_PUT) == (fd >= 0)) {
		state->order = *order;
		state->source = fd;
		try(state);
		return;
	}
	closep(&fd);
}

/* Serves until the daemon closes its end of the socket. */
static void serve(struct state *state)
{
	struct pollfd polled = {.fd = state->socket, .events = POLLIN};
	struct state_order order;
	int fd;

	for (;;) {
		int timeout = state->phase == QUIET      ? QUIET_MS
			      : state->phase == RETRYING ? RETRY_MS
							 : -1;
		int n = poll(&polled, 1, timeout);
		if (n == 0 && state->phase == QUIET)
			ask(state);
		else if (n == 0)
			try(state);
		if (n <= 0)
			continue;
		ssize_t size = fd_message_take(state->socket, &order, sizeof(order), &fd);
		if (size != sizeof(order))
			return;
		take_order(state, &order, fd);
	}
}

static int enter(const struct state *state, const struct sandbox_switches *switches)
{
	const struct sandbox_options options = {.process = SANDBOX_STATE, .switches = *switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;
	struct sandbox_state force;
	struct problem problem;

	int r = sandbox_prepare(&options, &sandbox, &problem);
	if (r == 0)
		r = sandbox_allow(sandbox, state->directory, SANDBOX_STORE, &problem);
	if (r == 0)
		r = sandbox_enter(sandbox, &force, &problem);
	return r == PROBLEM ? -EPERM : r;
}

__attribute__((noreturn)) static void run(
	int socket, int directory, const struct sandbox_switches *switches)
{
	static struct state state;

	state = (struct state){.directory = directory, .source = -1};
	state.socket = helper_begin(HELPER_STATE, socket, directory);
	int r = enter(&state, switches);
	answer(&state, r < 0 ? STATE_FAILED : STATE_WRITTEN, r);
	if (r == 0)
		serve(&state);
	/* Not exit(3): its handlers belong to the daemon, from before the fork. */
	_exit(0);
}

/* Waits until plyfs-state is in its sandbox. */
static int hear(int socket)
{
	struct state_answer answer;

	if (recv(socket, &answer, sizeof(answer), 0) != sizeof(answer))
		return -EPIPE;
	if (answer.kind == STATE_FAILED)
		return answer.error;
	return fcntl(socket, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int state_process_start(int directory, const struct sandbox_switches *switches, int *ret)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	int r = pid < 0 ? -errno : 0;
	if (pid == 0)
		run(ends[1], directory, switches);
	close(ends[1]);
	if (pid > 0)
		helper_began(HELPER_STATE, pid);
	if (r == 0)
		r = hear(ends[0]);
	if (r < 0)
		close(ends[0]);
	else
		*ret = ends[0];
	return r;
}
