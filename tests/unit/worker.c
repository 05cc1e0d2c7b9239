/*
 * A worker composes the same version as the daemon would, and no message of a worker does the
 * daemon any harm.
 */
#include "worker.h"

#include <assert.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bytes.h"
#include "clock.h"
#include "compose_task.h"
#include "coroutine.h"
#include "descriptor.h"
#include "failed_job.h"
#include "forged_record.h"
#include "line_map.h"
#include "pool.h"
#include "view_fixture.h"
#include "worker_dialogue.h"
#include "worker_message.h"
#include "worker_process.h"

static struct settings *settings;
static struct composer composer;
static struct workers *workers;
static struct problem problem;

/* Whether jobs that hang go on. Shared with the workers. */
static volatile bool *are_released;

__attribute__((constructor)) static void share_release(void)
{
	are_released = mmap(NULL, sizeof(*are_released), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(are_released != MAP_FAILED);
}

static int set_up_workers(void **state)
{
	if (set_up(state) < 0)
		return -1;
	write_file("a/app.yaml", "x: 1\ny: [1, 2]\n");
	write_file("b/app.yaml", "x: 2\n");
	settings = settings_with("a:b:c");
	composer = (struct composer){.settings = settings, .mounter = {geteuid(), getegid()}};
	problem = (struct problem){.message = ""};
	return source_cache_new(1 << 20, true, &composer.cache) || workers_new(-1, &workers);
}

static int tear_down_workers(void **state)
{
	workers_free(workers);
	source_cache_free(composer.cache);
	settings_unref(settings);
	return tear_down(state);
}

#define WORKER_TEST(name) TEST_WITH(name, set_up_workers, tear_down_workers)

/* As the view does it. `by`: NULL: in this process. */
static int make(struct workers *by, struct version **ret)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	struct path_list asked = {0};

	*ret = NULL;
	assert_non_null(lookup);
	assert_int_equal(
		union_look_up(settings, union_all_layers(settings), "app.yaml", lookup), 0);
	int r = by ? compose_by(by, &composer, "app.yaml", lookup, &asked, ret, &problem)
		   : compose(&composer, "app.yaml", lookup, &asked, ret, &problem);
	path_list_fini(&asked);
	return r;
}

/* Makes a source with a map of `count` keys, and two more copies of it as aliases. */
static void write_large(const char *path, unsigned count)
{
	CLEANUP(freep) char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fputs("map: &map\n", file);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "  key%u: %u\n", i, i);
	fputs("copy: *map\nanother: *map\n", file);
	fclose(file);
	write_file(path, text);
}

/* The answer is mostly the version, which keeps the answer's mapping, and lives longer. */
WORKER_TEST(a_large_version_is_what_one_process_would_make)
{
	struct version *here, *there;

	write_large("a/app.yaml", 50000);
	assert_int_equal(make(NULL, &here), 0);
	assert_int_equal(make(workers, &there), 0);
	assert_non_null(there->map.data);
	assert_true(version_same(here, there));
	version_unref(here);
	version_unref(there);
}

WORKER_TEST(a_large_job_leaves_the_first_worker_to_small_ones)
{
	struct worker_counts counts;
	struct version *version;

	write_large("a/app.yaml", 30000);
	assert_int_equal(make(workers, &version), 0);
	version_unref(version);
	workers_count(workers, &counts);
	assert_int_equal(counts.running, 1);
	write_file("a/app.yaml", "x: 1\n");
	assert_int_equal(make(workers, &version), 0);
	version_unref(version);
	workers_count(workers, &counts);
	assert_int_equal(counts.running, 2);
}

WORKER_TEST(a_worker_composes_what_one_process_would)
{
	struct worker_counts counts;
	struct version *here, *there;

	assert_int_equal(make(NULL, &here), 0);
	assert_int_equal(make(workers, &there), 0);
	assert_true(version_same(here, there));
	assert_string_equal(here->sources, there->sources);
	assert_string_equal(here->layers, there->layers);
	assert_string_equal(here->strategy, there->strategy);
	assert_int_equal(here->stamp_count, there->stamp_count);
	assert_memory_equal(here->stamps, there->stamps, 2 * sizeof(*here->stamps));
	workers_count(workers, &counts);
	assert_int_equal(counts.running, 1);
	assert_int_equal(counts.failed, 0);
	version_unref(here);
	version_unref(there);
}

WORKER_TEST(a_problem_comes_with_its_place)
{
	struct version *version;

	write_file("b/app.yaml", "x: [\n");
	assert_int_equal(make(workers, &version), PROBLEM);
	assert_non_null(strstr(problem.source, "b/app.yaml"));
	assert_int_equal(problem.line, 1);
	assert_int_equal(problem.column, 4);
}

WORKER_TEST(lines_are_mapped_if_the_text_is_still_that)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(line_map_freep) struct line_map *lines = NULL;
	struct line_place found;
	struct version *version;

	assert_int_equal(make(workers, &version), 0);
	assert_int_equal(
		union_look_up(settings, union_all_layers(settings), "app.yaml", lookup), 0);
	assert_int_equal(map_lines_by(workers, &composer, "app.yaml", lookup, version, &lines), 0);
	assert_true(line_map_find(lines, 2, 1, &found));
	assert_non_null(strstr(found.source, "a/app.yaml"));
	assert_int_equal(found.line, 2);
	line_map_freep(&lines);
	lines = NULL;
	version->data[0] = 'z';
	assert_int_equal(map_lines_by(workers, &composer, "app.yaml", lookup, version, &lines), 0);
	assert_null(lines);
	version_unref(version);
}

/* Tasks of hostile workers. */

static int ends(const struct composer *own, struct record *job, struct record *answer)
{
	(void)own;
	(void)job;
	(void)answer;
	_exit(9);
}

/* As a listing whose every name takes a request over a slow network: it uses no processor. */
static int waits_often(const struct composer *own, struct record *job, struct record *answer)
{
	bool goes_on = record_get_bool(job);

	(void)own;
	(void)answer;
	for (int i = 0; i < 8; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		if (goes_on)
			worker_note_step();
	}
	return 0;
}

static void put_bool(const void *context, struct record *job)
{
	record_put(job, *(const bool *)context);
}

static void put_nothing(const void *context, struct record *job)
{
	(void)context;
	(void)job;
}

static struct worker_job job_of(worker_task *task)
{
	return (struct worker_job){.task = task,
		.composer = &composer,
		.path = "app.yaml",
		.state = 1,
		.put = put_nothing};
}

WORKER_TEST(a_job_that_goes_on_is_waited_for_and_one_that_stands_still_is_not)
{
	struct worker_job job = job_of(waits_often);
	struct worker_answer answer;
	bool goes_on = true;

	job.state = 0;
	job.patience_ms = 600;
	job.put = put_bool;
	job.put_context = &goes_on;
	assert_int_equal(workers_run(workers, &job, &answer, &problem), 0);
	worker_answer_fini(&answer);
	goes_on = false;
	assert_int_equal(workers_run(workers, &job, &answer, &problem), -ETIMEDOUT);
}

WORKER_TEST(a_job_that_fails_three_times_is_refused_until_its_sources_change)
{
	struct worker_answer answer;
	struct worker_counts counts;
	struct worker_job job = job_of(ends);

	for (int i = 0; i < 5; i++)
		assert_int_equal(workers_run(workers, &job, &answer, &problem), PROBLEM);
	assert_non_null(strstr(problem.message, "ended with 9"));
	workers_count(workers, &counts);
	assert_int_equal(counts.failed, 3);
	job.state = 2;
	assert_int_equal(workers_run(workers, &job, &answer, &problem), PROBLEM);
	workers_count(workers, &counts);
	assert_int_equal(counts.failed, 4);
	struct version *version;
	assert_int_equal(make(workers, &version), 0);
	version_unref(version);
}

static int tells_its_number(const struct composer *own, struct record *job, struct record *answer)
{
	(void)own;
	(void)job;
	record_put(answer, (uint64_t)getpid());
	return 0;
}

WORKER_TEST(a_worker_that_was_killed_while_it_was_idle_is_replaced)
{
	struct worker_job job = job_of(tells_its_number);
	struct worker_answer answer;
	struct worker_counts counts;
	pid_t former = 0;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(workers_run(workers, &job, &answer, &problem), 0);
		pid_t pid = (pid_t)record_get(answer.record);
		worker_answer_fini(&answer);
		assert_int_not_equal(pid, former);
		siginfo_t info;
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
		former = pid;
	}
	workers_count(workers, &counts);
	assert_int_equal(counts.failed, 0);
}

/* A job that takes a while, in a coroutine of its own. */
struct timed {
	struct worker_job job; /* `put_context` is this */
	unsigned ms;
	int64_t took_ms; /* with its wait for a worker */
	struct coroutine *coroutine;
};

static int sleeps(const struct composer *own, struct record *job, struct record *answer)
{
	long ms = (long)record_get(job);

	(void)own;
	(void)answer;
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
	return 0;
}

/* If nobody releases it, it ends late, so that the test fails and does not hang. */
static int hangs(const struct composer *own, struct record *job, struct record *answer)
{
	(void)own;
	(void)job;
	(void)answer;
	for (int i = 0; i < 6000 && !*are_released; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return 0;
}

static void put_ms(const void *context, struct record *job)
{
	record_put(job, ((const struct timed *)context)->ms);
}

WORKER_TEST(a_job_that_stood_still_is_tried_again_once_its_worker_has_ended)
{
	struct worker_job job = job_of(hangs);
	struct worker_answer answer;
	struct worker_counts counts;
	int64_t end_ms = clock_ms() + 60000;

	*are_released = false;
	job.patience_ms = 100;
	/* The second one gets no worker. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(workers_run(workers, &job, &answer, &problem), -ETIMEDOUT);
	workers_count(workers, &counts);
	assert_int_equal(counts.failed, 1);
	assert_int_equal(counts.left, 1);
	*are_released = true;
	for (; counts.left && clock_ms() < end_ms; workers_count(workers, &counts))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	assert_int_equal(workers_run(workers, &job, &answer, &problem), 0);
	worker_answer_fini(&answer);
}

static void run_timed(void *context)
{
	struct timed *timed = context;
	struct worker_answer answer;
	int64_t begin_ms = clock_ms();

	assert_int_equal(workers_run(workers, &timed->job, &answer, &problem), 0);
	worker_answer_fini(&answer);
	timed->took_ms = clock_ms() - begin_ms;
}

static void begin_timed(struct timed *timed, worker_task *task, bool is_large, unsigned ms)
{
	*timed = (struct timed){.job = job_of(task), .ms = ms};
	timed->job.bytes = is_large ? POOL_LARGE_BYTES + 1 : 0;
	timed->job.put = put_ms;
	timed->job.put_context = timed;
	assert_int_equal(coroutine_new(run_timed, timed, &timed->coroutine), 0);
}

WORKER_TEST(a_small_job_gets_its_worker_also_behind_a_large_one_that_waits)
{
	int64_t least_ms = INT64_MAX;

	/* On a busy machine it takes luck to see it. */
	for (int i = 0; i < 200 && least_ms >= 15; i++) {
		struct timed timed[4];
		begin_timed(&timed[0], sleeps, true, 60);
		begin_timed(&timed[1], sleeps, true, 0);
		begin_timed(&timed[2], sleeps, false, 3);
		begin_timed(&timed[3], sleeps, false, 0);
		for (int k = 0; k < 4; k++)
			coroutine_join(timed[k].coroutine);
		least_ms = timed[3].took_ms < least_ms ? timed[3].took_ms : least_ms;
	}
	assert_true(least_ms < 15);
}

WORKER_TEST(a_large_job_does_not_wait_for_small_ones_that_hang)
{
	struct timed small[2], large;

	*are_released = false;
	for (int i = 0; i < 2; i++)
		begin_timed(&small[i], hangs, false, 0);
	begin_timed(&large, sleeps, true, 0);
	coroutine_join(large.coroutine);
	*are_released = true;
	for (int i = 0; i < 2; i++)
		coroutine_join(small[i].coroutine);
	assert_true(large.took_ms < 5000);
}

static int tells_its_nice_value(
	const struct composer *own, struct record *job, struct record *answer)
{
	(void)own;
	(void)job;
	record_put(answer, (uint64_t)getpriority(PRIO_PROCESS, 0));
	return 0;
}

WORKER_TEST(a_large_job_runs_with_less_priority_than_the_daemon)
{
	struct worker_job job = job_of(tells_its_nice_value);
	struct worker_answer answer;
	int former = getpriority(PRIO_PROCESS, 0);

	assert_int_equal(setpriority(PRIO_PROCESS, 0, former < 12 ? 12 : former), 0);
	job.bytes = POOL_LARGE_BYTES + 1;
	assert_int_equal(workers_run(workers, &job, &answer, &problem), 0);
	assert_int_equal(record_get(answer.record), 19);
	worker_answer_fini(&answer);
	/* Only root can. */
	(void)setpriority(PRIO_PROCESS, 0, former);
}

/* Has this process play the worker: its messages are there before it is asked. */
static int converse_with(
	struct record *const *messages, size_t count, struct worker_answer *answer, bool *can_go_on)
{
	const struct worker_job job = job_of(ends);
	struct worker_page page = {.source = ""};
	struct worker worker = {.pid = getpid(), .pidfd = -1, .page = &page, .settings = settings};
	int sockets[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	worker.socket = sockets[0];
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(worker_message_send(sockets[1], messages[i]), 0);
		record_free(messages[i]);
	}
	assert_int_equal(shutdown(sockets[1], SHUT_WR), 0);
	*answer = (struct worker_answer){0};
	int r = worker_do(&worker, &job, answer, can_go_on, &problem);
	close(sockets[0]);
	close(sockets[1]);
	return r;
}

WORKER_TEST(what_no_worker_of_ours_would_send_is_refused)
{
	struct worker_answer answer;
	bool can_go_on;

	for (enum worker_message kind = 0; kind < WORKER_MESSAGES; kind++) {
		struct record *message = worker_message_new(kind);
		if (kind == WORKER_ANSWER)
			record_put(message, (uint64_t)1 << 40);
		assert_int_equal(
			converse_with((struct record *[]){message}, 1, &answer, &can_go_on),
			PROBLEM);
		assert_false(can_go_on);
		assert_null(answer.record);
	}
}

WORKER_TEST(a_worker_opens_nothing_for_writing)
{
	struct worker_answer answer;
	bool can_go_on;
	CLEANUP(closep) int fd = open("a/app.yaml", O_PATH | O_CLOEXEC);
	struct record *question = worker_message_new(WORKER_OPEN);
	struct record *end = worker_message_new(WORKER_ANSWER);

	record_put_fd(question, fd);
	record_put(question, O_RDWR | O_TRUNC);
	record_put(end, 0);
	record_put(end, 0);
	assert_int_equal(
		converse_with((struct record *[]){question, end}, 2, &answer, &can_go_on), 0);
	worker_answer_fini(&answer);
	assert_true(can_go_on);
	char text[16] = "";
	int source = open("a/app.yaml", O_RDONLY | O_CLOEXEC);
	assert_true(read(source, text, sizeof(text)) > 0);
	close(source);
}

/* The bytes of an answer that compose_task() writes. */
static char *good_answer(size_t *size)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	struct record *job, *answer;
	struct span bytes;

	assert_int_equal(
		union_look_up(settings, union_all_layers(settings), "app.yaml", lookup), 0);
	assert_int_equal(record_new(WORKER_FORMAT, &job), 0);
	compose_job_put(&composer, "app.yaml", lookup, job);
	assert_int_equal(record_bytes(job, &bytes), 0);
	char *copy = bytes_dup(bytes);
	size_t len = bytes.len;
	record_free(job);
	assert_int_equal(record_read(WORKER_FORMAT, copy, len, -1, &job), 0);
	assert_int_equal(record_new(WORKER_FORMAT, &answer), 0);
	assert_int_equal(compose_task(&composer, job, answer), 0);
	assert_int_equal(record_bytes(answer, &bytes), 0);
	copy = bytes_dup(bytes);
	*size = bytes.len;
	record_free(job);
	record_free(answer);
	return copy;
}

static int take(const char *data, size_t size)
{
	struct path_list asked = {0};
	struct version *version = NULL;
	struct record *answer;
	char *copy = bytes_dup((struct span){data, size});

	int r = record_read(WORKER_FORMAT, copy, size, -1, &answer);
	if (r < 0)
		return r;
	r = compose_answer_take(&composer, answer, UNION_FILE, &asked, &version, &problem);
	if (r == 0) {
		assert_int_equal(version->kind, VERSION_BYTES);
		assert_true(S_ISREG(version->mode));
	} else {
		assert_null(version);
		assert_int_equal(asked.count % 2, 0);
	}
	version_unref(version);
	path_list_fini(&asked);
	record_free(answer);
	return r;
}

/* take() finds none, or pairs. */
WORKER_TEST(dependencies_of_an_answer_that_ends_in_a_pair_are_not_taken)
{
	const struct problem none = {.message = ""};
	struct record *answer;
	struct span bytes;

	assert_int_equal(record_new(WORKER_FORMAT, &answer), 0);
	record_put(answer, 4096); /* RESULT_BASE: the result is 0 */
	record_put_problem(answer, &none);
	record_put(answer, 0);
	record_put(answer, 2);
	record_put_text(answer, "the first path of a pair");
	assert_int_equal(record_bytes(answer, &bytes), 0);
	assert_int_equal(take(bytes.data, bytes.len), -EBADMSG);
	record_free(answer);
}

/* Only version_take_sources() makes such stamps: the cache counts others (source_cache_hold()). */
WORKER_TEST(a_version_with_stamps_of_a_later_one_is_no_answer)
{
	size_t size, forged_size;
	char *data = good_answer(&size);
	size_t len = size - FORGED_HEAD - FORGED_TAIL;
	char *body = calloc(1, len + 64);

	memcpy(body, data + FORGED_HEAD, len);
	assert_int_equal(body[len - 8], 0);
	body[len - 8] = 1; /* there are such stamps: one, of zeros */
	body[len] = 1;
	char *forged = forge(WORKER_FORMAT, body, len + 64, &forged_size);
	assert_int_equal(take(forged, forged_size), -EBADMSG);
	free(forged);
	free(body);
	bytes_free(data);
}

WORKER_TEST(an_answer_with_any_bit_changed_does_no_harm)
{
	size_t size, taken = 0;
	char *data = good_answer(&size);

	assert_int_equal(take(data, size), 0);
	for (size_t i = FORGED_HEAD; i < size - FORGED_TAIL; i++)
		for (int bit = 0; bit < 8; bit++) {
			data[i] = (char)(data[i] ^ 1 << bit);
			forge_sum(data, size);
			taken += take(data, size) == 0;
			data[i] = (char)(data[i] ^ 1 << bit);
		}
	/* Some bits may be changed: if none may, all answers were refused for their heads. */
	assert_int_not_equal(taken, 0);
	for (size_t len = 0; len < size - FORGED_HEAD - FORGED_TAIL; len++) {
		size_t cut_size;
		char *cut = forge(WORKER_FORMAT, data + FORGED_HEAD, len, &cut_size);
		assert_int_equal(take(cut, cut_size), -EBADMSG);
		free(cut);
	}
	bytes_free(data);
}
