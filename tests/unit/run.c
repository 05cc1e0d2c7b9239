/*
 * Programs of plyfs.yaml run within their bounds: with no right, descriptor, environment or time
 * beyond those they must have. Nothing of them stays behind.
 */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"
#include "moved_clock.h"
#include "place.h"
#include "slice.h"
#include "test.h"

/* The kernel has no memory for a guard's answer. The linker sends its calls here (--wrap). */
static bool guards_are_mute;

ssize_t __real_send(int socket, const void *data, size_t size, int flags);
ssize_t __wrap_send(int socket, const void *data, size_t size, int flags);
ssize_t __wrap_send(int socket, const void *data, size_t size, int flags)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	if (!guards_are_mute || strcmp(name, "plyfs-guard") != 0)
		return __real_send(socket, data, size, flags);
	errno = ENOBUFS;
	return -1;
}

/* A guard that is stopped hears no signal but SIGKILL. The linker sends our calls here, too. */
static bool guards_are_deaf;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number)
{
	return guards_are_deaf && number == SIGCONT ? 0 : __real_kill(pid, number);
}

static int make_tree(void **state)
{
	/* A process without rights looks into it. */
	return enter_place(state) || chmod(place, 0755) < 0 || mkdir("low", 0755) < 0;
}

static struct settings *read_settings(const char *rule)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	CLEANUP(freep) char *text = NULL;

	assert_true(asprintf(&text, "layers: [low]\nrules:\n - {match: '**', %s}\n", rule) > 0);
	write_file("plyfs.yaml", text);
	/* As the process has another working directory. */
	CLEANUP(freep) char *path = realpath("plyfs.yaml", NULL);
	if (settings_read(NULL, path, &settings, &problem) != 0)
		fail_msg("%u: %s", problem.line, problem.message);
	return settings;
}

/* The runner of one rule, and a file for its program. */
static struct settings *settings;
static struct runner *runner;
static int input;

static void begin(const char *rule, const char *data)
{
	settings = read_settings(rule);
	input = runner_file(data, strlen(data));
	assert_true(input >= 0);
	assert_int_equal(runner_new(&runner), 0);
}

static void end(void)
{
	close(input);
	runner_free(runner);
	settings_unref(settings);
}

static const struct program *program_of(enum run_kind kind, const char *path)
{
	return kind == RUN_CHECK ? settings_check(settings, path)
				 : settings_on_change(settings, path);
}

static int run_check(struct run *run)
{
	return runner_run(runner, RUN_CHECK, program_of(RUN_CHECK, "x"), "x", input, run);
}

/* Runs the program of `rule` for `data` at `path`. */
static struct run_result run_at(
	enum run_kind kind, const char *rule, const char *path, const char *data)
{
	struct run_result result;

	begin(rule, data);
	runner_wait(runner, kind, program_of(kind, path), path, input, &result);
	end();
	return result;
}

static struct run_result check(const char *rule)
{
	return run_at(RUN_CHECK, rule, "dir/app.yaml", "a: 1\n");
}

/* Returns the text. Static. */
__attribute__((format(printf, 1, 2))) static const char *rule_of(const char *format, ...)
{
	static char rule[512];
	va_list arguments;

	va_start(arguments, format);
	assert_in_range(vsnprintf(rule, sizeof(rule), format, arguments), 0, sizeof(rule) - 1);
	va_end(arguments);
	return rule;
}

/* A shell that gets `script`, its $1 the file. */
static struct run_result check_by(const char *script)
{
	return check(rule_of("timeout: 30s, check: [sh, -c, \"%s\", sh, '%%f']", script));
}

static void says(const struct run_result *result, const char *output)
{
	if (result->end != RUN_EXITED)
		fail_msg("end %d, value %d: %s", result->end, result->value, result->output);
	assert_string_equal(result->output, output);
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

TEST_WITH(exit_status_decides, make_tree, leave_place)
{
	struct run_result result = check_by("exit 0");

	assert_true(run_is_good(&result));
	result = check_by("echo so bad; echo as this >&2; exit 3");
	assert_false(run_is_good(&result));
	assert_int_equal(result.end, RUN_EXITED);
	assert_int_equal(result.value, 3);
	assert_string_equal(result.output, "so bad\nas this\n");
}

TEST_WITH(file_has_the_bytes_and_the_name, make_tree, leave_place)
{
	struct run_result result = check_by("cat $1; basename $1; stat -c %%a $1 $(dirname $1)");

	says(&result, "a: 1\napp.yaml\n400\n700\n");
}

TEST_WITH(nothing_of_the_file_stays, make_tree, leave_place)
{
	struct run_result result = check_by("mkdir -p $(dirname $1)/x/y; touch $(dirname $1)/x/z; "
					    "echo $(dirname $1)");

	assert_int_equal(result.end, RUN_EXITED);
	result.output[strcspn(result.output, "\n")] = '\0';
	assert_int_equal(access(result.output, F_OK), -1);
}

TEST_WITH(environment_is_empty_but_for_path_and_lang, make_tree, leave_place)
{
	struct run_result result;

	setenv("SECRET", "x", 1);
	unsetenv("LANG");
	result = check("check: [env, '--chdir=/', env, -u, '%f']");
	says(&result, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
		      "LANG=C.UTF-8\n");
}

TEST_WITH(descriptors_are_closed, make_tree, leave_place)
{
	int fd = open("/", O_RDONLY);
	struct run_result result = check_by("for fd in /proc/self/fd/*; do echo ${fd##*/}; done");

	close(fd);
	/* 3: the shell's own, for the directory that it lists. */
	assert_true(strcmp(result.output, "0\n1\n2\n3\n") == 0 ||
		    strcmp(result.output, "0\n1\n2\n") == 0);
	result = check_by("readlink /proc/self/fd/0; pwd; umask");
	says(&result, "/dev/null\n/\n0077\n");
}

TEST_WITH(check_has_no_rights, make_tree, leave_place)
{
	struct run_result result = check_by("grep -E '^(NoNewPrivs|CapEff|SigBlk|SigIgn):' "
					    "/proc/self/status | tr -d '\\\\t\\\\n'");

	if (geteuid() != 0)
		skip();
	says(&result, "SigBlk:0000000000000000SigIgn:0000000000000000CapEff:0000000000000000"
		      "NoNewPrivs:1");
	result = check_by("id -un; id -G; stat -c %%U $1 $(dirname $1)");
	says(&result, "nobody\n65534\nnobody\nnobody\n");
	result = check("user: daemon, check: [sh, -c, 'id -un; cat $1', sh, '%f']");
	says(&result, "daemon\na: 1\n");
}

TEST_WITH(on_change_acts_for_who_mounts_unless_a_user_is_given, make_tree, leave_place)
{
	struct run_result result;

	result =
		run_at(RUN_ON_CHANGE, "on_change: [sh, -c, 'id -u; cat $1', sh, '%f']", "x", "x\n");
	char expected[64];
	snprintf(expected, sizeof(expected), "%u\nx\n", geteuid());
	says(&result, expected);
	if (geteuid() != 0)
		skip();
	result = run_at(RUN_ON_CHANGE, "user: daemon, on_change: [id, -un]", "x", "");
	says(&result, "daemon\n");
}

TEST_WITH(unknown_user_is_reported, make_tree, leave_place)
{
	struct run_result result = check("user: no-such-user, check: [cat, '%f']");
	struct problem problem;

	assert_int_equal(result.end, RUN_UNSTARTED);
	assert_string_equal(result.output, "there is no user 'no-such-user'");
	assert_int_equal(
		run_problem(&result, &(struct run_subject){"x", "check", NULL, NULL}, &problem),
		PROBLEM);
	assert_string_equal(problem.message,
		"check 'check' can't be run: there is no user 'no-such-user'; add it, or correct "
		"'user'");
}

TEST_WITH(missing_program_is_reported, make_tree, leave_place)
{
	struct run_result result = check("check: [/no/such/program, '%f']");

	assert_int_equal(result.end, RUN_UNSTARTED);
	assert_int_equal(result.value, ENOENT);
	assert_string_equal(result.output, "starting it");
}

TEST_WITH(signal_is_reported, make_tree, leave_place)
{
	struct run_result result = check_by("kill -SEGV $$");

	assert_int_equal(result.end, RUN_KILLED);
	assert_int_equal(result.value, SIGSEGV);
}

/* Whether the process whose number the shell wrote to the file still runs. */
static bool runs(const char *path)
{
	FILE *file = fopen(path, "re");
	int pid = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	assert_true(pid > 1);
	return kill(pid, 0) == 0;
}

/* Makes a file that a process without rights may write. */
static const char *pid_file(const char *name)
{
	write_file(name, "");
	assert_int_equal(chmod(name, 0666), 0);
	return name;
}

TEST_WITH(process_that_left_the_group_is_killed, make_tree, leave_place)
{
	pid_file("pid");
	const char *rule =
		rule_of("check: [sh, -c, 'setsid sh -c \"echo \\$\\$ >%s/pid; exec sleep "
			"60\" & until [ -s %s/pid ]; do sleep 0.01; done', sh, '%%f']",
			place, place);
	struct run_result result = check(rule);
	says(&result, "");
	assert_false(runs("pid"));
}

TEST_WITH(background_process_that_holds_the_output_delays_nothing, make_tree, leave_place)
{
	long long before = now_ms();
	struct run_result result = check_by("sleep 60 & echo done");

	says(&result, "done\n");
	assert_true(now_ms() - before < 30000); /* and not a minute */
}

TEST_WITH(output_is_cut_at_a_line, make_tree, leave_place)
{
	struct run_result result = check_by("yes 0123456789 | head -n 100000");

	assert_int_equal(result.end, RUN_EXITED);
	size_t len = strlen(result.output);
	assert_true(len > RUN_OUTPUT_MAX - 16 && len < RUN_OUTPUT_MAX);
	assert_int_equal((len + 1) % 11, 0);
}

TEST_WITH(message_is_one_line_that_can_be_shown, make_tree, leave_place)
{
	struct run_result result =
		check_by("printf 'a\\\\n\\\\nb\\\\033[31m\\\\0c\\\\377\\\\n'; exit 1");
	struct problem problem;

	assert_int_equal(run_problem(&result, &(struct run_subject){"x.yaml", "check", NULL, NULL},
				 &problem),
		PROBLEM);
	assert_string_equal(problem.message, "check 'check' ended with 1: a | b\\x1B[31m c\\xFF");
}

/* The result of one of several runs. */
struct told {
	struct run run; /* first */
	struct run_result result;
	volatile bool is_done;
};

static void note(struct run *run, const struct run_result *result)
{
	struct told *told = (struct told *)run;

	told->result = *result;
	told->is_done = true;
}

TEST_WITH(no_more_run_at_once_than_may, make_tree, leave_place)
{
	struct told told[RUN_SLOTS + 1] = {0};

	begin("check: [sh, -c, 'sleep 60', '%f']", "x");
	for (int i = 0; i <= RUN_SLOTS; i++) {
		told[i].run.done = note;
		assert_int_equal(run_check(&told[i].run), i < RUN_SLOTS ? 0 : -EBUSY);
	}
	assert_false(told[0].is_done);
	/* runner_stop() gives each of them a result. */
	runner_stop(runner);
	assert_true(told[0].is_done && told[1].is_done);
	assert_int_equal(told[0].result.end, RUN_GONE);
	assert_int_equal(run_check(&told[0].run), -ECANCELED);
	end();
}

static void await(const struct told *told)
{
	for (int ms = 0; ms < 20000 && !told->is_done; ms++)
		await_pause_us(1000);
	assert_true(told->is_done);
}

/* Runs the check, and moves the clock by the time that it may take when `file` has been written. */
static struct run_result check_till_late(const char *rule, const char *file)
{
	struct told told = {.run.done = note};
	struct stat written = {0};

	begin(rule, "x");
	assert_int_equal(run_check(&told.run), 0);
	for (int i = 0; i < 200000 && !written.st_size; i++) {
		await_pause_us(100);
		assert_int_equal(stat(file, &written), 0);
	}
	are_waits_real = false;
	await_pause_us(20000000);
	are_waits_real = true;
	await(&told);
	end();
	return told.result;
}

TEST_WITH(hung_command_is_killed_with_its_group, make_tree, leave_place)
{
	pid_file("pid");
	const char *rule = rule_of("timeout: 20s, check: [sh, -c, 'echo waiting; sleep 60 & "
				   "echo $! >%s/pid; wait', sh, '%%f']",
		place);
	struct run_result result = check_till_late(rule, "pid");
	assert_int_equal(result.end, RUN_TIMED_OUT);
	assert_int_equal(result.value, 20000);
	assert_string_equal(result.output, "waiting\n");
	assert_false(runs("pid"));
}

TEST_WITH(endless_output_ends_with_the_time, make_tree, leave_place)
{
	pid_file("pid");
	const char *rule = rule_of("timeout: 20s, check: [sh, -c, 'echo $$ >%s/pid; exec yes', sh, "
				   "'%%f']",
		place);
	struct run_result result = check_till_late(rule, "pid");
	assert_int_equal(result.end, RUN_TIMED_OUT);
	assert_false(runs("pid"));
}

/*
 * Reads what a command has written to the file: the process of its guard, and its working
 * directory.
 */
static void read_reports(int *guard, char workspace[128])
{
	*guard = 0;
	for (int ms = 0; ms < 20000 && !*guard; ms++) {
		char line[160] = "";
		FILE *file = fopen("told", "re");

		assert_non_null(file);
		if (fgets(line, sizeof(line), file) && strchr(line, '\n'))
			assert_int_equal(sscanf(line, "%d %127s", guard, workspace), 2);
		fclose(file);
		await_pause_us(1000);
	}
	assert_true(*guard > 1);
}

TEST_WITH(nothing_of_the_file_stays_when_the_guard_is_killed, make_tree, leave_place)
{
	struct told told = {.run.done = note};
	char workspace[128];
	int guard;

	pid_file("told");
	const char *rule =
		rule_of("check: [sh, -c, 'echo $PPID $(dirname $1) >%s/told; exec sleep 60', "
			"sh, '%%f']",
			place);
	begin(rule, "secret: 1\n");
	assert_int_equal(run_check(&told.run), 0);
	read_reports(&guard, workspace);
	assert_int_equal(access(workspace, F_OK), 0);
	assert_int_equal(kill(guard, SIGKILL), 0);
	await(&told);
	assert_int_equal(told.result.end, RUN_GONE);
	assert_int_equal(access(workspace, F_OK), -1);
	end();
}

/* Stops the guard of a check that has 20 s, and moves the clock till the guard is late. */
static struct run_result check_by_stopped_guard(void)
{
	struct told told = {.run.done = note};
	char workspace[128];
	int guard;

	pid_file("told");
	begin(rule_of("timeout: 20s, check: [sh, -c, 'echo $PPID $(dirname $1) >%s/told; "
		      "exec sleep 60', sh, '%%f']",
		      place),
		"secret: 1\n");
	assert_int_equal(run_check(&told.run), 0);
	read_reports(&guard, workspace);
	assert_int_equal(kill(guard, SIGSTOP), 0);
	are_waits_real = false;
	for (int ms = 0; ms < 60000 && !told.is_done; ms += 100)
		await_pause_us(100000);
	are_waits_real = true;
	await(&told);
	assert_int_equal(access(workspace, F_OK), -1);
	end();
	return told.result;
}

TEST_WITH(guard_that_is_stopped_is_continued_when_it_is_late, make_tree, leave_place)
{
	struct run_result result = check_by_stopped_guard();

	assert_int_equal(result.end, RUN_TIMED_OUT);
}

TEST_WITH(guard_that_hangs_is_killed_when_it_is_late, make_tree, leave_place)
{
	guards_are_deaf = true;
	struct run_result result = check_by_stopped_guard();
	guards_are_deaf = false;
	assert_int_equal(result.end, RUN_GONE);
}

TEST_WITH(guard_holds_no_descriptor_of_ours, make_tree, leave_place)
{
	struct told told = {.run.done = note};
	char workspace[128];
	int guard, ends[2];

	pid_file("told");
	begin(rule_of("check: [sh, -c, 'echo $PPID $(dirname $1) >%s/told; exec sleep 60', sh, "
		      "'%%f']",
		      place),
		"x");
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(run_check(&told.run), 0);
	close(ends[1]);
	read_reports(&guard, workspace);
	assert_int_equal(read(ends[0], workspace, 1), 0);
	close(ends[0]);
	end();
	assert_int_equal(told.result.end, RUN_GONE);
	/* runner_free() waits for it. */
	assert_int_equal(kill(guard, 0), -1);
}

TEST_WITH(limits_and_language_are_those_that_the_runner_was_made_with, make_tree, leave_place)
{
	struct run_result result;
	struct rlimit before;

	getrlimit(RLIMIT_NOFILE, &before);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){200, before.rlim_max});
	setenv("LANG", "x_Y", 1);
	begin("check: [sh, -c, 'ulimit -Sn; echo $LANG', '%f']", "x");
	descriptor_raise_limit();
	unsetenv("LANG");
	runner_wait(runner, RUN_CHECK, program_of(RUN_CHECK, "x"), "x", input, &result);
	setrlimit(RLIMIT_NOFILE, &before);
	says(&result, "200\nx_Y\n");
	end();
}

TEST_WITH(time_slice_is_the_one_that_the_runner_was_made_with, make_tree, leave_place)
{
	struct run_result result;
	uint64_t before = slice_get();
	double ns = 0;

	begin("check: [sh, -c, 'grep slice /proc/self/sched | grep -o \"[0-9]*$\"', '%f']", "x");
	slice_set(before * 2);
	bool is_set = before && slice_get() == before * 2;
	runner_wait(runner, RUN_CHECK, program_of(RUN_CHECK, "x"), "x", input, &result);
	slice_set(0);
	end();
	if (!is_set || access("/proc/self/sched", F_OK) < 0)
		skip();
	assert_int_equal(sscanf(result.output, "%lf", &ns), 1);
	assert_true(ns == (double)before);
}

/* As many as may run at once, and one more: none of them keeps its place. */
TEST_WITH(run_whose_answer_is_lost_is_reported, make_tree, leave_place)
{
	struct told told[RUN_SLOTS + 1] = {0};

	begin("check: ['true', '%f']", "x");
	guards_are_mute = true;
	for (int i = 0; i <= RUN_SLOTS; i++) {
		told[i].run.done = note;
		assert_int_equal(run_check(&told[i].run), 0);
		await(&told[i]);
		assert_int_equal(told[i].result.end, RUN_GONE);
	}
	guards_are_mute = false;
	end();
}

/* As GNU make starts its children: signal() of the C library can't undo it. */
static void ignore_the_librarys_signals(void)
{
	const uintptr_t ignored[8] = {(uintptr_t)SIG_IGN};

	(void)syscall(SYS_rt_sigaction, 32, ignored, NULL, (size_t)NSIG / 8);
	(void)syscall(SYS_rt_sigaction, 33, ignored, NULL, (size_t)NSIG / 8);
}

int main(void)
{
	ignore_the_librarys_signals();

	umask(022);
	are_waits_real = true;
	return tests_run(NULL, NULL);
}
