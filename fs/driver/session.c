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
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "driver.h"
#include "followed_path.h"
#include "fuse_settings.h"
#include "handover.h"
#include "helper.h"
#include "last_good.h"
#include "link_watch.h"
#include "memory.h"
#include "mountpoint.h"
#include "nearby_mounts.h"
#include "reader_sandbox.h"
#include "remote_layers.h"
#include "request_loop.h"
#include "runner.h"
#include "session_state.h"
#include "slice.h"
#include "supervisor.h"
#include "text.h"
#include "unanswered.h"
#include "worker.h"

#define MOUNT_OPTIONS_MAX 4096

/* ms to wait for the end of the connection when its mount has gone. */
#define END_MS 1000

/* How long a take-over waits for calls made aside (aside.h). */
#define ASIDE_TRIES 40
#define ASIDE_PAUSE_US 50000

/*
 * The daemon's time slice. Most of its work takes less. So the kernel lets it run at once, where a
 * program that uses all of the processor would otherwise go on for milliseconds.
 */
#define SLICE_NS 100000

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

/*
 * The kernel enforces the modes that we show (default_permissions): without that, every user who
 * can access the mount could read everything. In an ordinary user's private mount it must be off:
 * only the user who mounts can access that mount, and our directories never have a write bit, so it
 * would only stop the publisher.
 */
static int make_fuse(struct session *session)
{
	const struct session_options *options = &session->options;
	bool is_shared = !options->is_private;
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	char text[MOUNT_OPTIONS_MAX] = "subtype=plyfs,fsname=";

	append_escaped(text, sizeof(text) - 64, session->label);
	if (is_shared)
		strcat(text, ",allow_other");
	session->has_permissions = is_shared || geteuid() == 0;
	if (session->has_permissions)
		strcat(text, ",default_permissions");
	if (options->flags.has_no_exec)
		strcat(text, ",noexec");
	if (fuse_opt_add_arg(&args, "plyfs") < 0 || fuse_opt_add_arg(&args, "-o") < 0 ||
		fuse_opt_add_arg(&args, text) < 0 ||
		(options->is_debugging && fuse_opt_add_arg(&args, "-d") < 0)) {
		fuse_opt_free_args(&args);
		return -ENOMEM;
	}
	session->fuse = fuse_session_new(&args, &ops, sizeof(ops), session);
	fuse_opt_free_args(&args);
	return session->fuse ? 0 : -EINVAL;
}

static void log_line(void *context, const char *line)
{
	struct session *session = context;

	if (session->options.log)
		session->options.log(session->options.log_context, line);
}

static void log_view_line(void *context, const char *line, const struct problem *problem)
{
	(void)problem;
	log_line(context, line);
}

static int forget_attributes(void *context, uint64_t ino)
{
	struct session *session = context;

	return session_tell(session, ino);
}

int session_tell(struct session *session, uint64_t ino)
{
	/* A negative offset: only the attributes, not the content. */
	return session->is_ending ? -ENOTCONN
				  : fuse_lowlevel_notify_inval_inode(session->fuse, ino, -1, 0);
}

static bool is_mounted(const struct session *session)
{
	return mountpoint_is_mounted(session->mounts_fd, session->mount_id, session->dev);
}

bool session_is_covered(void *context, const char *path)
{
	const struct session *session = context;

	return mountpoint_is_covered(session->mounts_fd, session->dev, path);
}

static int enter_mount_process(struct session *session)
{
	int clone_fd = session->clone_fd;

	session->publish_mode = clone_fd >= 0 ? PUBLISH_CLONE : PUBLISH_PATH;
	return mount_process_enter(&session->mount_process, session->dev, clone_fd);
}

static int mount_at(struct session *session, struct problem *problem)
{
	bool is_mounted = fuse_session_mount(session->fuse, session->mountpoint) == 0;

	if (!is_mounted && !session->options.is_private && geteuid() != 0 &&
		!fuse_settings_allow_others())
		return problem_set(problem, session->mountpoint, 0, 0,
			"can't be mounted for all users: " FUSE_SETTINGS
			" has no line 'user_allow_other'; let root add it, or leave allow_other "
			"out");
	if (!is_mounted)
		return problem_set(problem, session->mountpoint, 0, 0,
			"can't be mounted; check that /dev/fuse exists (modprobe fuse) and, for an "
			"ordinary user, that the package fuse3 is installed and the mountpoint is "
			"yours");
	int r = mountpoint_find(session->mountpoint, &session->mount_id, &session->dev);
	if (r == 0 && session->options.flags.has_no_links)
		r = mountpoint_forbid_links(session->mountpoint);
	if (r == -EPERM || r == -EINVAL || r == -ENOSYS)
		return problem_set(problem, session->mountpoint, 0, 0,
			"can't be mounted with nosymfollow: only %s can; leave it out",
			r == -EPERM ? "root" : "Linux 5.14 or newer");
	if (r < 0)
		return r;
	if (session->options.is_unpublished) {
		session->publish_mode = PUBLISH_NONE;
		return 0;
	}
	session->clone_fd = mountpoint_clone(session->mountpoint);
	return enter_mount_process(session);
}

/* Returns whether the absolute path is the directory, or lies in it. */
static bool is_in(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && (!path[length] || path[length] == '/');
}

/* Lets SIGUSR2 begin a take-over. */
static int offer_mount(struct session *session)
{
	const struct handover_options options = {.call = session->options.call,
		.beneath_fd = session->beneath_fd,
		.terms = {session->is_strict, last_good_place(session->last_good)},
		.tried = session->options.tried};

	if (!options.call)
		return 0;
	followed_path_cover(session->dev, session->beneath_fd);
	int r = handover_new(&options, &session->handover);
	if (r == 0)
		handover_lock(session->handover, session->dev);
	return r;
}

/*
 * Unmounts. MNT_FORCE: the daemon answers no more, so a program that waits for an answer must not
 * hold up the end.
 */
static int unmount(const struct session *session)
{
	struct mountpoint top;

	int r = mountpoint_take(session->mountpoint, &top);
	if (r < 0)
		return r;
	free(top.path);
	/* Another plyfs may be mounted over ours. */
	return top.dev == session->dev ? mountpoint_end(session->mountpoint, MNT_FORCE | MNT_DETACH)
				       : -EBUSY;
}

/* Prepares this process, and starts its helpers: before the mount, so they never hold /dev/fuse. */
static int start_processes(struct session *session)
{
	int r = 0;

	if (session->settings->path)
		r = runner_new(&session->runner);
	/* Each large file that the kernel knows needs a descriptor of the daemon. The runner has
	 * already noted the limit for its commands. */
	descriptor_raise_limit();
	sandbox_hide(&session->options.switches);
	/* Reads /etc/localtime, which the mount may hide. In a worker TZ is wiped. */
	tzset();
	slice_set(SLICE_NS);
	if (r == 0 && !session->options.is_unpublished)
		r = mount_process_start(
			&session->mount_process, session->mountpoint, &session->options.switches);
	return r;
}

/* Layers that the mount is going to hide will be found through the directory that it lies on. */
static int cover_settings(struct session *session)
{
	char beneath[DESCRIPTOR_LINK_MAX];

	session->beneath_fd = session->heir
				      ? fcntl(heir_beneath(session->heir), F_DUPFD_CLOEXEC, 0)
				      : open(session->mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (session->beneath_fd < 0)
		return -errno;
	descriptor_link(session->beneath_fd, beneath);
	return settings_cover(session->settings, session->mountpoint, beneath);
}

static int open_view(struct session *session, struct problem *problem)
{
	const struct view_callbacks callbacks = {.log = log_view_line,
		.tell = forget_attributes,
		.is_covered = session_is_covered,
		.takes_placeholders = true,
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
	int r = mount_at(session, problem);

	return r ? r : offer_mount(session);
}

static int find_mountpoint(struct session *session, struct problem *problem)
{
	if (!session->heir)
		return mountpoint_prepare(session->options.mountpoint,
			session->options.may_be_system, &session->mountpoint, problem);
	session->mountpoint = realpath(session->options.mountpoint, NULL);
	return session->mountpoint ? 0 : -errno;
}

static int take_over(struct session *session, struct problem *problem)
{
	int fuse_fd = -1;
	int r = session_state_take_agreement(session, &fuse_fd);

	if (r == 0 && !is_mounted(session))
		return problem_set(problem, session->mountpoint, 0, 0,
			"is not mounted here; take it over where it was mounted: nsenter --mount");
	if (r == 0)
		r = session_state_greet_again(session, fuse_fd);
	if (r == 0 && session->options.is_unpublished)
		session->publish_mode = PUBLISH_NONE;
	else if (r == 0)
		r = enter_mount_process(session);
	return r ? r : offer_mount(session);
}

static int open_keep(struct session *session, struct problem *problem)
{
	return last_good_open(&(struct last_good_options){.directory = session->settings->state,
				      .switches = session->options.switches,
				      .log = log_line,
				      .context = session},
		&session->last_good, problem);
}

int session_try(struct settings *settings, const struct session_options *options,
	const struct handover_terms *terms, struct problem *problem)
{
	CLEANUP(last_good_freep) struct last_good *last_good = NULL;

	if ((settings->coherence == COHERENCE_STRICT) != terms->is_strict)
		return session_state_refuse_coherence(options->mountpoint, problem);
	int r = last_good_open(&(struct last_good_options){.directory = settings->state,
				       .switches = options->switches},
		&last_good, problem);
	return r ? r : last_good_try(last_good, terms->state, problem);
}

/* Does everything that looks up paths, before the mount: a layer may lie under it. */
static int session_init(struct session *session, struct problem *problem)
{
	int r = find_mountpoint(session, problem);
	if (r != 0)
		return r;
	session->label = strdup(session->options.label);
	if (!session->label)
		return -ENOMEM;
	r = cover_settings(session);
	if (r == 0)
		r = open_keep(session, problem);
	if (r == 0)
		r = start_processes(session);
	if (r == 0)
		r = reader_sandbox_prepare(session->settings, &session->options.switches,
			&session->sandbox_state, problem);
	if (r == 0 && session->heir)
		r = heir_take(session->heir, &session->record);
	if (r == 0)
		r = last_good_load(session->last_good, problem);
	if (r != 0)
		return r;
	session->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return session->mounts_fd < 0 ? -errno : open_view(session, problem);
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
	/* An arena for the notifier's thread would hold memory that nothing else can use. */
	mallopt(M_ARENA_MAX, 1);
	session->options = *options;
	session->heir = options->heir;
	session->clone_fd = -1;
	session->mount_process.socket = -1;
	session->notifier.socket = -1;
	session->mounts_fd = -1;
	session->beneath_fd = -1;
	session->helpers_fd = -1;
	session->is_strict = settings->coherence == COHERENCE_STRICT;
	session->name_timeout = session->is_strict ? 0 : FOR_EVER;
	int r = session_init(session, problem);
	hold_ends();
	if (r == 0)
		r = make_fuse(session);
	if (r == 0)
		r = session->heir ? take_over(session, problem) : mount_and_offer(session, problem);
	/* The old daemon may have been compromised: its record is hostile input. */
	if (r == 0 && session->heir)
		r = session_state_take_shown(session, problem);
	/* The caller ends this process, and so the mount. */
	if (r != 0 && session->heir)
		take_ptr(session);
	if (r != 0)
		return r;
	*ret = take_ptr(session);
	return 0;
}

static void end_publishing(struct session *session)
{
	mount_process_end(&session->mount_process);
	session->publish_mode = PUBLISH_NONE;
	closep(&session->clone_fd);
	session->clone_fd = -1;
}

static void note_mount(void *context, const char *path)
{
	view_note_event(context, path);
}

static void note_mount_elsewhere(void *context, const char *path)
{
	link_watch_note_mount(context, path);
}

/* Reports the mounts that came or went; no inotify event does. */
static void note_differences(struct session *session, const struct nearby_mounts *before,
	const struct nearby_mounts *now)
{
	struct view *view = session->view;

	nearby_list_each_without(&before->in_layers, &now->in_layers, note_mount, view);
	nearby_list_each_without(&now->in_layers, &before->in_layers, note_mount, view);
	nearby_list_each_without(&before->elsewhere, &now->elsewhere, note_mount_elsewhere, view);
	nearby_list_each_without(&now->elsewhere, &before->elsewhere, note_mount_elsewhere, view);
}

/* Returns whether nearby mounts have changed, or can't be read. */
static bool note_nearby_mounts(struct session *session)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);
	CLEANUP(nearby_mounts_fini) struct nearby_mounts mounts = {0};
	struct nearby_mounts *before = &session->nearby;
	/* Before the first reading nothing can be compared. */
	bool has_begun = before->digest && is_mounted(session);

	(void)settings_note_remote(settings);
	int r = nearby_mounts_read(settings, session->mountpoint, &mounts);
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
	const struct own_mount own = {session->mount_id, session->dev};

	(void)hook;
	if (nearby_mounts_are_same(&session->nearby, session->mounts_fd, &own))
		return false;
	/* The clone keeps the superblock alive: without the visible mount, it ends too. */
	if (!is_mounted(session))
		end_publishing(session);
	return note_nearby_mounts(session);
}

static bool on_end_of_mount_process(void *context, struct publisher_hook *hook)
{
	struct session *session = context;

	hook->fd = -1;
	session->publish_error = EPIPE;
	mount_process_end(&session->mount_process);
	session->publish_mode = PUBLISH_NONE;
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

	publisher_run(session->publisher);
	if (!session->is_at_rest)
		mount_process_end(&session->mount_process);
}

static int start_publisher(struct session *session)
{
	const struct publisher_options options = {
		.ops = &publish_ops,
		.hooks = {{session->mounts_fd, POLLPRI, on_mounts},
			{session->mount_process.socket, 0, on_end_of_mount_process}},
		.reload = on_reload,
		.take_outline = on_outline,
		.context = session,
		.dev = session->dev,
	};
	int r = publisher_new(session->view, &options, &session->publisher);
	if (r < 0)
		return r;
	return coroutine_new(run_publisher, session, &session->publishing);
}

/*
 * Closes /dev/fuse, which ends the connection. In its place is a pipe without a reader: libfuse
 * takes it for a connection that has ended, and does not unmount.
 */
static void end_connection(struct session *session)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	close(ends[0]);
	dup3(ends[1], fuse_session_fd(session->fuse), O_CLOEXEC);
	close(ends[1]);
}

/* False if the connection has ended: a newer mount may have the same numbers by now. */
static bool has_mount(const struct session *session)
{
	struct pollfd ended = {.fd = fuse_session_fd(session->fuse)};

	if (poll(&ended, 1, 0) > 0 && (ended.revents & POLLERR))
		return false;
	return session->mount_id && is_mounted(session);
}

static void unmount_if_mounted(struct session *session)
{
	bool is_ours = has_mount(session);

	if (fuse_session_fd(session->fuse) < 0)
		return;
	if (is_ours)
		end_connection(session);
	fuse_session_unmount(session->fuse);
	int r = is_ours ? unmount(session) : 0;
	if (r < 0 && is_mounted(session)) {
		char text[PATH_MAX + 64];
		snprintf(text, sizeof(text), "%s: can't be unmounted: %s", session->mountpoint,
			text_error(r));
		log_line(session, text);
	}
}

/*
 * Unmounts, unless a user has already done so. libfuse knows that by the end of the connection,
 * which comes a moment later: without waiting for it, libfuse would print an error.
 */
static void end_mount(struct session *session)
{
	struct pollfd ended = {.fd = fuse_session_fd(session->fuse)};

	if (session->handover)
		handover_end(session->handover);
	if (!is_mounted(session))
		await_ms(&ended, 1, END_MS);
	session->is_ending = true;
	unmount_if_mounted(session);
}

/* Stops the publisher. Meanwhile requests are answered, as the publisher may wait for them. */
static bool come_to_rest(struct session *session)
{
	if (!session->hello.len)
		return false;
	/* The publisher may wait for a process that was stopped. */
	helper_wake();
	session->is_at_rest = true;
	publisher_stop(session->publisher);
	coroutine_join(take_ptr(session->publishing));
	return true;
}

/* Returns whether programs can start while no process serves the mount. */
static bool can_be_left(const struct session *session)
{
	return session->hello.len && !mountpoint_is_for_programs(session->mountpoint);
}

/* An exec waits for all threads, and a thread may wait for a layer that does not answer. */
static bool has_threads(void)
{
	for (int i = 0; i < ASIDE_TRIES && aside_is_running(); i++)
		await_pause_us(ASIDE_PAUSE_US);
	return aside_is_running();
}

static void log_failure(struct session *session, const char *error)
{
	char line[TRIAL_TEXT_MAX + 128];

	snprintf(line, sizeof(line), "the mount was not taken over (%s): it is served as before",
		error);
	log_line(session, line);
}

/* Returns why the new program must not be run now; NULL: it can. */
static const char *obstacle(const struct session *session)
{
	if (!can_be_left(session))
		return "the mountpoint lies on, above or below what programs need to start; "
		       "unmount and mount again";
	if (!session->has_permissions &&
		is_in(session->options.call->directory, session->mountpoint))
		return "plyfs was started in the mountpoint; unmount, and mount from another "
		       "directory";
	return has_threads() ? "a layer does not answer; try again when it does" : NULL;
}

static bool on_handover(void *context)
{
	struct session *session = context;

	int wish = handover_take(session->handover);
	const char *error = wish == HANDOVER_WANTED ? obstacle(session) : NULL;

	if (error)
		handover_fail(session->handover, error);
	else if (wish == HANDOVER_FAILED)
		handover_tried(session->handover, &error);
	if (error)
		log_failure(session, error);
	if (error)
		return false;
	if (wish == HANDOVER_LEAVE && (!session->options.store || !can_be_left(session)))
		wish = HANDOVER_END;
	if (wish == HANDOVER_END)
		fuse_session_exit(session->fuse);
	if (wish != HANDOVER_WANTED && wish != HANDOVER_LEAVE)
		return false;
	/* A signal that asks for the end stays pending until a program serves again. */
	coroutine_mask(NULL);
	if (!come_to_rest(session)) {
		coroutine_mask(&session->waiting);
		return false;
	}
	session->wish = wish;
	return true;
}

/*
 * Hands the mount over, while no request is under way. Does not return if the exec succeeds.
 * Returns SESSION_LEFT: the manager has the mount; or -errno: this process must go on.
 */
static int hand_over(struct session *session)
{
	CLEANUP(record_freep) struct record *record = NULL;
	int r = record_new(STATE_FORMAT, &record);

	view_pause(session->view);
	/* Otherwise the new program's plyfs-state could not lock the directory. */
	if (!last_good_pause(session->last_good) && r == 0)
		r = -ETIMEDOUT;
	/* An exec waits for all threads. */
	if (r == 0 && session->wish == HANDOVER_WANTED && has_threads())
		r = -ETIMEDOUT;
	if (r < 0)
		return r;
	session_state_put(session, record);
	if (session->wish == HANDOVER_WANTED) {
		/* They would stay children of this process, which then starts others. */
		supervisor_kill(session->options.supervisor);
		return handover_become(session->handover, record);
	}
	r = handover_leave(
		session->handover, record, session->options.store, session->options.store_context);
	return r ? r : SESSION_LEFT;
}

/* The take-over has failed: everything goes on, and dropped requests are repeated. */
static int go_on(struct session *session, int error)
{
	char line[256];

	if (session->wish == HANDOVER_WANTED) {
		const char *text =
			error == -ESTALE ? "the program was replaced meanwhile" : text_error(error);
		handover_fail(session->handover, text);
		log_failure(session, text);
	} else {
		snprintf(line, sizeof(line),
			"the service manager does not keep the mount (%s): it is unmounted; set "
			"FileDescriptorStoreMax=1 in its unit to keep it",
			strerror(-error));
		log_line(session, line);
	}
	publisher_free(take_ptr(session->publisher));
	last_good_resume(session->last_good);
	int r = view_resume(session->view);
	session->is_at_rest = false;
	if (r == 0)
		r = start_publisher(session);
	if (r == 0)
		unanswered_ask_again(session);
	return r;
}

static void on_helpers(void *context)
{
	struct session *session = context;

	helper_take(session->helpers_fd, RENEWAL, log_line, session);
}

static bool on_keep(void *context)
{
	struct session *session = context;

	return last_good_take(session->last_good);
}

/* Serves until the mount ends, or is handed over. */
static int serve(struct session *session, void (*ready)(void *context), void *context)
{
	struct request_loop_hook hook = {
		.fd = session->handover ? handover_fd(session->handover) : -1,
		.handle = on_handover,
		.helpers_fd = session->helpers_fd,
		.take_helpers = on_helpers,
		.take_last_good = on_keep,
		.context = session,
		.begun = ready,
		.begun_context = context};

	for (;;) {
		hook.last_good_fd = last_good_fd(session->last_good);
		int r = request_loop_run(session->fuse, &hook);
		hook.begun = NULL;
		/* If a signal has ended the session meanwhile, the mount is not handed over. */
		if (r < 0 || !session->wish || fuse_session_exited(session->fuse))
			return r;
		r = hand_over(session);
		if (r > 0)
			return r;
		r = go_on(session, r);
		if (session->wish == HANDOVER_LEAVE)
			fuse_session_exit(session->fuse);
		session->wish = HANDOVER_NOTHING;
		coroutine_mask(&session->waiting);
		if (r < 0)
			return r;
	}
}

/* Starts everything except the answering of requests. */
static int start(struct session *session)
{
	if (fuse_set_signal_handlers(session->fuse) != 0)
		return -EINVAL;
	int r = session->helpers_fd = helper_watch();
	if (r >= 0)
		r = view_start(session->view);
	if (r == 0)
		r = start_publisher(session);
	if (r == 0 && session->options.supervisor)
		r = supervisor_start(session->options.supervisor);
	if (r < 0)
		fuse_remove_signal_handlers(session->fuse);
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
	bool is_heir = session->heir;

	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	session->heir = NULL;
	/* Before the first worker is forked, which would have the pages, too. */
	memory_drop_stack();
	int r = start(session);
	alarm(0); /* handover_become() */
	if (r < 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return r;
	}
	wait_for_signals(session, &old);
	if (is_heir)
		unanswered_ask_again(session);
	else
		r = request_loop_greet(session->fuse, &session->hello, &session->is_parallel);
	if (r == 0)
		r = serve(session, ready, context);
	if (r > 0)
		return r;

	/* The steps below may wait for a helper that is stopped. */
	helper_wake();
	/* From now on no program needs to be notified of changes. */
	if (session->publishing)
		publisher_stop(session->publisher);
	/* Before the connection ends: requests that wait for the pool get an answer. */
	view_stop(session->view);
	/* First the connection ends, so that no call of the mount process waits for an answer. */
	end_mount(session);
	mount_process_cancel(&session->mount_process);
	notifier_cancel(&session->notifier);
	coroutine_join(take_ptr(session->publishing));
	supervisor_stop(session->options.supervisor);
	last_good_stop(session->last_good);
	fuse_remove_signal_handlers(session->fuse);
	coroutine_mask(NULL);
	pthread_sigmask(SIG_SETMASK, &session->waiting, NULL);
	return r;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	if (session->fuse) {
		unmount_if_mounted(session);
		/* Its thread uses the session. */
		notifier_fini(&session->notifier);
		fuse_session_destroy(session->fuse);
	}
	mount_process_fini(&session->mount_process);
	handover_free(session->handover);
	record_free(session->record);
	closep(&session->clone_fd);
	closep(&session->helpers_fd);
	free((char *)(uintptr_t)session->hello.data);
	unanswered_free(session);
	nearby_mounts_fini(&session->nearby);
	if (session->mounts_fd >= 0)
		close(session->mounts_fd);
	followed_path_cover(0, -1);
	if (session->beneath_fd >= 0)
		close(session->beneath_fd);
	publisher_free(session->publisher);
	view_free(session->view);
	last_good_free(session->last_good);
	runner_free(session->runner);
	settings_unref(session->settings);
	origins_free(session);
	free(session->mountpoint);
	free(session->label);
	free(session);
}

void session_freep(struct session **session)
{
	session_free(*session);
}
