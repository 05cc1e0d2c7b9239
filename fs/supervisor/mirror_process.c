#include "mirror_process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "forked.h"
#include "helper.h"
#include "mirror_report.h"
#include "supervisor.h"
#include "text.h"
#include "user.h"

#define MIRROR_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define ENVIRONMENT_MAX 24

int mirror_identity_find(
	const struct store_spec *store, struct mirror_identity *ret, struct problem *problem)
{
	const char *name = store->user ? store->user : geteuid() == 0 ? SUPERVISOR_USER : NULL;
	struct passwd user;

	*ret = (struct mirror_identity){
		.uid = geteuid(), .gid = getegid(), .name = "", .home = "/"};
	int r = user_find(name, &user, &ret->text);
	if (r < 0 || (r == USER_UNKNOWN && !name))
		return r < 0 ? r : 0;
	if (r == USER_UNKNOWN)
		return problem_at(problem, store->place,
			"there is no user '%s' for the mirror to run as; make it: useradd --system "
			"%s; or "
			"give 'user'",
			name, name);
	ret->uid = user.pw_uid;
	ret->gid = user.pw_gid;
	ret->name = user.pw_name;
	ret->home = user.pw_dir;
	if (ret->uid == 0)
		return problem_at(problem, store->place,
			"a mirror must not run as root; give another 'user'");
	if (ret->uid != geteuid() && geteuid() != 0)
		return problem_at(problem, store->place,
			"only root may run a mirror as another user; leave 'user' out");
	return 0;
}

/*
 * The mirror of root is another user, whom root's umask must not keep out: of a new directory, or
 * of one of plyfs's own (`is_own`), which an earlier run of root may have made.
 */
static int make_directory(const char *path, bool is_own)
{
	bool is_new = mkdir(path, 0755) == 0;
	struct stat stat;

	if (!is_new && errno != EEXIST)
		return -errno;
	if (geteuid() != 0 || !(is_new || is_own))
		return 0;
	if (lstat(path, &stat) < 0)
		return -errno;
	bool is_closed = S_ISDIR(stat.st_mode) && stat.st_uid == 0 && (~stat.st_mode & 055);
	return is_closed && chmod(path, (stat.st_mode & 07777) | 055) < 0 ? -errno : 0;
}

/* As mkdir -p. Without `state`, the last two directories of BASE are plyfs's own. */
static int make_directories(const struct store_spec *store)
{
	CLEANUP(freep) char *path = strdup(store->base);
	bool is_default = store->system;
	int r = path ? 0 : -ENOMEM;

	for (char *slash = path; r == 0 && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		r = make_directory(path, is_default && !strchr(slash + 1, '/'));
		*slash = '/';
	}
	return r == 0 ? make_directory(path, is_default) : r;
}

/* Refuses a directory of another user, who could change the state that plyfs then serves. */
static int take_home(const struct store_spec *store, const struct mirror_identity *identity, int fd,
	struct problem *problem)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return -errno;
	if (stat.st_uid != identity->uid && stat.st_uid != geteuid())
		return problem_at(problem, store->place,
			"%s, the directory for the mirror's state, belongs to the user %u; remove "
			"it",
			store->home, (unsigned)stat.st_uid);
	mode_t mode = geteuid() == 0 ? 0755 : 0700;
	if ((stat.st_mode & 07777) != mode && fchmod(fd, mode) < 0)
		return -errno;
	if (stat.st_uid != identity->uid && fchown(fd, identity->uid, identity->gid) < 0)
		return -errno;
	return 0;
}

int mirror_process_prepare(const struct store_spec *store, const struct mirror_identity *identity,
	struct problem *problem)
{
	int r = make_directories(store);

	if (r == 0 && mkdir(store->home, 0700) < 0 && errno != EEXIST)
		r = -errno;
	CLEANUP(closep) int fd = r < 0 ? r : descriptor_open_directory(AT_FDCWD, store->home);
	if (r == 0)
		r = fd < 0 ? fd : take_home(store, identity, fd, problem);
	if (r < 0 && r != -ENOMEM)
		return problem_at(problem, store->place,
			"%s, the directory for the mirror's state, can't be made: %s; correct "
			"that, or give 'state'",
			store->home, strerror(-r));
	return r;
}

/* From here to begin(): runs in the new process, whose standard error goes to the log. */
__attribute__((noreturn)) static void fail(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
	_exit(MIRROR_NOT_STARTED);
}

__attribute__((noreturn)) static void fail_with(int result, const struct problem *problem)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

	if (result == PROBLEM)
		problem_format(problem, text, sizeof(text));
	dprintf(STDERR_FILENO, "%s\n", result == PROBLEM ? text : text_error(result));
	_exit(MIRROR_NOT_STARTED);
}

static void drop_rights(const struct mirror_identity *identity)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}};

	if (identity->uid != geteuid()) {
		/* An SSH agent is the user's own. */
		(void)unsetenv("SSH_AUTH_SOCK");
		if (initgroups(identity->name, identity->gid) < 0 ||
			setresgid(identity->gid, identity->gid, identity->gid) < 0 ||
			setresuid(identity->uid, identity->uid, identity->uid) < 0)
			fail("becoming the mirror's user");
	}
	/* A service manager may have given us ambient capabilities. */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	(void)syscall(SYS_capset, &header, none);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("setting no_new_privs");
}

/* Makes the environment: paths, names, the locale, proxies and certificates; nothing else. */
static char **make_environment(const struct mirror_identity *identity, struct arena *arena)
{
	static const char *const passed[] = {"SSH_AUTH_SOCK", "LANG", "http_proxy", "https_proxy",
		"no_proxy", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE",
		"SSL_CERT_DIR"};
	char **environment = arena_zalloc(arena, ENVIRONMENT_MAX, sizeof(*environment));
	size_t count = 0;

	if (!environment)
		return NULL;
	environment[count++] = arena_printf(arena, "PATH=%s", MIRROR_PATH);
	environment[count++] = arena_printf(arena, "HOME=%s", identity->home);
	environment[count++] = arena_printf(arena, "USER=%s", identity->name);
	environment[count++] = arena_printf(arena, "LOGNAME=%s", identity->name);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		if (getenv(passed[i]))
			environment[count++] =
				arena_printf(arena, "%s=%s", passed[i], getenv(passed[i]));
	return environment;
}

/* The arguments of begin(). */
struct new_mirror {
	const struct mirror_start *start;
	int log;
	pid_t parent;
};

__attribute__((noreturn)) static void run_program(
	const struct mirror_start *start, const struct mirror_identity *identity)
{
	const char *const *words = start->store->words;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const char *arguments[64] = {"plyfs"};
	size_t count = 1;

	char **environment = arena_new(&arena) < 0 ? NULL : make_environment(identity, arena);
	if (!environment)
		fail("making the environment");
	/* "mirror KIND", and then options. */
	for (size_t i = 0; words[i] && count + 3 < sizeof(arguments) / sizeof(*arguments); i++) {
		arguments[count++] = words[i];
		if (i == 1 && start->switches->has_no_sandbox)
			arguments[count++] = "--no-sandbox";
		if (i == 1 && start->switches->has_no_landlock)
			arguments[count++] = "--no-landlock";
	}
	(void)syscall(SYS_execveat, start->program, "", arguments, environment, AT_EMPTY_PATH);
	fail("starting plyfs mirror");
}

/* Runs in the new process, as the paths may lie on a disk that does not answer. */
static void begin(void *context)
{
	const struct new_mirror *mirror = context;
	const struct mirror_start *start = mirror->start;
	struct mirror_identity identity;
	struct problem problem;

	/* It dies with the parent already here: a disk may hold it up in the steps below. */
	if (forked_keep_only(mirror->log, (int[]){mirror->log, start->program}, 2) < 0 ||
		!forked_dies_with(mirror->parent))
		_exit(MIRROR_NOT_STARTED);
	helper_reset_signals();
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	umask(022);
	int r = mirror_identity_find(start->store, &identity, &problem);
	if (r == 0)
		r = mirror_process_prepare(start->store, &identity, &problem);
	if (r != 0)
		fail_with(r, &problem);
	drop_rights(&identity);
	/* After the change of the user, which resets it. */
	if (!forked_dies_with(mirror->parent) || chdir("/") < 0)
		_exit(MIRROR_NOT_STARTED);
	run_program(start, &identity);
}

/*
 * Makes a pipe, and forks a process that runs run(context), by coroutine_fork(). The process finds
 * the write end in *written, which must lie in `context`. Returns the pid with *ret, the
 * nonblocking read end, for close(2); or -errno.
 */
static pid_t fork_with_pipe(void (*run)(void *context), void *context, int *written, int *ret)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*written = ends[1];
	pid_t pid = coroutine_fork(run, context);
	/* Programs started by the process may hold the other end open after its end. */
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*ret = ends[0];
	return pid;
}

pid_t mirror_process_start(const struct mirror_start *start, int *log)
{
	struct new_mirror mirror = {.start = start, .parent = getpid()};

	return fork_with_pipe(begin, &mirror, &mirror.log, log);
}

/* ms between two readings. */
#define INTERVAL_MS 1000

/* The arguments of begin_reporter(). */
struct new_reporter {
	const struct settings *settings;
	const struct sandbox_switches *switches;
	int lines;
	pid_t parent;
};

/* Writes "fleet: etcd /fleet/ at 4711 from …; …". False: no layer is, or will be, a mirror's. */
static bool put_status(const struct settings *settings, FILE *out)
{
	bool has_mirror = false;

	for (size_t i = 0; i < settings->spec_count; i++) {
		const struct layer_spec *spec = &settings->specs[i];
		struct mirror_report report;

		has_mirror |= spec->store != NULL;
		if (!mirror_report_of(spec->store ? spec->store->directory : spec->path, &report))
			continue;
		fputs(ftell(out) > 0 ? "; " : "", out);
		mirror_report_put(out, spec->name, &report);
		mirror_report_fini(&report);
		has_mirror = true;
	}
	return has_mirror;
}

/* Writes the line if it differs from `last`. Returns false if no layer is a mirror's. */
static bool report(const struct new_reporter *reporter, char last[MIRROR_REPORTER_LINE])
{
	char line[MIRROR_REPORTER_LINE] = "";
	FILE *out = fmemopen(line, sizeof(line) - 1, "w");

	if (!out)
		return true;
	bool has_mirror = put_status(reporter->settings, out);
	/* A line that is too long is cut. */
	(void)fclose(out);
	for (char *at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	if (*line && strcmp(line, last) != 0) {
		dprintf(reporter->lines, "%s\n", line);
		memcpy(last, line, sizeof(line));
	}
	return has_mirror;
}

/* Runs in the new process. */
static void begin_reporter(void *context)
{
	struct new_reporter *reporter = context;
	char last[MIRROR_REPORTER_LINE] = "";
	struct sandbox_state state;
	struct problem problem;

	/* The program that started plyfs may wait until no process has its output open. */
	if (forked_keep_only(-1, &(int){reporter->lines}, 1) < 0)
		_exit(1);
	helper_reset_signals();
	prctl(PR_SET_NAME, "plyfs-report");
	/* A report is hostile input. After the sandbox, as a change of rights may reset it:
	 * forked_dies_with(). */
	if (sandbox_enter_mirror(reporter->switches, -1, NULL, &state, &problem) != 0 ||
		!forked_dies_with(reporter->parent) || chdir("/") < 0)
		_exit(1);
	while (report(reporter, last))
		poll(NULL, 0, INTERVAL_MS);
	_exit(0);
}

pid_t mirror_reporter_start(
	const struct settings *settings, const struct sandbox_switches *switches, int *lines)
{
	struct new_reporter reporter = {settings, switches, .parent = getpid()};

	return fork_with_pipe(begin_reporter, &reporter, &reporter.lines, lines);
}
