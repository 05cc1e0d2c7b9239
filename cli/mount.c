/* plyfs mount, also in the form in which mount(8) calls it: plyfs CONFIG MOUNTPOINT -o OPTION,… */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "background.h"
#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "handover.h"
#include "helper.h"
#include "layer_choice.h"
#include "manager.h"
#include "message.h"
#include "mount_circle.h"
#include "mount_option.h"
#include "mountpoint.h"
#include "plyfs_mount.h"
#include "probe.h"
#include "session.h"
#include "slice.h"
#include "take_over.h"
#include "text.h"

struct mount {
	struct mount_options options;
	struct layer_choice choice;
	const char *mountpoint;
	const char *question;     /* we are a trial of a program that is to take over (trial.h) */
	struct program_call call; /* of the program that takes over */
	struct inheritance inheritance; /* of the program that ran in this process before */
	struct previous *previous; /* the previous daemon's state, until it is ours; NULL: none */
	const char *found; /* the mountpoint to take over, absolute, without links; NULL: not yet */
	int stored_fd;     /* its socket with that state, or TRIAL_BENEATH_FD; -1: none */

	struct supervisor *supervisor; /* runs the layers' mirrors; NULL: there is no plyfs.yaml */
	struct background background;
	enum {
		GROUND_NOT_YET, /* goes into the background when the mount is ready */
		GROUND_FRONT,
		GROUND_BACK, /* messages go to the system's log */
	} ground;
};

/*
 * Takes the slashes and "/." at the end away, with which realpath(3) asks the mount itself: after
 * an exec no process answers there yet.
 */
static void trim(char *path)
{
	for (size_t len = strlen(path); len > 1; path[len] = '\0')
		if (path[len - 1] == '/')
			len--;
		else if (len > 2 && path[len - 1] == '.' && path[len - 2] == '/')
			len -= 2;
		else
			break;
}

/*
 * Says what the word is, LAYER:LAYER or CONFIG. In a take-over, does not look: the file may lie in
 * the mount.
 */
static void guess(struct mount *mount, const char *word)
{
	struct layer_choice guessed = {0};

	if (mount->inheritance.socket < 0)
		guessed = layer_choice_guess(word);
	else if (mount->inheritance.is_config)
		guessed.config = word;
	else
		guessed.layers = word;
	mount->choice.config = guessed.config;
	mount->choice.layers = guessed.layers;
	mount->call.is_config = guessed.config != NULL;
}

static int take_arguments(const struct command *command, int count, char **arguments,
	bool is_taking_over, struct mount *mount)
{
	bool has_config = mount->choice.config;

	if (count < 1 || (count < 2 && !has_config))
		return command_misuse(command, count < 1 && !has_config && !is_taking_over
						       ? "the layers are missing"
						       : "the mountpoint is missing");
	if (count > (has_config ? 1 : 2))
		return command_misuse(command,
			"'%s' is one too many; layers are one word: LAYER:LAYER, lowest "
			"precedence first",
			arguments[has_config ? 1 : 2]);
	/* After an exec no process answers in our mount yet. */
	if (!has_config && mount->inheritance.socket < 0 &&
		plyfs_mount_await(arguments[0]) != EXIT_DONE)
		return EXIT_FAILED;
	if (!has_config)
		guess(mount, arguments[0]);
	if (layer_choice_is_double(command, &mount->choice))
		return EXIT_WRONG_USE;
	if (mount->inheritance.socket >= 0)
		trim(arguments[count - 1]);
	mount->mountpoint = arguments[count - 1];
	return -1;
}

/* Has the daemon take over. Returns an exit code; or -1: it is of version 0.2, and we take over. */
static int ask_daemon(struct mount *mount, const char *mountpoint)
{
	if (plyfs_mount_await(mountpoint) != EXIT_DONE)
		return EXIT_FAILED;
	mount->stored_fd = previous_find_older(mountpoint);
	return mount->stored_fd < 0 ? take_over(mountpoint) : -1;
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(const struct command *command, int argc, char **argv, struct mount *mount)
{
	bool is_foreground = false, is_taking_over = false;
	const struct command_option options[] = {
		{'f', "foreground", .flag = &is_foreground},
		{'o', "options", .take = mount_options_take, .context = &mount->options},
		{'c', "config", .text = &mount->choice.config},
		LAYER_CHOICE_OTHERS_OPTIONS(&mount->choice.around),
		{0, "take-over", .flag = &is_taking_over},
		{0, TRIAL_OPTION, .text = &mount->question},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	/* libfuse prints requests to standard error, which has no reader in the background. */
	if (is_foreground || mount->options.flags.is_debugging)
		mount->ground = GROUND_FRONT;
	if (mount->options.has_norealtime)
		message("the mount option norealtime has no effect any more: plyfs has no "
			"real-time threads; remove it, or set CPUSchedulingPolicy= in the systemd "
			"unit");
	/* A daemon that has taken over from version 0.2 has the option among its words. */
	bool is_started = mount->question || mount->inheritance.socket >= 0;
	if (is_taking_over && !is_started && optind < argc)
		code = ask_daemon(mount, argv[argc - 1]);
	return code >= 0 ? code
			 : take_arguments(
				   command, argc - optind, argv + optind, is_taking_over, mount);
}

/*
 * Logs to standard error, unless no process reads it: the daemon does not wait. A pipe that poll(2)
 * reports has room for PIPE_BUF bytes.
 */
static void log_in_foreground(const char *line)
{
	static unsigned lost;
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) == 0) {
		lost++;
		return;
	}
	if (lost > 0)
		message("%u lines were not logged, as nobody read the earlier ones", lost);
	lost = 0;
	message("%.*s", PIPE_BUF / 2, line);
}

static void log_line(void *context, const char *line)
{
	struct mount *mount = context;

	if (mount->ground != GROUND_BACK)
		log_in_foreground(line);
	else
		manager_log(line);
}

static void on_ready(void *context)
{
	struct mount *mount = context;

	if (mount->ground != GROUND_FRONT) {
		mount->ground = GROUND_BACK;
		background_ready(&mount->background);
	}
	manager_say(MANAGER_READY, true);
}

static int log_problem(void *context, const struct problem *problem)
{
	char text[MESSAGE_MAX];

	problem_format(problem, text, sizeof(text));
	log_line(context, text);
	return 0;
}

/* Ends this daemon, and leaves the mount to the plyfs that the service manager will start. */
__attribute__((noreturn)) static void leave(struct mount *mount)
{
	struct problem left;

	problem_set(&left, mount->mountpoint, 0, 0,
		"the mount is left to the plyfs that is started next");
	log_problem(mount, &left);
	_exit(EXIT_DONE);
}

/* Ends after a failed take-over. If no process serves the mount any more, it is removed. */
__attribute__((noreturn)) static void fail_take_over(const struct mount *mount)
{
	if (previous_end_mount(mount->previous))
		(void)mountpoint_end(mount->found ? mount->found : mount->mountpoint, MNT_DETACH);
	_exit(EXIT_FAILED);
}

static struct session_options session_options(struct mount *mount)
{
	static const struct handover_manager manager = {manager_store, manager_ask};
	struct mount_flags flags = mount->options.flags;

	flags.is_private |= geteuid() != 0 && !mount->options.is_shared;
	return (struct session_options){
		.mountpoint = mount->mountpoint,
		.label = layer_choice_text(&mount->choice),
		.supervisor = mount->supervisor,
		.call = &mount->call,
		.tried = mount->inheritance.tried,
		.previous = mount->previous,
		.switches = mount->options.switches,
		.flags = flags,
		.manager = &manager,
		.log = log_line,
		.log_context = mount,
	};
}

static int serve(struct mount *mount, struct settings *settings)
{
	const struct session_options options = session_options(mount);
	CLEANUP(session_freep) struct session *session = NULL;
	struct problem problem;

	if (!options.flags.is_private)
		layer_choice_warn_closed(settings, mount->mountpoint, log_problem, mount);
	manager_find();
	int r = session_mount(settings, &options, &session, &problem);
	if (r == 0)
		mount->previous = NULL;
	/* The file system that the daemon was started from must stay unmountable. */
	if (r == 0 && chdir("/") < 0)
		r = -errno;
	if (r == 0)
		r = session_serve(session, on_ready, mount);
	if (r == 0)
		return EXIT_DONE;
	if (r == SESSION_LEFT)
		leave(mount);
	if (r == -ECONNABORTED)
		problem_set(&problem, mount->mountpoint, 0, 0,
			"was ended by the kernel, or by force, and is unmounted; mount again");
	else if (r != PROBLEM)
		problem_set(
			&problem, mount->mountpoint, 0, 0, "can't be mounted: %s", text_error(r));
	if (r == PROBLEM && mount->ground != GROUND_BACK)
		message_problem(&problem);
	else
		log_problem(mount, &problem);
	if (mount->previous)
		fail_take_over(mount);
	return EXIT_FAILED;
}

/* Makes a path absolute, for the status and for the next start of the daemon. */
static int make_absolute(const char *directory, const char *path, char **ret)
{
	bool is_below = *path != '/' && strcmp(directory, "/") != 0;

	return text_format(ret, "%s%s%s", is_below ? directory : "", *path == '/' ? "" : "/", path);
}

/* Layers from stores must have a state before the layers are opened. */
static int open_and_serve(struct mount *mount)
{
	const struct supervisor_options options = {.switches = mount->options.switches,
		.log = log_line,
		.say = manager_say_status,
		.context = mount};
	CLEANUP(supervisor_freep) struct supervisor *supervisor = NULL;
	struct settings *outline = NULL, *settings = NULL;

	int code =
		layer_choice_start_mirrors(&mount->choice, false, &options, &supervisor, &outline);
	if (code == EXIT_DONE)
		code = layer_choice_open(&mount->choice, outline, &settings);
	settings_unref(outline);
	if (code != EXIT_DONE)
		return EXIT_FAILED;
	if (!mount->previous && mount_circle_refuse(settings, mount->mountpoint) != EXIT_DONE) {
		settings_unref(settings);
		return EXIT_FAILED;
	}
	mount->supervisor = supervisor;
	settings_fix_header(settings, mount->options.header);
	return serve(mount, settings);
}

static int complain_of_mountpoint(const struct mount *mount, int result)
{
	return result == -ETIMEDOUT ? layer_choice_complain(NULL, mount->mountpoint, result, NULL)
				    : message_result(result, NULL, mount->mountpoint);
}

static int serve_in(struct mount *mount, const char *directory)
{
	CLEANUP(freep) char *config = NULL;
	unsigned mode = mount->options.mkdir_mode;
	int r = mode && !mount->previous ? mountpoint_make(mount->mountpoint, mode) : 0;

	if (r < 0)
		return complain_of_mountpoint(mount, r);

	if (mount->choice.config) {
		if (make_absolute(directory, mount->choice.config, &config) < 0)
			return message_result(-ENOMEM, NULL, NULL);
		mount->choice.config = config;
	}
	mount->choice.around.directory = directory;
	/* If the working directory was removed, no argument is relative: it would be refused. */
	mount->call.directory = access(directory, F_OK) == 0 ? directory : "/";
	return open_and_serve(mount);
}

/* The layers may lie beneath the mount: those are found by way of the directory that it lies on. */
static int look_beneath(
	struct mount *mount, int beneath_fd, char beneath[DESCRIPTOR_LINK_MAX], char **mountpoint)
{
	int r = probe_real_path(PROBE_MS, mount->mountpoint, mountpoint);

	if (r < 0)
		return complain_of_mountpoint(mount, r);
	descriptor_link(beneath_fd, beneath);
	mount->choice.around.mountpoint = *mountpoint;
	mount->choice.around.beneath = beneath;
	return EXIT_DONE;
}

/*
 * Serves the mount that another daemon has left. If we can't read its state, as it is of another
 * version, the mount ends, and we mount anew.
 */
static int serve_taken_over(struct mount *mount, const char *directory)
{
	CLEANUP(previous_freep) struct previous *previous = NULL;
	CLEANUP(freep) char *mountpoint = NULL;
	char beneath[DESCRIPTOR_LINK_MAX];

	int r = previous_new(mount->stored_fd, &previous);
	if (r < 0)
		return message_result(r, NULL, mount->mountpoint);
	if (!previous_can_read(previous)) {
		bool has_ended = previous_end_mount(previous);
		message("%s: its plyfs is of another version, whose state this one can't read; %s",
			mount->mountpoint,
			has_ended ? "the mount is unmounted and mounted anew"
				  : "it goes on: unmount, and mount again");
		return has_ended ? serve_in(mount, directory) : EXIT_FAILED;
	}
	mount->previous = previous;
	if (look_beneath(mount, previous_beneath(previous), beneath, &mountpoint) != EXIT_DONE)
		fail_take_over(mount);
	mount->found = mountpoint;
	int code = serve_in(mount, directory);
	if (mount->previous)
		fail_take_over(mount);
	return code;
}

/* Says whether we can take over from the daemon that asks. Another plyfs serves meanwhile. */
static int answer(struct mount *mount, const char *directory)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(freep) char *mountpoint = NULL;
	const struct session_options options = session_options(mount);
	char beneath[DESCRIPTOR_LINK_MAX];
	struct problem problem;
	struct handover_terms terms;

	if (!handover_is_answered(mount->question, &terms))
		return message("plyfs " PLYFS_VERSION " can't read the state of the running plyfs; "
			       "unmount and mount again");
	mount->choice.around.directory = directory;
	if (look_beneath(mount, TRIAL_BENEATH_FD, beneath, &mountpoint) != EXIT_DONE ||
		layer_choice_open(&mount->choice, NULL, &settings) != EXIT_DONE)
		return EXIT_FAILED;
	int r = session_try(settings, &options, &terms, &problem);
	return r ? message_result(r, &problem, mount->mountpoint) : TRIAL_YES;
}

static int begin(struct mount *mount, const char *directory)
{
	if (mount->question)
		return answer(mount, directory);
	if (mount->stored_fd < 0)
		return serve_in(mount, directory);
	/* The stored descriptor can be taken only once. */
	if (mount->inheritance.socket < 0)
		manager_drop_stored();
	return serve_taken_over(mount, directory);
}

static int run_in(struct mount *mount, const char *directory)
{
	int code = EXIT_FAILED;

	if (mount->ground == GROUND_FRONT || mount->question)
		return begin(mount, directory);
	if (mount->inheritance.socket >= 0)
		mount->ground = GROUND_BACK; /* this process is there already */
	int r = mount->ground == GROUND_BACK ? 0 : background_start(&mount->background, &code);
	if (r == BACKGROUND_PARENT)
		return code;
	if (r < 0)
		return message("can't go into the background: %s; -f stays in the foreground",
			strerror(-r));
	return begin(mount, directory);
}

static int run_daemon(struct mount *mount)
{
	CLEANUP(freep) char *directory = NULL;

	if (mount->question)
		mount->stored_fd = TRIAL_BENEATH_FD;
	else if (mount->inheritance.socket >= 0)
		mount->stored_fd = mount->inheritance.socket;
	else if (mount->stored_fd < 0)
		mount->stored_fd = manager_take_stored();
	if (background_keep_standard(mount->stored_fd) < 0)
		return message("can't open /dev/null: %s", text_error(-errno));
	directory = layer_choice_directory();
	if (!directory)
		return message_result(-errno, NULL, NULL);
	return run_in(mount, directory);
}

static int note_call(int argc, char **argv, struct program_call *ret)
{
	char path[PATH_MAX];
	char **words = calloc((size_t)argc + 3, sizeof(*words));

	if (!words)
		return -ENOMEM;
	ret->words = ++words;
	words[0] = (char *)"plyfs";
	words[1] = (char *)"mount";
	/* Copy the arguments before getopt_long() moves the options among them. */
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	getrlimit(RLIMIT_NOFILE, &ret->files);
	ret->slice_ns = slice_get();
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	ret->path = strdup(path);
	return ret->path ? 0 : -ENOMEM;
}

static void mount_fini(struct mount *mount)
{
	free(mount->call.path);
	free(mount->call.words ? mount->call.words - 1 : NULL);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(mount_fini)
	struct mount mount = {
		.background = {.pipe_fd = -1}, .inheritance = handover_inherit(), .stored_fd = -1};

	if (mount.inheritance.socket >= 0)
		helper_inherit();
	int r = note_call(argc, argv, &mount.call);
	if (r < 0)
		return message_result(r, NULL, NULL);
	int code = read_arguments(command, argc, argv, &mount);
	return code < 0 ? run_daemon(&mount) : code;
}

const struct command command_mount = {
	.name = "mount",
	.synopsis = "[-f] [-o OPTION,...] LAYER[:LAYER...] MOUNTPOINT\n"
		    "[-f] [-o OPTION,...] -c CONFIG MOUNTPOINT\n"
		    "--take-over MOUNTPOINT",
	.summary = "mount layers as one tree",
	.help = "Mounts the layers, the lowest precedence first, or those of a plyfs.yaml(5), and "
		"returns when the mount is ready; a daemon serves it. plyfs umount, or umount(8), "
		"ends it.\n"
		"\n"
		"  -c, --config CONFIG   a plyfs.yaml\n"
		"  -H, --host HOST       as on that host: replaces %H in the layers' paths\n"
		"      --machine-id ID   as on that machine: replaces %m\n"
		"      --user USER       as that user mounts it: replaces %u and %h\n"
		"      --fact NAME=VALUE with that fact: replaces %{NAME}; several times\n"
		"  -f, --foreground      stay in the foreground, with messages on standard error\n"
		"      --take-over       have the running plyfs become the program that now lies "
		"at its path, as SIGUSR2 does, and wait for that; open files and watches stay\n"
		"  -o OPTION,...         allow_other  all users may use it (default for root)\n"
		"                        private      only the user who mounts may use it\n"
		"                        noheader     merged files don't begin with a comment\n"
		"                                     that names their sources (header: they do)\n"
		"                        nosandbox    run without the sandbox; for debugging\n"
		"                                     (nolandlock, noseccomp: without that part)\n"
		"                        debug        print every request; implies -f\n"
		"                        noexec       no program in it can be executed\n"
		"                        nosymfollow  the kernel follows no links in it\n"
		"                        over_system  mount even over /, /etc, /usr and so on\n"
		"                        Most options of mount(8) are accepted, and change\n"
		"                        nothing; see plyfs(1)\n",
	.run = run,
};
