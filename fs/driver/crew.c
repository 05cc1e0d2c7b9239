#include "crew.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The shortest turn that the scheduler gives. */
#define SHORT_NS 100000

/* A turn ends with the tick after CREW_TURN_US. */
#define LONGEST_US (2 * CREW_TURN_US)

#define WINDOW_NS (CREW_WINDOW_MS * (uint64_t)1000000)

/* So far ahead of what a thread has read of the clock is the others' window at most. */
#define LATE_WINDOWS 1000u

enum turn {
	TURN_INHERITED,
	TURN_REALTIME,
	TURN_ORDINARY,
};

/* The calling thread's own. */
static _Thread_local struct {
	bool is_member;
	bool is_counted;  /* what it uses now is to be counted */
	uint64_t used_ns; /* its processor time when it was last counted */
	volatile sig_atomic_t turn;
} self;

/* Async-signal-safe. */
static int set_turn(enum turn turn)
{
	/* struct sched_attr: its header and glibc's <sched.h> exclude each other. */
	struct {
		uint32_t size;
		uint32_t policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime; /* nanoseconds */
		uint64_t deadline;
		uint64_t period;
	} attributes = {.size = sizeof(attributes)};

	if (turn == TURN_REALTIME) {
		attributes.policy = SCHED_RR;
		attributes.priority = 1;
	} else {
		attributes.policy = SCHED_OTHER;
		attributes.nice = getpriority(PRIO_PROCESS, 0);
		attributes.runtime = SHORT_NS;
	}
	self.turn = (sig_atomic_t)turn;
	return syscall(SYS_sched_setattr, 0, &attributes, 0) < 0 ? -errno : 0;
}

static void limit_turns(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTTIME, &limit) < 0)
		return;
	limit.rlim_cur = CREW_TURN_US < limit.rlim_max ? CREW_TURN_US : limit.rlim_max;
	setrlimit(RLIMIT_RTTIME, &limit);
}

/* SIGXCPU comes to the thread whose turn was too long, and adds a second to the limit. */
static void give_way(int signal)
{
	int error = errno;

	(void)signal;
	set_turn(TURN_ORDINARY);
	limit_turns();
	errno = error;
}

static void leave(void *context)
{
	struct crew *crew = context;
	pid_t tid = gettid();

	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < crew->count; i++)
		if (crew->members[i] == tid) {
			crew->members[i] = crew->members[--crew->count];
			break;
		}
	pthread_mutex_unlock(&crew->lock);
}

static void join(struct crew *crew)
{
	self.is_member = true;
	/* Who can't be taken off the list again must not be on it: the id may be another's by then.
	 */
	if (pthread_setspecific(crew->membership, crew) != 0)
		return;
	pthread_mutex_lock(&crew->lock);
	if (crew->count < CREW_MAX)
		crew->members[crew->count++] = gettid();
	/* Its maker may have been sent elsewhere meanwhile. */
	if (crew->has_home)
		sched_setaffinity(0, sizeof(crew->place), &crew->place);
	pthread_mutex_unlock(&crew->lock);
}

int crew_init(struct crew *crew, bool wants_realtime)
{
	int policy = sched_getscheduler(0);

	crew->has_home = sched_getaffinity(0, sizeof(crew->home), &crew->home) == 0;
	crew->place = crew->home;
	crew->is_left_alone = policy != SCHED_OTHER;
	crew->is_gathered = false;
	crew->count = 0;
	wants_realtime =
		wants_realtime && !crew->is_left_alone && getpriority(PRIO_PROCESS, 0) <= 0;
	atomic_init(&crew->is_realtime, wants_realtime);
	atomic_init(&crew->is_batch, false);
	atomic_init(&crew->spent, 0);
	if (wants_realtime) {
		struct sigaction action = {.sa_handler = give_way, .sa_flags = SA_RESTART};
		if (sigaction(SIGXCPU, &action, NULL) < 0)
			return -errno;
		limit_turns();
	}
	int r = pthread_mutex_init(&crew->lock, NULL);
	if (r)
		return -r;
	r = pthread_key_create(&crew->membership, leave);
	if (r)
		pthread_mutex_destroy(&crew->lock);
	return -r;
}

void crew_fini(struct crew *crew)
{
	pthread_key_delete(crew->membership);
	pthread_mutex_destroy(&crew->lock);
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Adds to what is spent, and takes off what each window since has brought. Returns whether any is
 * left. */
static bool spend(struct crew *crew, uint64_t us)
{
	uint32_t present = (uint32_t)(read_clock(CLOCK_MONOTONIC) / WINDOW_NS);
	uint64_t old = atomic_load_explicit(&crew->spent, memory_order_relaxed);
	uint64_t now;

	do {
		uint32_t window = (uint32_t)(old >> 32);
		uint64_t spent = (uint32_t)old;
		/* Another thread may have come with a later one meanwhile. */
		if (window - present > LATE_WINDOWS) {
			uint64_t brought = (uint64_t)(present - window) * CREW_BUDGET_US;
			spent -= spent < brought ? spent : brought;
			window = present;
		}
		now = (uint64_t)window << 32 | (spent + us);
	} while (!atomic_compare_exchange_weak_explicit(
		&crew->spent, &old, now, memory_order_relaxed, memory_order_relaxed));
	return (uint32_t)now <= CREW_BUDGET_US;
}

void crew_end(struct crew *crew)
{
	if (crew->is_left_alone)
		return;
	uint64_t used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	uint64_t us = (used_ns - self.used_ns) / 1000;

	self.used_ns = used_ns;
	/* Beyond that it was told to give way. */
	if (self.is_counted)
		spend(crew, us < LONGEST_US ? us : LONGEST_US);
	self.is_counted = false;
}

static void take(struct crew *crew, enum turn turn)
{
	if (turn == TURN_REALTIME && self.turn != TURN_REALTIME && getpriority(PRIO_PROCESS, 0) > 0)
		turn = TURN_ORDINARY;
	if (self.turn == (sig_atomic_t)turn || set_turn(turn) == 0 || turn == TURN_ORDINARY)
		return;
	atomic_store(&crew->is_realtime, false);
	set_turn(TURN_ORDINARY);
}

void crew_begin(struct crew *crew)
{
	if (!self.is_member)
		join(crew);
	if (crew->is_left_alone)
		return;
	if (self.is_counted)
		crew_end(crew);
	bool is_urgent = atomic_load_explicit(&crew->is_realtime, memory_order_relaxed) &&
			 !atomic_load_explicit(&crew->is_batch, memory_order_relaxed) &&
			 spend(crew, 0);
	self.is_counted = is_urgent;
	take(crew, is_urgent ? TURN_REALTIME : TURN_ORDINARY);
}

void crew_batch(struct crew *crew)
{
	atomic_store_explicit(&crew->is_batch, true, memory_order_relaxed);
}

void crew_rest(struct crew *crew)
{
	atomic_store_explicit(&crew->is_batch, false, memory_order_relaxed);
	if (!atomic_load_explicit(&crew->is_realtime, memory_order_relaxed))
		return;
	crew_end(crew);
	self.is_counted = true;
	take(crew, TURN_REALTIME);
}

/* Where it is refused they run where they ran: slower, no more. */
static void send(struct crew *crew, const cpu_set_t *where)
{
	pthread_mutex_lock(&crew->lock);
	crew->place = *where;
	for (size_t i = 0; i < crew->count; i++)
		sched_setaffinity(crew->members[i], sizeof(*where), where);
	pthread_mutex_unlock(&crew->lock);
}

void crew_gather(struct crew *crew)
{
	cpu_set_t here;

	if (crew->is_gathered || !crew->has_home)
		return;
	int cpu = sched_getcpu();
	/* Where they may run can be changed at any time: taskset(1). */
	if (cpu < 0 || cpu >= CPU_SETSIZE ||
		sched_getaffinity(0, sizeof(crew->home), &crew->home) < 0)
		return;
	CPU_ZERO(&here);
	CPU_SET((size_t)cpu, &here);
	crew->is_gathered = true;
	send(crew, &here);
}

void crew_scatter(struct crew *crew)
{
	if (!crew->is_gathered)
		return;
	crew->is_gathered = false;
	send(crew, &crew->home);
}
