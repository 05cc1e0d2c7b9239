#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "forked.h"
#include "helper.h"
#include "run_result.h"

/* If there is no user CHILD_NOBODY. */
#define NOBODY_ID 65534

/* The usual limit of descriptors. A high one slows programs that close all possible numbers. */
#define FILES_MAX 1024

struct identity {
	const char *name; /* NULL: the process keeps its user */
	uid_t uid;
	gid_t gid;
};

__attribute__((noreturn, format(printf, 3, 4))) static void fail(
	const struct child *child, int error, const char *format, ...)
{
	struct child_report report = {.error = error};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(report.what, sizeof(report.what), format, arguments);
	va_end(arguments);
	/* If the guard can't read the report, it still sees the exit status. */
	_exit(write(child->report, &report, sizeof(report)) < 0 ? 126 : 127);
}

/* Without `user`, commands run as the user who mounts; only root's checks as CHILD_NOBODY. */
static struct identity find_identity(const struct child *child)
{
	const char *name = child->command->program->user;
	struct identity identity = {.uid = geteuid(), .gid = getegid()};

	if (!name && (geteuid() != 0 || child->command->kind != RUN_CHECK))
		return identity;
	errno = 0;
	const struct passwd *user = getpwnam(name ? name : CHILD_NOBODY);
	if (!user && name)
		fail(child, ESRCH, "there is no user '%s'", name);
	identity.uid = user ? user->pw_uid : NOBODY_ID;
	identity.gid = user ? user->pw_gid : NOBODY_ID;
	if (geteuid() == 0)
		identity.name = name ? name : CHILD_NOBODY;
	else if (identity.uid != geteuid())
		fail(child, EPERM, "becoming the user '%s'", name);
	return identity;
}

static void become(const struct child *child, const struct identity *identity)
{
	int r = 0;

	if (identity->name)
		r = child->command->program->user ? initgroups(identity->name, identity->gid)
						  : setgroups(0, NULL);
	if (identity->name &&
		(r < 0 || setresgid(identity->gid, identity->gid, identity->gid) < 0 ||
			setresuid(identity->uid, identity->uid, identity->uid) < 0))
		fail(child, errno, "becoming the user '%s'", identity->name);
	if (child->command->kind == RUN_CHECK && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail(child, errno, "setting no_new_privs");
}

static void reset_limits(const struct child *child)
{
	struct rlimit limit = child->command->origin->files;

	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	if (limit.rlim_cur > FILES_MAX)
		limit.rlim_cur = FILES_MAX;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void child_run(const struct child *child)
{
	const struct run_command *command = child->command;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	char *environment[] = {(char[]){"PATH=" CHILD_PATH}, command->origin->language, NULL};
	char *file = NULL;

	/* First of all: from now on the guard can kill the group, even if a later step hangs. */
	setpgid(0, 0);
	helper_reset_signals();
	struct identity identity = find_identity(child);
	int r = workspace_fill(
		child->workspace, command->file, command->path, identity.uid, identity.gid, &file);
	if (r < 0)
		fail(child, -r, "copying the file for it");
	char **words = arena_new(&arena) < 0 ? NULL : program_words(command->program, file, arena);
	if (!words)
		fail(child, ENOMEM, "setting up its arguments");
	reset_limits(child);
	r = forked_keep_only(child->output, (int[]){child->output, child->report}, 2);
	if (r < 0)
		fail(child, -r, "setting up its descriptors");
	become(child, &identity);
	/* After the change of the user, which takes it back. */
	if (!forked_dies_with(child->guard))
		_exit(1);
	umask(077);
	if (chdir("/") < 0)
		fail(child, errno, "going to the root directory");
	environ = environment;
	execvp(words[0], words);
	fail(child, errno, RUN_STARTING);
}
