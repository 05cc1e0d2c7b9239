#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "coroutine.h"
#include "descriptor.h"
#include "failed_job.h"
#include "followed_path.h"
#include "forked.h"
#include "pool.h"
#include "worker_dialogue.h"

/* ms. One more worker is forked when each kept worker has had its job for this long, … */
#define MORE_MS 20

/* … and when a job has waited this long, because the kept workers got other jobs. */
#define MORE_LATEST_MS 200

/* After its first large job, a worker has the daemon's nice value (setpriority(2)) plus this. */
#define LARGE_NICE 10

/* ms. When a large job has waited this long, although each processor but one has a large job. */
#define MORE_LARGE_MS 2000

/* A worker's descriptor of inotify(7) has this number at least: all that it opens is below. */
#define WATCHES_LEAST 512

struct workers {
	struct coroutine_queue is_free;  /* callers that wait for a kept worker */
	int watches;                     /* the inotify(7) descriptor that workers keep; -1: none */
	const struct settings *settings; /* the newest, only to be compared; NULL: any */
	struct worker kept[WORKERS_KEPT];
	struct worker *more; /* each forked for one job */
	struct worker *left; /* their end is not waited for */
	unsigned left_count;
	unsigned large_count; /* large jobs that have a worker */
	unsigned large_max;   /* large jobs that can run at the same time without harm */
	uint64_t failed;
	struct failed_jobs failed_jobs;
};

int workers_new(int watches, struct workers **ret)
{
	struct workers *workers = calloc(1, sizeof(*workers));

	if (!workers)
		return -ENOMEM;
	workers->watches = watches;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	workers->large_max = processors > 2 ? (unsigned)processors - 1 : 1;
	*ret = workers;
	return 0;
}

static void reap(struct workers *workers)
{
	for (struct worker **at = &workers->left; *at;) {
		struct worker *worker = *at;

		if (!forked_reap(worker->pid, NULL)) {
			at = &worker->next;
			continue;
		}
		*at = worker->next;
		workers->left_count--;
		closep(&worker->pidfd);
		free(worker);
	}
}

/*
 * Leaves the process alone: it ends when it next reads from its socket, when it has used TICK_S, or
 * with the daemon. `worker` is then free for another process.
 */
static void leave(struct workers *workers, struct worker *worker)
{
	struct worker *left = worker->pid ? malloc(sizeof(*left)) : NULL;

	const struct worker gone = *worker;
	worker->pid = 0;
	/* Without memory it stays a zombie until the daemon ends. */
	if (left) {
		*left = (struct worker){.pid = gone.pid,
			.pidfd = gone.pidfd,
			.file_system = gone.file_system,
			.state = gone.state,
			.since_ms = gone.since_ms,
			.next = workers->left};
		workers->left = left;
		workers->left_count++;
	}
	reap(workers);
	if (!gone.pid)
		return;
	if (!left && gone.pidfd >= 0)
		close(gone.pidfd);
	close(gone.socket);
	munmap(gone.page, sizeof(*gone.page));
	settings_unref(gone.settings);
}

void workers_free(struct workers *workers)
{
	if (!workers)
		return;
	int64_t end_ms = clock_ms() + WORKER_END_MS;
	for (size_t i = 0; i < WORKERS_KEPT; i++)
		leave(workers, &workers->kept[i]);
	for (struct worker *left = workers->left, *next; left; left = next) {
		next = left->next;
		/* Idle workers end at once. All others together get WORKER_END_MS. */
		int64_t wait_ms = end_ms - clock_ms();
		if (!forked_await(left->pid, left->pidfd, wait_ms > 0 ? (int)wait_ms : 0))
			kill(left->pid, SIGKILL);
		closep(&left->pidfd);
		free(left);
	}
	failed_jobs_fini(&workers->failed_jobs);
	free(workers);
}

void workers_cancel(struct workers *workers)
{
	for (size_t i = 0; i < WORKERS_KEPT; i++)
		if (workers->kept[i].is_busy && workers->kept[i].pid)
			(void)shutdown(workers->kept[i].socket, SHUT_RDWR);
	for (struct worker *worker = workers->more; worker; worker = worker->next)
		if (worker->pid)
			(void)shutdown(worker->socket, SHUT_RDWR);
}

void workers_count(struct workers *workers, struct worker_counts *ret)
{
	reap(workers);
	*ret = (struct worker_counts){.left = workers->left_count, .failed = workers->failed};
	for (size_t i = 0; i < WORKERS_KEPT; i++)
		ret->running += workers->kept[i].pid != 0;
	for (struct worker *worker = workers->more; worker; worker = worker->next)
		ret->running++;
}

/*
 * In the worker: of the daemon's descriptors, /dev/fuse above all, nothing else is left. Gives
 * `watches` a number above all that the worker reads from (filter.h), and returns it; -1: none.
 */
static int keep_only(int socket, int watches, const struct settings *settings)
{
	int kept[LAYERS_MAX + 3] = {socket, watches, followed_path_beneath()};
	size_t count = 3;

	for (unsigned i = 0; i < settings->layer_count; i++)
		kept[count++] = settings->layers[i]->dirfd;
	descriptor_close_except(kept, count);
	/* They are sorted now. */
	int last = kept[count - 1];
	struct rlimit limit = {.rlim_cur = WATCHES_LEAST};
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	int least = limit.rlim_cur > WATCHES_LEAST ? WATCHES_LEAST : (int)limit.rlim_cur - 1;
	int high = fcntl(watches, F_DUPFD_CLOEXEC, last < least ? least : last + 1);
	closep(&watches);
	return high;
}

/* The arguments of begin(), in the new worker. */
struct new_worker {
	int socket;
	int watches;
	pid_t daemon;
	struct worker_page *page;
	const struct composer *composer;
};

/* In the worker. */
static void begin(void *context)
{
	const struct new_worker *new_worker = context;

	if (!forked_dies_with(new_worker->daemon))
		_exit(0);
	worker_end_with(new_worker->socket);
	int watches =
		keep_only(new_worker->socket, new_worker->watches, new_worker->composer->settings);
	worker_process(new_worker->socket, watches, new_worker->page, new_worker->composer);
}

/* Forks the worker's process. */
static int start(struct workers *workers, struct worker *worker, const struct composer *composer)
{
	int sockets[2];

	struct worker_page *page = mmap(
		NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
		int error = errno;
		munmap(page, sizeof(*page));
		return -error;
	}
	struct new_worker new_worker = {sockets[1], workers->watches, getpid(), page, composer};
	pid_t pid = coroutine_fork(begin, &new_worker);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		munmap(page, sizeof(*page));
		return -ENOMEM;
	}
	worker->pidfd = pidfd_open(pid, 0);
	worker->socket = sockets[0];
	worker->page = page;
	worker->settings = settings_ref(composer->settings);
	worker->jobs = 0;
	worker->pid = pid;
	return 0;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool is_large(const struct worker_job *job)
{
	return job->bytes > POOL_LARGE_BYTES;
}

/* Returns a kept worker; NULL: none is free. See worker.h for the limit of forks. */
static struct worker *take_kept(struct workers *workers, const struct worker_job *job)
{
	/* The first one gets no large jobs. */
	for (size_t i = is_large(job); i < WORKERS_KEPT; i++) {
		struct worker *worker = &workers->kept[i];
		if (worker->is_busy ||
			(!worker->pid && workers->left_count >= 4 * WORKERS_LEFT_MAX))
			continue;
		worker->is_busy = true;
		worker->since_ms = clock_ms();
		return worker;
	}
	return NULL;
}

/* Returns when the newest job of the kept workers began. */
static int64_t last_job_ms(const struct workers *workers)
{
	int64_t ret = 0;

	for (size_t i = 0; i < WORKERS_KEPT; i++)
		if (workers->kept[i].is_busy)
			ret = most(ret, workers->kept[i].since_ms);
	return ret;
}

/* NULL: no memory. */
static struct worker *take_more(struct workers *workers)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	worker->is_busy = true;
	worker->next = workers->more;
	workers->more = worker;
	return worker;
}

/*
 * Returns how long the job waits for a kept worker, in ms, if the kept ones get other jobs. More
 * large jobs than processors would only delay each other, without a cache of parsed sources; but a
 * file system may hold them up.
 */
static int patience_ms(const struct workers *workers, const struct worker_job *job)
{
	bool is_enough = is_large(job) && workers->large_count >= workers->large_max;

	return is_enough ? MORE_LARGE_MS : MORE_LATEST_MS;
}

/*
 * Takes a kept worker. If none becomes free soon, makes one more, unless many stand still. NULL: no
 * memory, or no kept worker became free in time.
 */
static struct worker *take(struct workers *workers, const struct worker_job *job)
{
	bool is_hurried = job->patience_ms && job->patience_ms < WORKER_PATIENCE_MS;
	int full_ms = is_hurried ? job->patience_ms : WORKER_PATIENCE_MS;
	int64_t begin_ms = clock_ms();
	struct worker *worker;

	while (!(worker = take_kept(workers, job))) {
		int64_t now = clock_ms();
		bool is_full = workers->left_count >= WORKERS_LEFT_MAX;
		int most_ms = is_full ? full_ms : patience_ms(workers, job);
		bool is_late = now - begin_ms >= most_ms;
		bool are_long = !is_full && most_ms == MORE_LATEST_MS &&
				now - last_job_ms(workers) >= MORE_MS;
		if (is_late || are_long)
			return is_full ? NULL : take_more(workers);
		struct timespec until = clock_in_us(MORE_MS * 1000);
		coroutine_wait(&workers->is_free, &until);
		reap(workers);
	}
	return worker;
}

static void give_back(struct workers *workers, struct worker *worker)
{
	bool is_old = workers->settings && worker->settings != workers->settings;
	struct worker **more = &workers->more;

	while (*more && *more != worker)
		more = &(*more)->next;
	if (*more || is_old)
		leave(workers, worker);
	worker->is_busy = false;
	/* The first in the queue may have a large job, which the first worker does not get. */
	coroutine_wake_all(&workers->is_free);
	if (*more) {
		*more = worker->next;
		free(worker);
	}
}

void workers_renew(struct workers *workers, const struct settings *settings)
{
	/* Other rules may not read what has failed. */
	failed_jobs_fini(&workers->failed_jobs);
	for (size_t i = 0; i < WORKERS_KEPT; i++) {
		struct worker *worker = &workers->kept[i];

		workers->settings = settings;
		bool is_idle = !worker->is_busy && worker->pid;
		worker->is_busy |= is_idle;
		if (is_idle)
			give_back(workers, worker);
	}
}

/* Notes the job for which the worker may stand still from now on; NULL: none. */
static void note_job(struct worker *worker, const struct worker_job *job)
{
	worker->file_system = job ? job->file_system : 0;
	worker->state = job ? job->state : 0;
	worker->since_ms = clock_ms();
}

/* Gives the worker less priority. A daemon with a real-time policy has passed that on to it. */
static void yield_to_daemon(const struct worker *worker)
{
	const struct sched_param normal = {0};

	(void)sched_setscheduler(worker->pid, SCHED_OTHER, &normal);
	(void)setpriority(
		PRIO_PROCESS, (id_t)worker->pid, getpriority(PRIO_PROCESS, 0) + LARGE_NICE);
}

/* As worker_do(). The worker is left unless it can go on. */
static int try(struct workers *workers, struct worker *worker, const struct worker_job *job,
	struct worker_answer *ret, struct problem *problem)
{
	bool can_go_on;

	if (worker->pid && worker->settings != job->composer->settings)
		leave(workers, worker);
	int r = worker->pid ? 0 : start(workers, worker, job->composer);
	if (r < 0)
		return r;
	/* workers_cancel() does not reach a process that is forked later. */
	if (worker_job_is_cancelled(job)) {
		leave(workers, worker);
		return -ECANCELED;
	}
	if (is_large(job))
		yield_to_daemon(worker);
	r = worker_do(worker, job, ret, &can_go_on, problem);
	if (!can_go_on && r != -ETIMEDOUT)
		note_job(worker, NULL);
	worker->jobs++;
	if (!can_go_on)
		leave(workers, worker);
	if (r != -ESRCH)
		return r;
	/* It was killed while it was idle, or stopped. The new one can't return that. */
	note_job(worker, job);
	return try(workers, worker, job, ret, problem);
}

static int run_in(struct workers *workers, struct worker *worker, const struct worker_job *job,
	struct worker_answer *ret, struct problem *problem)
{
	note_job(worker, job);
	int r = try(workers, worker, job, ret, problem);
	note_job(worker, NULL);
	if (r == PROBLEM || r == -ETIMEDOUT)
		workers->failed++;
	if (job->state && (r == PROBLEM || r == -ETIMEDOUT))
		failed_jobs_add(&workers->failed_jobs, job, r, problem);
	else if (job->state && r == 0)
		failed_jobs_forget(&workers->failed_jobs, job->path, job->task);
	return r;
}

void workers_try_again(struct workers *workers, const char *path)
{
	failed_jobs_forget(&workers->failed_jobs, path, NULL);
}

bool workers_have_failures(const struct workers *workers)
{
	return workers->failed_jobs.first;
}

static int64_t waited_ms(const struct worker *worker, dev_t file_system)
{
	return worker->file_system == file_system ? clock_ms() - worker->since_ms : 0;
}

int64_t workers_waited_ms(struct workers *workers, dev_t file_system)
{
	int64_t ret = 0;

	reap(workers);
	for (const struct worker *left = workers->left; left; left = left->next)
		ret = most(ret, waited_ms(left, file_system));
	for (const struct worker *more = workers->more; more; more = more->next)
		ret = most(ret, waited_ms(more, file_system));
	for (size_t i = 0; i < WORKERS_KEPT; i++)
		ret = most(ret, waited_ms(&workers->kept[i], file_system));
	return ret;
}

/* Returns whether a worker has waited for the job's file system as long as this job would. */
static bool is_silent(struct workers *workers, const struct worker_job *job)
{
	return job->file_system && workers_waited_ms(workers, job->file_system) >= job->patience_ms;
}

/* Returns whether a worker that was left still stands still at a job with this state. */
static bool stands_still_at(const struct workers *workers, uint64_t state)
{
	const struct worker *left = workers->left;

	while (left && left->state != state)
		left = left->next;
	return left;
}

int workers_run(struct workers *workers, const struct worker_job *job, struct worker_answer *ret,
	struct problem *problem)
{
	*ret = (struct worker_answer){0};
	reap(workers);
	int r = is_silent(workers, job) ? -ETIMEDOUT : 0;
	if (r == 0 && job->state)
		r = failed_jobs_refuse(
			&workers->failed_jobs, job, stands_still_at(workers, job->state), problem);
	struct worker *worker = r ? NULL : take(workers, job);
	unsigned left = workers->left_count;
	if (r)
		return r;
	if (!worker && left >= WORKERS_LEFT_MAX) {
		problem_set(problem, job->path, 0, 0,
			"can't be merged: %u processes wait for file systems that do not answer; "
			"mount those anew",
			left);
		return -ETIMEDOUT;
	}
	if (!worker)
		return -ENOMEM;
	workers->large_count += is_large(job);
	r = run_in(workers, worker, job, ret, problem);
	workers->large_count -= is_large(job);
	give_back(workers, worker);
	return r;
}
