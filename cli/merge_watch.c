#include "merge_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "descriptor.h"
#include "file_watch.h"
#include "message.h"

/* The output so far, on standard output and standard error. */
struct shown {
	char *text; /* the last result; NULL: there is none yet */
	size_t len;
	bool has_failed;
	struct problem problem; /* has_failed: the last problem that was reported */
};

/* A signal arrived during a merge. */
static atomic_bool is_cancelled;

static void cancel(int signal)
{
	(void)signal;
	atomic_store(&is_cancelled, true);
}

static sigset_t signals_to_end(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/*
 * Makes SIGINT and SIGTERM readable from a descriptor. They do nothing else, except during a merge.
 * Returns the descriptor or -errno.
 */
static int open_signals(void)
{
	const struct sigaction action = {.sa_handler = cancel};
	sigset_t set = signals_to_end();

	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGINT, &action, NULL) < 0 ||
		sigaction(SIGTERM, &action, NULL) < 0)
		return -errno;
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/*
 * Writes the separator between two results, which makes a stream of documents if the format needs
 * one.
 */
static int write_separator(const struct merge_job *job, const struct shown *shown)
{
	bool has_newline = shown->len == 0 || shown->text[shown->len - 1] == '\n';
	char line[64], when[16];
	time_t now = time(NULL);
	struct tm local;

	if (isatty(STDOUT_FILENO)) {
		bool is_coloured = colour_use(STDOUT_FILENO);
		localtime_r(&now, &local);
		strftime(when, sizeof(when), "%H:%M:%S", &local);
		snprintf(line, sizeof(line), "%s%s--- # %s%s\n", has_newline ? "" : "\n",
			is_coloured ? COLOUR_DIM : "", when, is_coloured ? COLOUR_NORMAL : "");
	} else {
		const char *divider = merge_job_format(job)->divider;
		snprintf(line, sizeof(line), "%s%s", *divider && !has_newline ? "\n" : "", divider);
	}
	return command_print(line, strlen(line));
}

static int write_result(const struct merge_job *job, const struct shown *shown, bool ends_with_nul)
{
	struct span text = job->result->text;
	int code = EXIT_DONE;

	if (shown->text && !ends_with_nul)
		code = write_separator(job, shown);
	return code == EXIT_DONE ? command_print(text.data, text.len + ends_with_nul) : code;
}

static int show_result(const struct merge_job *job, struct shown *shown, bool ends_with_nul)
{
	struct span text = job->result->text;
	bool is_same = shown->text && shown->len == text.len &&
		       memcmp(shown->text, text.data, text.len) == 0;

	if (is_same && shown->has_failed)
		message("merges again, with the same result as before");
	shown->has_failed = false;
	if (is_same)
		return EXIT_DONE;
	int code = write_result(job, shown, ends_with_nul);
	if (code != EXIT_DONE)
		return code;
	char *copy = span_dup(text);
	if (!copy)
		return merge_job_complain(job, -ENOMEM, NULL);
	free(shown->text);
	shown->text = copy;
	shown->len = text.len;
	return EXIT_DONE;
}

/* Reports a problem, but not twice in a row. */
static void show_problem(
	const struct merge_job *job, struct shown *shown, int result, const struct problem *problem)
{
	if (result == PROBLEM && shown->has_failed && problem_equal(&shown->problem, problem))
		return;
	merge_job_complain(job, result, problem);
	shown->has_failed = true;
	shown->problem = result == PROBLEM ? *problem : (struct problem){0};
}

/* Watches the files, and the directories and files of the strategy's searches so far. */
static int watch_all(const struct merge_job *job, struct file_watch **ret)
{
	CLEANUP(file_watch_freep) struct file_watch *watch = NULL;

	int r = file_watch_new(&watch);
	for (char **file = job->files; r == 0 && *file; file++)
		r = file_watch_add(watch, input_file(*file));
	if (r == 0 && job->schema)
		r = file_watch_add(watch, job->schema);
	for (size_t i = 0; r == 0 && i < job->schema_ref_count; i++)
		r = file_watch_add(watch, job->schema_refs[i]);
	for (uint32_t i = 0; r == 0 && job->schemas && i < job->schemas->schema_count; i++)
		r = file_watch_add(watch, job->schemas->schemas[i]->path);
	if (r == 0)
		r = data_search_watch(&job->search, watch);
	if (r == 0)
		*ret = take_ptr(watch);
	return r;
}

static int merge_until_signal(struct merge_job *job, struct problem *problem)
{
	sigset_t set = signals_to_end();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
	int r = merge_job_run(job, problem);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return r;
}

static size_t count_schemas(const struct merge_job *job)
{
	return job->schemas ? job->schemas->schema_count : 0;
}

/* Watches before reading, so that no change is missed. Returns an exit code. */
static int merge_once(
	struct merge_job *job, struct shown *shown, bool ends_with_nul, struct file_watch **ret)
{
	struct problem problem;
	size_t searched, schemas;
	int r, result;

	do {
		file_watch_freep(ret);
		*ret = NULL;
		searched = data_search_count(&job->search);
		schemas = count_schemas(job);
		r = watch_all(job, ret);
		if (r < 0)
			return merge_job_complain(job, r, NULL);
		result = merge_until_signal(job, &problem);
		/*
		 * If it has searched in directories, or read schemas, that were not watched, it
		 * must repeat the merge.
		 */
	} while (data_search_count(&job->search) > searched || count_schemas(job) > schemas);
	if (atomic_load(&is_cancelled))
		return EXIT_DONE;
	if (result == 0)
		return show_result(job, shown, ends_with_nul);
	show_problem(job, shown, result, &problem);
	return EXIT_DONE;
}

int merge_watch(struct merge_job *job, bool ends_with_nul)
{
	CLEANUP(file_watch_freep) struct file_watch *watch = NULL;
	CLEANUP(closep) int signals = open_signals();
	struct shown shown = {0};
	int code;

	job->is_cancelled = &is_cancelled;
	if (signals < 0)
		return merge_job_complain(job, signals, NULL);
	do
		code = merge_once(job, &shown, ends_with_nul, &watch);
	while (code == EXIT_DONE && !atomic_load(&is_cancelled) &&
		file_watch_wait(watch, (int[]){signals, STDOUT_FILENO}) == FILE_WATCH_CHANGED);
	free(shown.text);
	return code;
}
