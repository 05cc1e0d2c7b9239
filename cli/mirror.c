/* plyfs mirror: keeps a directory equal to a store, as a layer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "etcd.h"
#include "git.h"
#include "manager.h"
#include "message.h"
#include "mirror_report.h"
#include "plyfs_mount.h"
#include "report_print.h"
#include "text.h"

/* The name that `ps -e` shows, however we were started. */
#define PROCESS_NAME "plyfs-mirror"

/* Defaults, in seconds. */
#define COMPARE_S 300
#define INTERVAL_S 60

struct mirror_job {
	struct mirror_options mirror;
	struct etcd_options etcd;
	struct git_options git;
};

static void log_line(void *context, const char *line)
{
	(void)context;
	message("%s", line);
}

static void notify(void *context, const char *text)
{
	(void)context;
	manager_say(text, strncmp(text, "READY", 5) == 0);
}

static int take_number(const struct command *command, const char *text, int base,
	const unsigned bounds[2], unsigned *ret)
{
	char *end;

	errno = 0;
	unsigned long number = strtoul(text, &end, base);
	if (errno || *end || *text < '0' || *text > '9' || number < bounds[0] || number > bounds[1])
		return command_misuse(command,
			base == 8 ? "'%s' is no mode; give a number from %03o to %o"
				  : "'%s' is not allowed; give a number from %u to %u",
			text, bounds[0], bounds[1]);
	*ret = (unsigned)number;
	return EXIT_DONE;
}

static int take_mode(const struct command *command, void *context, const char *text)
{
	return take_number(command, text, 8, (const unsigned[]){0400, 0777}, context);
}

static int take_percent(const struct command *command, void *context, const char *text)
{
	return take_number(command, text, 10, (const unsigned[]){0, 100}, context);
}

static int take_seconds(const struct command *command, void *context, const char *text)
{
	return take_number(command, text, 10, (const unsigned[]){1, 86400}, context);
}

/* The options of both kinds of mirror. */
#define SHARED_OPTIONS(job)                                                                        \
	{0, "state", .path = &(job)->mirror.replica.state},                                        \
		{0, "standby", .flag = &(job)->mirror.replica.stands_by},                          \
		{0, "no-sandbox", .flag = &(job)->mirror.switches.has_no_sandbox},                 \
		{0, "no-landlock", .flag = &(job)->mirror.switches.has_no_landlock},               \
		{0, "mode", .take = take_mode, .context = &(job)->mirror.mode},                    \
	{                                                                                          \
		0, "max-delete", .take = take_percent, .context = &(job)->mirror.max_delete        \
	}

/*
 * Reads the options, the URL behind them (`url` NULL: there is none), and the directory. Returns an
 * exit code, or -1: continue.
 */
static int take_all(const struct command *command, const struct command_option *options, int argc,
	char **argv, const char **url, const char **directory)
{
	int code = command_options(command, options, argc, argv);

	if (code >= 0)
		return code;
	if (url && optind == argc)
		return command_misuse(command, "the URL of the repository is missing");
	if (url)
		*url = argv[optind++];
	if (optind >= argc)
		return command_misuse(command, "the directory is missing");
	if (optind + 1 < argc)
		return command_misuse(
			command, "'%s' is one too many; give one directory", argv[optind + 1]);
	*directory = argv[optind];
	return plyfs_mount_await(*directory) == EXIT_DONE ? -1 : EXIT_FAILED;
}

/* The rights of all that is made are those of --mode, as when a mount starts the mirror. */
static void become_mirror(void)
{
	(void)prctl(PR_SET_NAME, PROCESS_NAME);
	umask(022);
}

static int run_etcd(const struct command *command, int argc, char **argv, struct mirror_job *job)
{
	struct gateway_options *gateway = &job->etcd.gateway;
	const struct command_option options[] = {
		{0, "endpoints", .text = &gateway->endpoints},
		{0, "prefix", .text = &job->etcd.prefix},
		{0, "cacert", .path = &gateway->ca},
		{0, "cert", .path = &gateway->cert},
		{0, "key", .path = &gateway->key},
		{0, "user-file", .path = &gateway->user_file},
		{0, "compare", .take = take_seconds, .context = &job->etcd.compare_s},
		SHARED_OPTIONS(job),
		{0},
	};
	struct problem problem;

	int code = take_all(command, options, argc, argv, NULL, &job->mirror.replica.directory);
	if (code >= 0)
		return code;
	if (!gateway->endpoints)
		return command_misuse(command, "--endpoints is missing; give one URL or more");
	if (!job->etcd.prefix)
		return command_misuse(command, "--prefix is missing; \"\" means all keys");
	become_mirror();
	/* etcd_mirror() returns only after a failure. */
	int r = etcd_mirror(&job->etcd, &job->mirror, &problem);
	return message_result(r, &problem, job->mirror.replica.directory);
}

static int run_git(const struct command *command, int argc, char **argv, struct mirror_job *job)
{
	const struct command_option options[] = {
		{0, "ref", .text = &job->git.ref},
		{0, "path", .text = &job->git.path},
		{0, "verify", .text = &job->git.verify},
		{0, "interval", .take = take_seconds, .context = &job->git.interval_s},
		SHARED_OPTIONS(job),
		{0},
	};
	struct problem problem;

	int code = take_all(
		command, options, argc, argv, &job->git.url, &job->mirror.replica.directory);
	if (code >= 0)
		return code;
	become_mirror();
	int r = git_mirror(&job->git, &job->mirror, &problem);
	return message_result(r, &problem, job->mirror.replica.directory);
}

/*
 * Opens STATE, which contains the target of the mirror's link. Returns a descriptor; -ENOENT: there
 * is no mirror.
 */
static int open_state(const char *directory, const char *state)
{
	if (!state)
		return mirror_report_open(directory);
	int fd = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int complain(const char *directory, int error)
{
	return message_at(directory, "%s",
		error == -ENOENT
			? "is no mirror; 'plyfs mirror etcd' and 'plyfs mirror git' make one"
			: text_error(error));
}

/* Prints "3 s", "5 min", "2 h", "9 days". */
static void print_age(double seconds)
{
	if (seconds < 0)
		seconds = 0;
	if (seconds < 120)
		printf("%.0f s", seconds);
	else if (seconds < 7200)
		printf("%.0f min", seconds / 60);
	else if (seconds < 172800)
		printf("%.0f h", seconds / 3600);
	else
		printf("%.0f days", seconds / 86400);
}

static double age_of(double then)
{
	return then > 0 ? (double)time(NULL) - then : -1;
}

static void print_times(const struct mirror_report *report)
{
	double changed = age_of(report_number(report->map, "changed"));
	double contact = age_of(report_number(report->map, "contact"));

	report_put(report->map, "  files       {#files}");
	if (changed >= 0) {
		printf(", changed ");
		print_age(changed);
		printf(" ago");
	}
	printf("\n  lag         ");
	if (mirror_report_is_connected(report))
		puts("none");
	else if (contact < 0)
		puts("the store has not answered yet");
	else {
		print_age(contact);
		puts(" since the store last answered");
	}
}

static void print_faults(const struct mirror_report *report)
{
	uint32_t count = report_count(report->faults);
	double all = report_number(report->map, "trouble_count");

	for (uint32_t i = 0; i < count; i++) {
		const struct node *fault = report->faults->seq.items[i];

		printf("  %-12s", i ? "" : "errors");
		report_put(fault, "{subject}: {message} (for ");
		print_age(age_of(report_number(fault, "since")));
		puts(")");
	}
	if (all > count)
		printf("  %-12sand %.0f more\n", "", all - count);
}

static void print_status(const char *directory, const struct mirror_report *report)
{
	const struct node *map = report->map;

	report_print(directory);
	report_put(map, ": a mirror of {kind} {source}");
	if (*report->idle)
		printf(", not kept up to date: %s\n", report->idle);
	else
		report_put(map, ", process {#pid}\n");
	report_put(map, *report_text(map, "revision") ? "  revision    {revision}\n" : "");
	report_put(map, *report_text(map, "endpoint") ? "  endpoint    {endpoint}\n" : "");
	print_times(report);
	report_print_sandbox(14, report_get(map, "sandbox"));
	print_faults(report);
}

static int read_report(const char *directory, int fd, struct mirror_report *ret)
{
	struct problem problem;
	int r = mirror_report_read(fd, directory, ret, &problem);

	if (r < 0)
		return complain(directory, r);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, directory);
}

/*
 * Prints the status. `directory` leads to the newest generation. `state` is the path given with
 * --state; NULL: the directory that contains the link's target.
 */
static int show_status(const char *directory, const char *state)
{
	CLEANUP(mirror_report_fini) struct mirror_report report = {0};
	CLEANUP(freep) char *text = NULL;
	CLEANUP(closep) int fd = open_state(directory, state);
	size_t len;

	if (fd < 0)
		return complain(directory, fd);
	if (message_is_json()) {
		int r = mirror_report_text(fd, &text, &len);
		return r < 0 ? complain(directory, r) : command_print(text, len);
	}
	int code = read_report(directory, fd, &report);
	if (code == EXIT_DONE)
		print_status(directory, &report);
	return code;
}

/* Writes a new file and renames it, so that the mirror never reads half of it. */
static int write_confirmation(int fd, const char *offer)
{
	static const char name[] = MIRROR_CONFIRM_NAME ".new";

	/* The mirror's user may have put anything there, such as a FIFO. */
	(void)unlinkat(fd, name, 0);
	CLEANUP(closep) int file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	/* The mirror's user must read it, whatever the umask. */
	int r = file < 0 || fchmod(file, 0644) < 0 ? -errno
						   : text_write(file, offer, strlen(offer));
	if (r == 0 && renameat(fd, name, fd, MIRROR_CONFIRM_NAME) < 0)
		r = -errno;
	return r;
}

/* Makes the mirror accept the state that it holds back, as that looks like an accident. */
static int confirm(const char *directory, const char *state)
{
	CLEANUP(mirror_report_fini) struct mirror_report report = {0};
	CLEANUP(closep) int fd = open_state(directory, state);

	if (fd < 0)
		return complain(directory, fd);
	int code = read_report(directory, fd, &report);
	if (code != EXIT_DONE)
		return code;
	const char *offer = report_text(report.map, "offer");
	if (!*offer)
		return message_at(
			directory, "nothing is held back, so there is nothing to confirm");
	int r = write_confirmation(fd, offer);
	if (r < 0)
		return complain(directory, r);
	/* A mirror that is not running finds the confirmation at its next start. */
	if (report.pid)
		(void)kill(report.pid, SIGHUP);
	return EXIT_DONE;
}

static int run_control(const struct command *command, int argc, char **argv, struct mirror_job *job)
{
	bool is_status = strcmp(argv[0], "status") == 0;
	const struct command_option options[] = {
		{0, "state", .path = &job->mirror.replica.state},
		{0, is_status ? "json" : NULL},
		{0},
	};
	const char *directory = NULL;

	int code = take_all(command, options, argc, argv, NULL, &directory);
	if (code >= 0)
		return code;
	return is_status ? show_status(directory, job->mirror.replica.state)
			 : confirm(directory, job->mirror.replica.state);
}

static const struct {
	const char *name;
	int (*run)(const struct command *command, int argc, char **argv, struct mirror_job *job);
} kinds[] = {
	{"etcd", run_etcd}, {"git", run_git}, {"status", run_control}, {"confirm", run_control}};

static int run(const struct command *command, int argc, char **argv)
{
	static const struct command_option none[] = {{0}};
	struct mirror_job job = {
		.mirror = {.max_delete = MIRROR_MAX_DELETE,
			.mode = 0644,
			.log = log_line,
			.notify = notify},
		.etcd = {.compare_s = COMPARE_S},
		.git = {.ref = "HEAD", .path = "", .interval_s = INTERVAL_S},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			return kinds[i].run(command, argc - 1, argv + 1, &job);
	int code = argc > 1 && argv[1][0] == '-' ? command_options(command, none, argc, argv) : -1;
	if (code >= 0)
		return code;
	const char *kind = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
	return command_misuse(command,
		"%s%s%s; give etcd or git, or for a mirror that exists status or confirm",
		kind ? "there is no kind of mirror '" : "the kind of mirror is missing",
		kind ? kind : "", kind ? "'" : "");
}

const struct command command_mirror = {
	.name = "mirror",
	.synopsis = "etcd --endpoints URL,... --prefix PREFIX [OPTION...] DIRECTORY\n"
		    "git [--ref REF] [--path PATH] [OPTION...] URL DIRECTORY\n"
		    "status [--json] [--state STATE] DIRECTORY\n"
		    "confirm [--state STATE] DIRECTORY",
	.summary = "keep a directory equal to a prefix in etcd or a git reference",
	.help = "Keeps a directory, which can be a layer, equal to the content of a store. All "
		"changes of one revision, or commit, appear at once. If the store does not answer, "
		"or its new state looks like a mishap, the last good state stays. It runs until a "
		"signal ends it; SIGHUP makes it compare with the store at once. 'confirm' accepts "
		"a state that was held back, and 'status' shows the mirror's state.\n"
		"\n"
		"For both:\n"
		"      --state STATE        the directory for the states (.DIRECTORY.mirror)\n"
		"      --standby            wait while another mirror has that STATE, and go on "
		"when it ends\n"
		"      --mode MODE          the mode of the files (0644); users who may read a "
		"file that is executable in git may also execute it\n"
		"      --max-delete NUMBER  hold back a new state that lacks more than NUMBER "
		"percent of the files (50)\n"
		"      --no-sandbox         run without the sandbox, for debugging\n"
		"      --no-landlock        run without that part of the sandbox\n"
		"\n"
		"For etcd:\n"
		"      --endpoints URL,...  the members of the cluster, http or https\n"
		"      --prefix PREFIX      the prefix of the keys; the rest of a key is the "
		"file's path\n"
		"      --cacert FILE        the authorities that signed the members' certificates\n"
		"      --cert FILE          the client's certificate\n"
		"      --key FILE           and its key\n"
		"      --user-file FILE     log in with the line NAME:PASSWORD in it\n"
		"      --compare SECONDS    compare all keys this often (300)\n"
		"\n"
		"For git:\n"
		"      --ref REF            branch, tag or other reference (HEAD)\n"
		"      --path PATH          the directory in the repository (all of it)\n"
		"      --verify FILE        accept only commits signed by this key, OpenPGP or "
		"SSH\n"
		"      --interval SECONDS   ask for new commits this often (60)\n"
		"\n"
		"For status:\n"
		"      --json               as JSON, for programs\n",
	.run = run,
};
