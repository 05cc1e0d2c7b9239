/* longjmp(3) then takes a jump to another stack for an error. */
#undef _FORTIFY_SOURCE

#include "coroutine.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "aside.h"
#include "await.h"

#ifdef __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#endif

/* Bytes. A coroutine needs little: it waits for other processes, and walks no deep tree. */
#ifdef HAS_ADDRESS_SANITIZER
#include <dlfcn.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_SIZE ((size_t)4 << 20)
#else
#define STACK_SIZE ((size_t)1 << 20)
#endif

/* Bytes. The stack of a process from coroutine_fork(), which walks deep trees. */
#define PROGRAM_STACK ((size_t)8 << 20)

#ifdef COROUTINE_FOR_CHECKERS
#define CHECKER_PAUSES 100
#define CHECKER_PAUSE_US 20000
#endif

/* In `deadline_ns`. */
#define NEVER INT64_MAX

/* Switches after which descriptors and times are looked at, though a coroutine is ready. */
#define SWITCHES_MAX 128

/* RUNS: it has begun; so has the root. */
enum coroutine_stage { COROUTINE_RUNS, COROUTINE_NEW, COROUTINE_DONE };

struct coroutine {
	ucontext_t context; /* where it begins */
	jmp_buf place;      /* where it goes on */
	char *stack;        /* the page below it can't be accessed; NULL: the root's */
	size_t stack_size;
	char *lowest; /* for the sanitizer: below the frames that wait; NULL: there are none */
	enum coroutine_stage stage;
	void (*run)(void *context);
	void *argument;
	int kept; /* its value of the variable of coroutine_keeps(), while it does not run */
	struct coroutine_queue joining;

	/* While it waits. */
	struct pollfd *fds;
	nfds_t count;
	int64_t deadline_ns; /* CLOCK_MONOTONIC */
	struct coroutine_queue *queue;
	int result;
	struct coroutine *next_waiting;
	struct coroutine *next_queued;
	struct coroutine *next_ready;
};

static _Thread_local struct {
	struct coroutine root;
	struct coroutine *current; /* NULL: the root */
	unsigned count;            /* coroutines besides the root */
	struct coroutine *waiting;
	struct coroutine *ready;
	struct coroutine **ready_end;
	unsigned switches;     /* since descriptors were polled */
	struct pollfd *polled; /* room for COROUTINE_FDS_MAX of each coroutine */
	const sigset_t *mask;
	int *kept;
} loop;

static struct coroutine *current(void)
{
	return loop.current ? loop.current : &loop.root;
}

const struct coroutine *coroutine_self(void)
{
	return current();
}

bool coroutine_is_alone(void)
{
	return !loop.count;
}

bool coroutine_is_awaited(void)
{
	return loop.ready;
}

void coroutine_mask(const sigset_t *mask)
{
	loop.mask = mask;
}

void coroutine_keeps(int *variable)
{
	loop.kept = variable;
}

static int64_t ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ns_of(&now);
}

#ifdef HAS_ADDRESS_SANITIZER
/* libc's function: the sanitizer's warns about stacks, although begin_switch() reports them. At a
 * jump, the sanitizer would forget what it knows of the stack. */
static void swap(struct coroutine *from, struct coroutine *to)
{
	static int (*swap_of_libc)(ucontext_t * from, const ucontext_t *to);

	if (!swap_of_libc)
		*(void **)&swap_of_libc =
			dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "swapcontext");
	/* The frame of this function is smaller than a page. */
	from->lowest = (char *)__builtin_frame_address(0) - 4096;
	swap_of_libc(&from->context, &to->context);
}
#else
/* swapcontext(3) would make a system call, for the signal mask. */
static void swap(struct coroutine *from, struct coroutine *to)
{
	if (_setjmp(from->place) != 0)
		return;
	if (to->stage != COROUTINE_NEW)
		_longjmp(to->place, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &to->context.uc_sigmask);
	setcontext(&to->context);
	abort();
}
#endif

static void begin_switch(const struct coroutine *to, void **fake_stack)
{
#ifdef HAS_ADDRESS_SANITIZER
	__sanitizer_start_switch_fiber(fake_stack, to->stack, to->stack_size);
#else
	(void)to;
	(void)fake_stack;
#endif
}

static void end_switch(void *fake_stack)
{
#ifdef HAS_ADDRESS_SANITIZER
	const void *stack;
	size_t size;

	__sanitizer_finish_switch_fiber(fake_stack, &stack, &size);
	/* The first switch comes from the root: this is its stack. */
	if (!loop.root.stack) {
		loop.root.stack = (char *)(uintptr_t)stack;
		loop.root.stack_size = size;
	}
#else
	(void)fake_stack;
#endif
}

static void append_ready(struct coroutine *coroutine)
{
	coroutine->next_ready = NULL;
	*(loop.ready ? loop.ready_end : &loop.ready) = coroutine;
	loop.ready_end = &coroutine->next_ready;
}

/* Ends the coroutine's wait. */
static void make_ready(struct coroutine *coroutine, int result)
{
	struct coroutine **at = &loop.waiting;

	while (*at != coroutine)
		at = &(*at)->next_waiting;
	*at = coroutine->next_waiting;
	if (coroutine->queue) {
		for (at = &coroutine->queue->first; *at != coroutine;)
			at = &(*at)->next_queued;
		*at = coroutine->next_queued;
	}
	coroutine->result = result;
	append_ready(coroutine);
}

/* Returns whether the coroutine gets ready descriptors: of its queue, only the first one does. */
static bool is_first(const struct coroutine *coroutine)
{
	return !coroutine->queue || coroutine->queue->first == coroutine;
}

/* Returns when the coroutine's wait ends, unless something wakes it before. */
static int64_t end_of_wait(const struct coroutine *coroutine)
{
	const struct coroutine_queue *queue = coroutine->queue;
	int64_t wake_ns = queue && is_first(coroutine) ? ns_of(&queue->wake_at) : 0;

	return wake_ns && wake_ns < coroutine->deadline_ns ? wake_ns : coroutine->deadline_ns;
}

/* Fills loop.polled, and returns its length. *deadline_ns becomes the earliest deadline. */
static nfds_t collect(int64_t *deadline_ns)
{
	nfds_t count = 0;

	*deadline_ns = NEVER;
	for (const struct coroutine *at = loop.waiting; at; at = at->next_waiting) {
		int64_t end_ns = end_of_wait(at);
		if (end_ns < *deadline_ns)
			*deadline_ns = end_ns;
		for (nfds_t i = 0; is_first(at) && i < at->count; i++)
			loop.polled[count++] = (struct pollfd){at->fds[i].fd, at->fds[i].events, 0};
	}
	return count;
}

/* Returns how many of its descriptors are ready, with their events. *polled moves on. */
static int take_events(const struct coroutine *coroutine, const struct pollfd **polled)
{
	int ready = 0;

	for (nfds_t i = 0; i < coroutine->count; i++) {
		coroutine->fds[i].revents = is_first(coroutine) ? (*polled)++->revents : 0;
		ready += coroutine->fds[i].revents != 0;
	}
	return ready;
}

static void interrupt_root(void)
{
	struct coroutine *at = loop.waiting;

	while (at && at != &loop.root)
		at = at->next_waiting;
	if (at)
		make_ready(at, -1);
}

/* Ends all waits that are over. Takes all events first, as make_ready() changes the queues. */
static void end_waits(bool has_events)
{
	const struct pollfd *polled = loop.polled;
	int64_t now = now_ns();

	for (struct coroutine *at = loop.waiting; at; at = at->next_waiting)
		at->result = has_events ? take_events(at, &polled) : 0;
	for (struct coroutine *at = loop.waiting, *next; at; at = next) {
		next = at->next_waiting;
		if (!at->result && end_of_wait(at) > now)
			continue;
		if (at->queue && is_first(at) && ns_of(&at->queue->wake_at) <= now)
			coroutine_wake_at(at->queue, NULL);
		make_ready(at, at->result);
	}
}

/* Waits, unless a coroutine is ready. */
static void poll_all(void)
{
	struct timespec timeout;
	int64_t deadline_ns;
	nfds_t count = collect(&deadline_ns);
	bool is_endless = deadline_ns == NEVER && !loop.ready;
	int64_t left_ns = deadline_ns == NEVER || loop.ready ? 0 : deadline_ns - now_ns();

	loop.switches = 0;
	if (left_ns < 0)
		left_ns = 0;
	timeout = (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
	int n = ppoll(loop.polled, count, is_endless ? NULL : &timeout, loop.mask);
	if (n < 0 && errno == EINTR)
		interrupt_root();
	end_waits(n > 0);
}

/* Switches to the first coroutine that is ready, which may be the running one. */
static void schedule(void)
{
	struct coroutine *self = current();
	void *fake_stack = NULL;

	if (++loop.switches > SWITCHES_MAX)
		poll_all();
	while (!loop.ready)
		poll_all();
	struct coroutine *next = loop.ready;
	loop.ready = next->next_ready;
	if (next == self)
		return;
	if (loop.kept) {
		self->kept = *loop.kept;
		*loop.kept = next->kept;
	}
	loop.current = next;
	begin_switch(next, self->stage == COROUTINE_DONE ? NULL : &fake_stack);
	swap(self, next);
	end_switch(fake_stack);
}

static void wait(struct coroutine *self)
{
	self->next_waiting = loop.waiting;
	loop.waiting = self;
	if (self->queue) {
		struct coroutine **at = &self->queue->first;
		while (*at)
			at = &(*at)->next_queued;
		self->next_queued = NULL;
		*at = self;
	}
	schedule();
}

int coroutine_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	struct coroutine_queue *queue)
{
	struct coroutine *self = current();

	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = 0;
	if (!loop.count)
		return ppoll(fds, count, timeout, loop.mask);
	assert(count <= COROUTINE_FDS_MAX);
	self->fds = fds;
	self->count = count;
	self->deadline_ns = timeout ? now_ns() + ns_of(timeout) : NEVER;
	self->queue = queue;
	wait(self);
	if (self->result < 0)
		errno = EINTR;
	return self->result;
}

static int await(struct pollfd *fds, nfds_t count, const struct timespec *timeout)
{
	return coroutine_poll(fds, count, timeout, NULL);
}

void coroutine_wait(struct coroutine_queue *queue, const struct timespec *until)
{
	struct coroutine *self = current();

	/* No coroutine could wake this one. */
	assert(loop.count || until);
	self->count = 0;
	self->deadline_ns = until ? ns_of(until) : NEVER;
	self->queue = queue;
	wait(self);
}

void coroutine_wake(struct coroutine_queue *queue)
{
	if (queue->first)
		make_ready(queue->first, 0);
}

void coroutine_wake_at(struct coroutine_queue *queue, const struct timespec *at)
{
	queue->wake_at = at ? *at : (struct timespec){0};
}

void coroutine_wake_all(struct coroutine_queue *queue)
{
	while (queue->first)
		make_ready(queue->first, 0);
}

/* The first function on a new stack. */
static void enter(void)
{
	struct coroutine *self = loop.current;

	end_switch(NULL);
	self->stage = COROUTINE_RUNS;
	self->run(self->argument);
	self->stage = COROUTINE_DONE;
	loop.count--;
	coroutine_wake_all(&self->joining);
	schedule();
	abort();
}

static int make_stack(struct coroutine *coroutine, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *stack = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		return -ENOMEM;
	(void)mprotect(stack, page, PROT_NONE);
	coroutine->stack = stack + page;
	coroutine->stack_size = size;
	return 0;
}

static void free_stack(const struct coroutine *coroutine)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

#ifdef HAS_ADDRESS_SANITIZER
	/*
	 * The sanitizer would take what is mapped here next for the frames that never returned. The
	 * others have cleared what it knows of them: in a forked process, each byte of that costs.
	 */
	char *end = coroutine->stack + coroutine->stack_size;
	if (coroutine->lowest)
		__asan_unpoison_memory_region(coroutine->lowest, (size_t)(end - coroutine->lowest));
#endif
	munmap(coroutine->stack - page, page + coroutine->stack_size);
}

static void prepare(struct coroutine *coroutine)
{
	getcontext(&coroutine->context);
	coroutine->context.uc_stack.ss_sp = coroutine->stack;
	coroutine->context.uc_stack.ss_size = coroutine->stack_size;
	coroutine->context.uc_link = NULL;
	makecontext(&coroutine->context, enter, 0);
}

int coroutine_new(void (*run)(void *context), void *context, struct coroutine **ret)
{
	struct coroutine *coroutine = calloc(1, sizeof(*coroutine));
	struct pollfd *polled =
		reallocarray(loop.polled, loop.count + 2, COROUTINE_FDS_MAX * sizeof(*loop.polled));

	if (polled)
		loop.polled = polled;
	if (!coroutine || !polled || make_stack(coroutine, STACK_SIZE) < 0) {
		free(coroutine);
		return -ENOMEM;
	}
	coroutine->stage = COROUTINE_NEW;
	coroutine->run = run;
	coroutine->argument = context;
	prepare(coroutine);
	loop.count++;
	await_use(await);
	append_ready(coroutine);
	*ret = coroutine;
	return 0;
}

void coroutine_join(struct coroutine *coroutine)
{
	if (!coroutine)
		return;
	while (coroutine->stage != COROUTINE_DONE)
		coroutine_wait(&coroutine->joining, NULL);
	free_stack(coroutine);
	free(coroutine);
	if (loop.count)
		return;
	free(loop.polled);
	loop.polled = NULL;
}

/* In a forked process: frees all stacks except the one on which it runs. */
static void free_stacks(void)
{
	for (const struct coroutine *at = loop.waiting; at; at = at->next_waiting)
		if (at != &loop.root)
			free_stack(at);
	for (const struct coroutine *at = loop.ready; at; at = at->next_ready)
		if (at != &loop.root)
			free_stack(at);
}

/* Goes on with `run` on a stack as large as a program's. Returns only without memory for it. */
static void leave(void (*run)(void *context), void *context)
{
	static struct coroutine process;
	struct rlimit limit;

	free_stacks();
	loop.count = 0;
	loop.waiting = loop.ready = NULL;
	loop.mask = NULL;
	size_t size = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < PROGRAM_STACK * 8
			      ? (size_t)limit.rlim_cur
			      : PROGRAM_STACK;
	if (make_stack(&process, size) < 0)
		return;
	process.run = run;
	process.argument = context;
	prepare(&process);
	loop.current = &process;
	begin_switch(&process, NULL);
	setcontext(&process.context);
	abort();
}

pid_t coroutine_fork(void (*run)(void *context), void *context)
{
	sigset_t all, old;

#ifdef COROUTINE_FOR_CHECKERS
	/* A thread that runs aside may hold a lock of the sanitizer's allocator. */
	for (int i = 0; i < CHECKER_PAUSES && aside_is_running(); i++)
		await_pause_us(CHECKER_PAUSE_US);
#endif
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid_t pid = fork();
	if (pid == 0) {
		(void)setsid();
		leave(run, context);
		_exit(COROUTINE_NO_MEMORY);
	}
	int error = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -error : pid;
}
