#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

/* The processes that may make a call. */
#define PUBLISH (1u << SANDBOX_PUBLISH)
#define WORKER (1u << SANDBOX_WORKER)
#define STATE (1u << SANDBOX_STATE)
#define ALL (~0u)

struct call {
	int number;
	unsigned processes;
};

#define CALL(name) SCMP_SYS(name)

/* clang-format off */
/* Whatever its arguments are. A name that this machine has not is left out by libseccomp. */
static const struct call calls[] = {
	/* Memory. mmap and mprotect: see restrict_memory(). */
	{CALL(brk), ALL},     /* malloc(3) */
	{CALL(munmap), ALL},  /* … */
	{CALL(mremap), ALL},  /* … of large blocks */
	{CALL(madvise), ALL}, /* … gives memory back; stacks of threads that have ended */
	{CALL(membarrier), ALL}, /* libc's, where it unloads or registers for threads */

	/* Descriptors that are open. fcntl: see restrict_commands(). */
	{CALL(read), PUBLISH | STATE}, /* a worker: see restrict_watches() */
	{CALL(pread64), WORKER}, /* parts of files that many readers share */
	{CALL(write), ALL},      /* messages, kept versions */
	{CALL(writev), ALL},     /* stdio */
	{CALL(close), ALL},
	{CALL(close_range), ALL}, /* closefrom(3) */
	{CALL(lseek), ALL},      /* stdio */
	{CALL(dup), PUBLISH | STATE}, /* duplicates */
	{CALL(fstat), ALL},      /* is it still the same file? */
	{CALL(newfstatat), ALL}, /* libc's fstat(3) */
	{CALL(fstatat64), ALL},  /* … of 32 bits */
	{CALL(statx), ALL},      /* … where libc makes it of that, and names in layers */
	{CALL(fstatfs), WORKER}, /* is it on a network, or the kernel's own? */
	{CALL(fstatfs64), WORKER},
	{CALL(statfs), WORKER},
	{CALL(statfs64), WORKER},
	{CALL(getdents64), WORKER}, /* directories are listed */
	{CALL(readlink), WORKER},   /* /proc/self/fd/N: where is it? */
	{CALL(readlinkat), WORKER}, /* links in layers */
	{CALL(fgetxattr), WORKER},  /* access lists of sources */
	{CALL(getxattr), WORKER},   /* … by way of /proc/self/fd */
	{CALL(flistxattr), WORKER},
	{CALL(listxattr), WORKER},
	{CALL(lgetxattr), WORKER},
	{CALL(poll), ALL},            /* waits for several */
	{CALL(ppoll), ALL},
	{CALL(memfd_create), WORKER}, /* a large answer */

	/* Names. Landlock says which. */
	{CALL(openat), ALL},          /* publish: directories of our mount */
	{CALL(open), ALL},            /* libc's own, on some machines */
	{CALL(openat2), WORKER},     /* beneath a layer */
	{CALL(access), WORKER},
	{CALL(faccessat), WORKER},
	{CALL(faccessat2), WORKER},
	{CALL(stat), WORKER},
	{CALL(lstat), WORKER},
	{CALL(getcwd), WORKER},      /* realpath(3) */
	{CALL(renameat), PUBLISH | STATE}, /* a version moves to its path */
	{CALL(renameat2), PUBLISH | STATE},
	{CALL(rename), PUBLISH},
	{CALL(unlinkat), PUBLISH | STATE}, /* a path goes */
	{CALL(mkdirat), PUBLISH},  /* a directory comes */
	{CALL(mkdir), PUBLISH},
	{CALL(utimensat), PUBLISH}, /* a file has another time */
	{CALL(syncfs), STATE},
	{CALL(flock), STATE}, /* the state's directory changes hands */

	/* The open socket to the daemon. */
	{CALL(sendto), ALL},
	{CALL(recvfrom), ALL},
	{CALL(sendmsg), ALL}, /* with a descriptor */
	{CALL(recvmsg), ALL},
	{CALL(shutdown), ALL},

	/* libc calls these. */
	{CALL(futex), ALL},              /* locks */
	{CALL(sched_getaffinity), ALL},  /* how many processors; which */
	{CALL(gettid), ALL},
	{CALL(getpid), ALL},
	{CALL(getppid), ALL},
	{CALL(exit), ALL},
	{CALL(exit_group), ALL},

	/* Signals, and what comes back from them. tgkill: see fill(). */
	{CALL(rt_sigaction), ALL},
	{CALL(rt_sigprocmask), ALL},
	{CALL(rt_sigreturn), ALL},
	{CALL(sigaltstack), ALL},
	{CALL(restart_syscall), ALL}, /* a wait goes on after SIGSTOP and SIGCONT */

	/* Identity, time and limits of the process itself. prlimit64: see fill(). */
	{CALL(getuid), ALL},
	{CALL(geteuid), ALL},
	{CALL(getgid), ALL},
	{CALL(getegid), ALL},
	{CALL(clock_gettime), ALL},   /* where the vDSO can't */
	{CALL(clock_getres), ALL},
	{CALL(clock_nanosleep), ALL}, /* pauses */
	{CALL(nanosleep), ALL},
	{CALL(gettimeofday), ALL},
	{CALL(time), ALL},
	{CALL(getrandom), ALL},       /* hashes, names */
	{CALL(setitimer), WORKER}, /* a reader that takes too long */
	{CALL(sysinfo), WORKER}, /* how much memory; qsort(3) asks, too */
	{CALL(getrlimit), ALL},
	{CALL(prctl), ALL},           /* names of threads; a right that is given up stays so */
};

#ifdef SANDBOX_FOR_CHECKERS
/* The leak checker stops all threads as a debugger does, and reports may want to run a program. */
static const struct call checkers_calls[] = {
	{CALL(clone), ALL}, {CALL(ptrace), ALL}, {CALL(wait4), ALL}, {CALL(arch_prctl), ALL},
	{CALL(personality), ALL}, {CALL(getdents64), ALL}, {CALL(readlink), ALL}, {CALL(pipe), ALL},
	{CALL(pipe2), ALL}, {CALL(mmap), ALL}, {CALL(mprotect), ALL}, {CALL(process_vm_readv), ALL},
	{CALL(ftruncate), ALL}, {CALL(flock), ALL}, {CALL(lseek), ALL}, {CALL(mkdir), ALL},
	{CALL(getdents), ALL}, {CALL(mincore), ALL}, {CALL(sched_yield), ALL}, {CALL(msync), ALL},
	{CALL(access), ALL}, {CALL(stat), ALL}, {CALL(getcwd), ALL}, {CALL(rseq), ALL},
	{CALL(set_robust_list), ALL},
};
#endif
/* clang-format on */

static int allow(scmp_filter_ctx filter, int number)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);

	/* This machine has no such call. */
	return r == -EDOM || r == -EFAULT ? 0 : r;
}

static int allow_calls(
	scmp_filter_ctx filter, const struct call *table, size_t count, unsigned process)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		if (table[i].processes & process)
			r = allow(filter, table[i].number);
	return r;
}

/* Where that argument, counted from 0, is the value. */
static int allow_where(scmp_filter_ctx filter, int number, unsigned argument, scmp_datum_t value)
{
	int r = seccomp_rule_add(
		filter, SCMP_ACT_ALLOW, number, 1, SCMP_CMP64(argument, SCMP_CMP_EQ, value));

	return r == -EDOM || r == -EFAULT ? 0 : r;
}

/* In place of the descriptor of inotify(7), whose number filter_enter_worker() knows. */
#define WATCHES_FD 0x77617463

/* In place of the worker's process number, which the daemon can't know yet. */
#define WORKER_PID 0x776f726b

/*
 * The first argument is another descriptor. Not NE: the filter compares 64 bits, and the kernel
 * takes the low 32.
 */
#define ELSEWHERE SCMP_A0(SCMP_CMP_LT, WATCHES_FD)

/* `is_elsewhere`: not with the descriptor of inotify(7). */
static int allow_command(scmp_filter_ctx filter, int command, bool is_elsewhere)
{
	static const int numbers[] = {CALL(fcntl), CALL(fcntl64)};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(numbers) / sizeof(*numbers); i++) {
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, numbers[i], is_elsewhere ? 2 : 1,
			SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)command), ELSEWHERE);
		if (r == -EDOM || r == -EFAULT)
			r = 0;
	}
	return r;
}

/*
 * Without F_SETOWN and F_SETSIG, which choose the process and the signal that the kernel sends for
 * a descriptor: root could choose any process.
 */
static int restrict_commands(scmp_filter_ctx filter, unsigned process)
{
	static const int commands[] = {
		F_DUPFD,
		F_DUPFD_CLOEXEC,
		F_GETFD,
		F_SETFD,
		F_GETFL,
		F_SETLEASE,
		F_GETLEASE, /* is it being written? */
		F_ADD_SEALS,
		F_GET_SEALS, /* what is handed over stays as it is */
		F_GETPIPE_SZ,
		F_SETPIPE_SZ, /* libfuse's */
		F_SETFL,
	};
	/* A worker: see restrict_watches(). */
	bool is_worker = process & WORKER;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!is_worker || (commands[i] != F_SETFL && commands[i] != F_DUPFD))
			r = allow_command(
				filter, commands[i], is_worker && commands[i] == F_DUPFD_CLOEXEC);
	return r;
}

/*
 * A worker shares the daemon's descriptor of inotify(7), to which it adds watches of remote layers.
 * It can't take events from there, also not by a duplicate; it can't make the daemon wait there
 * (F_SETFL); and it can't change or end a watch, as inotify_add_watch(2) does without IN_MASK_ADD.
 */
static int restrict_watches(scmp_filter_ctx filter, unsigned process)
{
	static const int numbers[] = {CALL(read), CALL(readv)};
	int r = 0;

	if (!(process & WORKER))
		return 0;
	for (size_t i = 0; r == 0 && i < sizeof(numbers) / sizeof(*numbers); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, numbers[i], 1, ELSEWHERE);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(inotify_add_watch), 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, IN_MASK_ADD | IN_ONESHOT, IN_MASK_ADD));
	return r;
}

/* Nothing that was written can be executed: no memory is made so. */
static int restrict_memory(scmp_filter_ctx filter)
{
	static const int numbers[] = {CALL(mmap), CALL(mmap2), CALL(mprotect)};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(numbers) / sizeof(*numbers); i++) {
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, numbers[i], 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
		if (r == -EDOM || r == -EFAULT)
			r = 0;
	}
	return r;
}

static int fill(scmp_filter_ctx filter, unsigned process)
{
	int r = allow_calls(filter, calls, sizeof(calls) / sizeof(*calls), process);

#ifdef SANDBOX_FOR_CHECKERS
	if (r == 0)
		r = allow_calls(filter, checkers_calls,
			sizeof(checkers_calls) / sizeof(*checkers_calls), process);
#endif
	if (r == 0)
		r = restrict_commands(filter, process);
	/* How many descriptors? Of ourselves alone: root may set those of all that is root's. */
	if (r == 0)
		r = allow_where(filter, CALL(prlimit64), 0, 0);
	if (r == 0)
		r = restrict_watches(filter, process);
	if (r == 0)
		r = restrict_memory(filter);
	/* abort(3): to the process itself. */
	if (r == 0)
		r = allow_where(filter, CALL(tgkill), 0,
			process & WORKER ? WORKER_PID : (scmp_datum_t)getpid());
	return r;
}

/* Returns 0 with *ret for seccomp_release(3), or -errno. */
static int make(enum sandbox_process process, scmp_filter_ctx *ret)
{
	/* Where there are filters, but not this one, the answer would be another. */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		return errno == EINVAL ? -EOPNOTSUPP : -errno;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return -ENOMEM;
	/* Most calls are the same few. */
	int r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = fill(filter, 1u << process);
	if (r < 0) {
		seccomp_release(filter);
		return r;
	}
	*ret = filter;
	return 0;
}

int filter_enter(enum sandbox_process process)
{
	scmp_filter_ctx filter;

	int r = make(process, &filter);
	if (r < 0)
		return r;
	/* All threads: libraries may have made some. */
	r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

static struct sock_fprog worker_filter; /* len 0: none was made */

int filter_prepare_worker(void)
{
	CLEANUP(closep) int fd = -1;
	scmp_filter_ctx filter;

	if (worker_filter.len)
		return 0;
	int r = make(SANDBOX_WORKER, &filter);
	if (r < 0)
		return r;
	fd = memfd_create("plyfs-filter", MFD_CLOEXEC);
	r = fd < 0 ? -errno : seccomp_export_bpf(filter, fd);
	seccomp_release(filter);
	off_t size = r < 0 ? 0 : lseek(fd, 0, SEEK_END);
	if (r < 0 || size <= 0)
		return r < 0 ? r : -EIO;
	struct sock_filter *program = malloc((size_t)size);
	if (!program || pread(fd, program, (size_t)size, 0) != size) {
		free(program);
		return -ENOMEM;
	}
	worker_filter.filter = program;
	worker_filter.len = (unsigned short)((size_t)size / sizeof(*program));
	return 0;
}

static void replace_constant(uint32_t constant, uint32_t value)
{
	for (unsigned i = 0; i < worker_filter.len; i++)
		if (BPF_CLASS(worker_filter.filter[i].code) == BPF_JMP &&
			worker_filter.filter[i].k == constant)
			worker_filter.filter[i].k = value;
}

int filter_enter_worker(int watches)
{
	int r = filter_prepare_worker();

	if (r != 0)
		return r;
	replace_constant(WATCHES_FD, (uint32_t)watches);
	replace_constant(WORKER_PID, (uint32_t)getpid());
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &worker_filter, 0, 0) < 0 ? -errno : 0;
}
