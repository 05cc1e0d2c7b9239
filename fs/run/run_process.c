#include "run_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "guard.h"
#include "helper.h"
#include "parcel.h"
#include "sandbox.h"

/* A guard ends so soon after its answer, however busy the processors are. */
#define ANSWERED_MS 500

/* A program that runs. */
struct slot {
	pid_t guard; /* 0: none */
	uint64_t id;
	struct workspace workspace; /* the guard's to remove */
};

struct server {
	int socket;
	int signals;
	const struct settings *settings; /* in force */
	struct settings *own; /* which we have read; NULL: those of the daemon, as it began */
	struct slot slots[RUN_RELOAD][RUN_SLOTS];
};

static void answer(
	const struct server *server, uint64_t id, enum run_end end, int value, const char *what)
{
	struct run_answer answer = {.id = id, .result = {.end = end, .value = value}};

	strcpy(answer.result.output, what);
	send(server->socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/* A plyfs.yaml that can't be used changes nothing, as in the daemon. */
static void reload(struct server *server)
{
	struct settings *settings;
	struct problem problem;

	if (settings_outline(
		    &server->settings->around, server->settings->path, &settings, &problem) != 0)
		return;
	settings_unref(server->own);
	server->settings = server->own = settings;
}

/* A guard that ended without an answer was killed, or could not send it. */
static void reap(struct server *server)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	(void)!read(server->signals, &info, sizeof(info));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < RUN_RELOAD * RUN_SLOTS; i++) {
			struct slot *slot = &server->slots[i / RUN_SLOTS][i % RUN_SLOTS];

			if (slot->guard != pid)
				continue;
			slot->guard = 0;
			if (status == 0)
				continue;
			/* It has a copy of what was judged, which may be a secret. */
			workspace_remove(&slot->workspace);
			answer(server, slot->id, RUN_UNSTARTED, EINTR, "watching over it");
		}
}

/* NULL: none is free. One whose guard has answered is, in a moment. */
static struct slot *free_slot(struct server *server, enum run_kind kind)
{
	/* Each that ends makes us look again. */
	for (int try = 0; try < 4; try++) {
		for (size_t i = 0; i < RUN_SLOTS; i++)
			if (!server->slots[kind][i].guard)
				return &server->slots[kind][i];
		poll(&(struct pollfd){.fd = server->signals, .events = POLLIN}, 1, ANSWERED_MS);
		reap(server);
	}
	return NULL;
}

static void start(struct server *server, const struct run_request *request, int file)
{
	const struct program *program =
		request->kind == RUN_CHECK ? settings_check(server->settings, request->path)
					   : settings_on_change(server->settings, request->path);
	struct slot *slot = free_slot(server, request->kind);

	if (!program || !slot) {
		answer(server, request->id, program ? RUN_UNSTARTED : RUN_UNNAMED, EBUSY,
			program ? "finding room for it" : "");
		return;
	}
	slot->id = request->id;
	int r = workspace_make(&slot->workspace);
	if (r < 0) {
		answer(server, request->id, RUN_UNSTARTED, -r, "preparing it");
		return;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(server->signals);
		guard_run(program, request, file, &slot->workspace, server->socket);
	}
	if (pid < 0) {
		answer(server, request->id, RUN_UNSTARTED, errno, "starting a process");
		workspace_remove(&slot->workspace);
		return;
	}
	slot->guard = pid;
}

/* A request and the descriptor that came with it. Returns false at the end. */
static bool take_request(struct server *server)
{
	struct run_request request;
	CLEANUP(closep) int file = -1;

	ssize_t n = parcel_take(server->socket, &request, sizeof(request), &file);
	if (n <= 0)
		return false;
	if (request.kind == RUN_RELOAD) {
		reload(server);
		return true;
	}
	if ((size_t)n <= offsetof(struct run_request, path) || request.kind > RUN_RELOAD)
		return true;
	((char *)&request)[n - 1] = '\0';
	/* The kernel drops it where we may have no more. */
	if (file >= 0)
		start(server, &request, file);
	else
		answer(server, request.id, RUN_UNSTARTED, EMFILE, "taking the file that it is for");
	return true;
}

void run_process(const struct settings *settings, int socket, int kept)
{
	struct server server = {
		.settings = settings, .socket = helper_begin(HELPER_RUN, socket, kept)};
	const struct sandbox_options options = {.process = SANDBOX_RUN};
	struct sandbox *sandbox;
	struct sandbox_state state;
	struct problem problem;
	sigset_t signals;

	if (sandbox_prepare(&options, &sandbox, &problem) != 0 ||
		sandbox_enter(sandbox, &state, &problem) != 0)
		_exit(1);
	sandbox_free(sandbox);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	server.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server.signals < 0)
		_exit(1);
	for (bool is_open = true; is_open;) {
		struct pollfd polled[] = {{.fd = server.socket, .events = POLLIN},
			{.fd = server.signals, .events = POLLIN}};

		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			break;
		if (polled[1].revents)
			reap(&server);
		if (polled[0].revents)
			is_open = take_request(&server);
	}
	/* Not exit(3): what was set up before the fork is the daemon's to take down. */
	_exit(0);
}
