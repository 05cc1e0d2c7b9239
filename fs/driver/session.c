#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "driver.h"
#include "followed_path.h"
#include "handover.h"
#include "helper.h"
#include "last_good.h"
#include "link_watch.h"
#include "memory.h"
#include "nearby_mounts.h"
#include "reader_sandbox.h"
#include "request_loop.h"
#include "runner.h"
#include "settings.h"
#include "slice.h"
#include "supervisor.h"
#include "text.h"
#include "unanswered.h"
#include "worker.h"

/* ms to wait for the end of the connection when its mount has gone. */
#define END_MS 1000

/*
 * The daemon's time slice. Most of its work takes less. So the kernel lets it run at once, where a
 * program that uses all of the processor would otherwise go on for milliseconds.
 */
#define SLICE_NS 100000

void session_log(void *context, const char *line)
{
	struct session *session = context;

	if (session->options.log)
		session->options.log(session->options.log_context, line);
}

static void log_view_line(void *context, const char *line, const struct problem *problem)
{
	(void)problem;
	session_log(context, line);
}

static int forget_attributes(void *context, uint64_t ino)
{
	struct session *session = context;

	return connection_drop_attributes(&session->connection, ino);
}

static bool is_covered(void *context, const char *path)
{
	const struct session *session = context;

	return mountpoint_is_covered(session->mount.table_fd, session->mount.dev, path);
}

/* Prepares this process, and starts its helpers: before the mount, so they never hold /dev/fuse. */
static int start_processes(struct session *session)
{
	int r = 0;

	if (session->settings->text.path)
		r = runner_new(&session->runner);
	/* Each large file that the kernel knows needs a descriptor of the daemon. The runner has
	 * already noted the limit for its commands. */
	descriptor_raise_limit();
	sandbox_hide(&session->options.switches);
	/* Reads /etc/localtime, which the mount may hide. In a worker TZ is wiped. */
	tzset();
	slice_set(SLICE_NS);
	if (r == 0 && !session->options.flags.is_unpublished)
		r = mount_process_start(&session->publishing.process, session->mount.path,
			&session->options.switches);
	return r;
}

static int open_view(struct session *session, struct problem *problem)
{
	const struct view_callbacks callbacks = {.log = log_view_line,
		.notify = forget_attributes,
		.is_covered = is_covered,
		.use = VIEW_MOUNTED,
		.context = session};
	int r = view_new(session->settings, &callbacks, &session->view);

	if (r == -EMFILE)
		return problem_set(problem, NULL, 0, 0,
			"too many programs watch files; raise the limit: "
			"sysctl fs.inotify.max_user_instances=1024");
	if (r < 0)
		return r;
	r = view_use_workers(session->view);
	if (r < 0)
		return r;
	view_set_runner(session->view, session->runner);
	view_set_last_good(session->view, session->last_good);
	/* From here on the view holds the settings, and may replace them. */
	settings_unref(take_ptr(session->settings));
	return 0;
}

static int mount_and_offer(struct session *session, struct problem *problem)
{
	int r = own_mount_make(
		&session->mount, session->connection.fuse, &session->options, problem);

	if (r == 0 && !session->options.flags.is_unpublished)
		r = publishing_enter(&session->publishing, &session->mount);
	return r ? r : session_handover_offer(session);
}

static int take_over(struct session *session, struct problem *problem)
{
	int fuse_fd = -1;
	int r = session_handover_take_agreement(session, &fuse_fd);

	if (r == 0 && !own_mount_is_there(&session->mount))
		return problem_set(problem, session->mount.path, 0, 0,
			"is not mounted here; take it over where it was mounted: nsenter --mount");
	if (r == 0)
		r = connection_greet_again(&session->connection, fuse_fd);
	if (r == 0 && connection_has_ended(&session->connection))
		return problem_set(problem, session->mount.path, 0, 0,
			"has ended, as something that it needs waited for it: order units that "
			"read it After= plyfs, and mount again");
	if (r == 0 && !session->options.flags.is_unpublished)
		r = publishing_enter(&session->publishing, &session->mount);
	return r ? r : session_handover_offer(session);
}

static int open_keep(struct session *session, struct problem *problem)
{
	return last_good_open(
		&(struct last_good_options){.directory = session->settings->options.state,
			.switches = session->options.switches,
			.log = session_log,
			.context = session},
		&session->last_good, problem);
}

int session_try(struct settings *settings, const struct session_options *options,
	const struct handover_terms *terms, struct problem *problem)
{
	CLEANUP(last_good_freep) struct last_good *last_good = NULL;

	if (settings->options.coherence != terms->coherence)
		return session_handover_refuse_coherence(options->mountpoint, problem);
	int r = last_good_open(&(struct last_good_options){.directory = settings->options.state,
				       .switches = options->switches},
		&last_good, problem);
	return r ? r : last_good_try(last_good, terms->state, problem);
}

/* Does everything that looks up paths, before the mount: a layer may lie under it. */
static int session_init(struct session *session, struct problem *problem)
{
	char beneath[DESCRIPTOR_LINK_MAX];
	int r = own_mount_prepare(&session->mount, &session->options, problem);
	if (r != 0)
		return r;
	session->label = strdup(session->options.label);
	if (!session->label)
		return -ENOMEM;
	/* Layers that the mount is going to hide are found through what it lies on. */
	descriptor_link(session->mount.beneath_fd, beneath);
	r = settings_cover(session->settings, session->mount.path, beneath);
	if (r == 0)
		r = open_keep(session, problem);
	if (r == 0)
		r = start_processes(session);
	if (r == 0)
		r = reader_sandbox_prepare(session->settings, &session->options.switches,
			&session->sandbox_state, problem);
	if (r == 0 && session->handover.previous)
		r = previous_take(session->handover.previous, &session->handover.record);
	if (r == 0)
		r = last_good_load(session->last_good, problem);
	if (r != 0)
		return r;
	session->mount.table_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return session->mount.table_fd < 0 ? -errno : open_view(session, problem);
}

/*
 * Holds signals that end us until requests are answered: before that, the mount would stay without
 * a process that serves it.
 */
static void hold_ends(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
}

int session_mount(struct settings *settings, const struct session_options *options,
	struct session **ret, struct problem *problem)
{
	CLEANUP(session_freep) struct session *session = calloc(1, sizeof(*session));

	if (!session) {
		settings_unref(settings);
		return -ENOMEM;
	}
	session->settings = settings;
	/* An arena for a thread (aside.h) would hold memory that nothing else can use. */
	mallopt(M_ARENA_MAX, 1);
	session->options = *options;
	session->handover.previous = options->previous;
	session->mount.table_fd = session->mount.beneath_fd = session->mount.clone_fd = -1;
	session->publishing.process.socket = -1;
	session->publishing.mode = PUBLISH_NONE;
	session->helpers_fd = -1;
	session->connection.ended_fd = -1;
	session->coherence = settings->options.coherence;
	int r = session_init(session, problem);
	hold_ends();
	if (r == 0)
		r = connection_init(&session->connection, &session->options, session);
	if (r == 0)
		r = session->handover.previous ? take_over(session, problem)
					       : mount_and_offer(session, problem);
	/* The old daemon may have been compromised: its record is hostile input. */
	if (r == 0 && session->handover.previous)
		r = session_handover_take_shown(session, problem);
	/* The caller ends this process, and so the mount. */
	if (r != 0 && session->handover.previous)
		take_ptr(session);
	if (r != 0)
		return r;
	*ret = take_ptr(session);
	return 0;
}

static void end_publishing(struct session *session)
{
	publishing_end_process(&session->publishing);
	/* While the clone is open, the file system stays, even if it is unmounted. */
	closep(&session->mount.clone_fd);
}

/* Reports the mounts that came or went; no inotify event does. */
static void note_differences(struct session *session, const struct nearby_mounts *before,
	const struct nearby_mounts *now)
{
	struct view *view = session->view;

	nearby_list_each_without(&before->in_layers, &now->in_layers, view_note_event, view);
	nearby_list_each_without(&now->in_layers, &before->in_layers, view_note_event, view);
	nearby_list_each_without(&before->elsewhere, &now->elsewhere, link_watch_note_mount, view);
	nearby_list_each_without(&now->elsewhere, &before->elsewhere, link_watch_note_mount, view);
}

/* Returns whether nearby mounts have changed, or can't be read. */
static bool note_nearby_mounts(struct session *session)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);
	CLEANUP(nearby_mounts_fini) struct nearby_mounts mounts = {0};
	struct nearby_mounts *before = &session->nearby;
	/* Before the first reading nothing can be compared. */
	bool has_begun = before->digest && own_mount_is_there(&session->mount);

	(void)settings_note_remote(settings);
	int r = nearby_mounts_read(settings, session->mount.path, &mounts);
	bool is_changed = r < 0 || mounts.digest != before->digest;
	if (has_begun && r == 0)
		note_differences(session, before, &mounts);
	if (has_begun && is_changed)
		view_look_again(session->view);
	if (r == 0) {
		struct nearby_mounts old = *before;
		*before = mounts;
		mounts = old;
	}
	return is_changed;
}

/*
 * Called when something was mounted or unmounted, perhaps over plyfs.yaml or a layer, or in a
 * layer. A machine that starts containers mounts all the time, so only nearby mounts count.
 */
static bool on_mounts(void *context, struct publisher_hook *hook)
{
	struct session *session = context;

	(void)hook;
	if (nearby_mounts_are_same(&session->nearby, &session->mount))
		return false;
	/* The clone keeps the superblock alive: without the visible mount, it ends too. */
	if (!own_mount_is_there(&session->mount))
		end_publishing(session);
	/* The settings that are being read may have other paths, which on_reload() notes. */
	bool is_reading = publisher_is_reading(session->publishing.publisher);
	return note_nearby_mounts(session) || is_reading;
}

static bool on_end_of_mount_process(void *context, struct publisher_hook *hook)
{
	struct session *session = context;

	hook->fd = -1;
	session->publishing.error = EPIPE;
	publishing_end_process(&session->publishing);
	/* The clone stays: a program that takes over has a new mount process for it. */
	return false;
}

/* The publisher is about to read the settings. */
static void on_reload(void *context)
{
	struct session *session = context;

	/* The settings are read with these mounts in place. A later one is a change. */
	note_nearby_mounts(session);
	nearby_mounts_forget_paths(&session->nearby);
}

static void on_outline(void *context, struct settings *outline)
{
	struct session *session = context;

	if (session->options.supervisor)
		supervisor_use(session->options.supervisor, outline);
}

static void run_publisher(void *context)
{
	struct session *session = context;

	publisher_run(session->publishing.publisher);
	if (!session_handover_is_at_rest(&session->handover))
		mount_process_end(&session->publishing.process);
}

static int start_publisher(struct session *session)
{
	const struct publisher_options options = {
		.ops = &publishing_ops,
		.hooks = {{.fd = session->mount.table_fd, .events = POLLPRI, .handle = on_mounts},
			{.fd = session->publishing.process.socket,
				.handle = on_end_of_mount_process}},
		.reload = on_reload,
		.take_outline = on_outline,
		.context = session,
		.dev = session->mount.dev,
	};
	int r = publisher_new(session->view, &options, &session->publishing.publisher);
	if (r < 0)
		return r;
	return coroutine_new(run_publisher, session, &session->publishing.coroutine);
}

static void unmount_if_mounted(struct session *session)
{
	/* If the connection has ended, a newer mount may have the same numbers by now. */
	bool is_ours = !connection_has_ended(&session->connection) && session->mount.id &&
		       own_mount_is_there(&session->mount);

	if (fuse_session_fd(session->connection.fuse) < 0)
		return;
	/* libfuse would unmount whatever lies at the path. */
	if (session->mount.id)
		connection_close(&session->connection);
	fuse_session_unmount(session->connection.fuse);
	int r = is_ours ? own_mount_end(&session->mount) : 0;
	if (r < 0 && own_mount_is_there(&session->mount)) {
		char text[PATH_MAX + 64];
		snprintf(text, sizeof(text), "%s: can't be unmounted: %s", session->mount.path,
			text_error(r));
		session_log(session, text);
	}
}

/*
 * Unmounts, unless a user has already done so. libfuse knows that by the end of the connection,
 * which comes a moment later: without waiting for it, libfuse would print an error.
 */
static void end_mount(struct session *session)
{
	struct pollfd ended = {.fd = fuse_session_fd(session->connection.fuse)};

	if (session->handover.offer)
		handover_end(session->handover.offer);
	if (!own_mount_is_there(&session->mount))
		await_ms(&ended, 1, END_MS);
	session->connection.is_ending = true;
	unmount_if_mounted(session);
}

static void on_helpers(void *context)
{
	struct session *session = context;

	helper_take(session->helpers_fd, RENEWAL, session_log, session);
	supervisor_look(session->options.supervisor);
}

static int on_keep(void *context)
{
	struct session *session = context;

	(void)last_good_take(session->last_good);
	return last_good_fd(session->last_good);
}

/* Serves until the mount ends, or is handed over. */
static int serve(struct session *session, void (*ready)(void *context), void *context)
{
	struct request_loop_hook hook = {
		.fd = session->handover.offer ? handover_fd(session->handover.offer) : -1,
		.handle = session_handover_begin,
		.helpers_fd = session->helpers_fd,
		.take_helpers = on_helpers,
		.take_last_good = on_keep,
		.context = session,
		.begun = ready,
		.begun_context = context};

	for (;;) {
		hook.last_good_fd = last_good_fd(session->last_good);
		int r = request_loop_run(session->connection.fuse, &hook);
		hook.begun = NULL;
		/* If a signal has ended the session meanwhile, the mount is not handed over. */
		bool is_leaving = session->handover.wish == HANDOVER_LEAVE;
		if (r < 0 || !session_handover_is_at_rest(&session->handover) ||
			fuse_session_exited(session->connection.fuse))
			return r;
		r = session_handover_run(session);
		if (r > 0)
			return r;
		r = session_handover_go_on(session, r);
		if (r == 0)
			r = start_publisher(session);
		if (r == 0)
			unanswered_ask_again(&session->handover, session->connection.fuse);
		if (is_leaving)
			fuse_session_exit(session->connection.fuse);
		coroutine_mask(&session->waiting);
		if (r < 0)
			return r;
	}
}

/* Starts everything except the answering of requests. */
static int start(struct session *session)
{
	if (fuse_set_signal_handlers(session->connection.fuse) != 0)
		return -EINVAL;
	int r = session->helpers_fd = helper_watch();
	if (r >= 0)
		r = view_start(session->view);
	if (r == 0)
		r = start_publisher(session);
	if (r == 0 && session->options.supervisor)
		r = supervisor_start(session->options.supervisor);
	if (r < 0)
		fuse_remove_signal_handlers(session->connection.fuse);
	return r;
}

/* Unblocks the signals only while the daemon waits, so that the loop sees each of them. */
static void wait_for_signals(struct session *session, const sigset_t *before)
{
	session->waiting = *before;
	sigaddset(&session->waiting, SIGCHLD);
	sigdelset(&session->waiting, SIGTERM);
	sigdelset(&session->waiting, SIGINT);
	sigdelset(&session->waiting, SIGHUP);
	coroutine_mask(&session->waiting);
}

int session_serve(struct session *session, void (*ready)(void *context), void *context)
{
	bool took_over = session->handover.previous;

	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	session->handover.previous = NULL;
	/* Before the first worker is forked, which would have the pages, too. */
	memory_drop_stack();
	int r = start(session);
	alarm(0); /* handover_become() */
	if (r < 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return r;
	}
	wait_for_signals(session, &old);
	if (took_over)
		unanswered_ask_again(&session->handover, session->connection.fuse);
	else
		r = request_loop_greet(session->connection.fuse, &session->connection.hello,
			&session->connection.in_force);
	if (r == 0)
		r = serve(session, ready, context);
	if (r > 0)
		return r;

	if (r == 0 && connection_has_ended(&session->connection))
		r = own_mount_remove_aborted(&session->mount, END_MS);
	/* The steps below may wait for a helper that is stopped. */
	helper_wake();
	/* From now on no program needs to be notified of changes. */
	if (session->publishing.coroutine)
		publisher_stop(session->publishing.publisher);
	/* Before the connection ends: requests that wait for the pool get an answer. */
	view_stop(session->view);
	/* First the connection ends, so that no call of the mount process waits for an answer. */
	end_mount(session);
	mount_process_cancel(&session->publishing.process);
	coroutine_join(take_ptr(session->publishing.coroutine));
	supervisor_stop(session->options.supervisor);
	last_good_stop(session->last_good);
	fuse_remove_signal_handlers(session->connection.fuse);
	coroutine_mask(NULL);
	pthread_sigmask(SIG_SETMASK, &session->waiting, NULL);
	return r;
}

void session_freep(struct session **place)
{
	struct session *session = *place;

	if (!session)
		return;
	if (session->connection.fuse)
		unmount_if_mounted(session);
	connection_fini(&session->connection);
	publishing_fini(&session->publishing);
	session_handover_fini(&session->handover);
	closep(&session->helpers_fd);

	nearby_mounts_fini(&session->nearby);
	followed_path_cover(0, -1);
	view_freep(&session->view);
	last_good_freep(&session->last_good);
	runner_free(session->runner);
	settings_unref(session->settings);
	origins_fini(&session->origins);
	own_mount_fini(&session->mount);
	free(session->label);
	free(session);
}
