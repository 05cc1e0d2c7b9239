#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "helper.h"

/* The processes that may make a call. */
#define DAEMON (1u << SANDBOX_DAEMON)
#define PUBLISH (1u << SANDBOX_PUBLISH)
#define MONITOR (1u << SANDBOX_MONITOR)
#define RENDER (1u << SANDBOX_RENDER)
#define WORKER (1u << SANDBOX_WORKER)
#define STATE (1u << SANDBOX_STATE)
#define VIEWS (DAEMON | RENDER) /* those that show layers, and fork workers */
#define THREADED (VIEWS | MONITOR)
#define READERS (THREADED | WORKER) /* who opens what was found by name */
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
	{CALL(read), ALL & ~WORKER}, /* files, pipes, inotify, timers, /dev/fuse */
	{CALL(readv), READERS & ~WORKER}, /* stdio */
	{CALL(pread64), READERS}, /* parts of files that many readers share */
	{CALL(preadv2), VIEWS}, /* large files, if they are in memory */
	{CALL(write), ALL},      /* answers to /dev/fuse, messages, what is rendered */
	{CALL(writev), ALL},     /* answers to /dev/fuse in parts; stdio */
	{CALL(pwrite64), RENDER}, /* parts of a file */
	{CALL(close), ALL},
	{CALL(close_range), ALL}, /* closefrom(3) */
	{CALL(lseek), ALL},      /* stdio */
	{CALL(dup), ALL & ~WORKER}, /* duplicates */
	{CALL(dup2), DAEMON},    /* leaves the terminal */
	{CALL(dup3), DAEMON},    /* …, as libc makes it of dup2 on some machines */
	{CALL(fstat), ALL},      /* is it still the same file? */
	{CALL(newfstatat), ALL}, /* libc's fstat(3), and lstat(2) in layers */
	{CALL(fstatat64), ALL},  /* … of 32 bits */
	{CALL(statx), ALL},      /* … where libc makes it of that */
	{CALL(fstatfs), READERS}, /* is it on a network, or the kernel's own? */
	{CALL(fstatfs64), READERS},
	{CALL(statfs), READERS},
	{CALL(statfs64), READERS},
	{CALL(getdents64), READERS}, /* directories are listed */
	{CALL(readlink), READERS},   /* /proc/self/fd/N: where is it? */
	{CALL(readlinkat), READERS}, /* links in layers */
	{CALL(fgetxattr), READERS},  /* access lists of sources */
	{CALL(getxattr), READERS},   /* … by way of /proc/self/fd */
	{CALL(flistxattr), READERS},
	{CALL(listxattr), READERS},
	{CALL(lgetxattr), READERS},
	{CALL(pipe2), VIEWS},  /* libfuse splices through one; the end of a connection */
	{CALL(splice), VIEWS},        /* libfuse: files' bytes to /dev/fuse */
	{CALL(vmsplice), VIEWS},      /* … bytes in memory */
	{CALL(tee), VIEWS},           /* … */
	{CALL(poll), ALL},            /* waits for several */
	{CALL(ppoll), ALL},
	{CALL(eventfd2), VIEWS}, /* wakes who waits */
	{CALL(timerfd_create), VIEWS},  /* … at a time */
	{CALL(timerfd_settime), VIEWS},
	{CALL(timerfd_gettime), VIEWS},
	{CALL(signalfd4), VIEWS},       /* SIGHUP is read */
	/* what a check is to judge, and what is kept beside memory; a large answer */
	{CALL(memfd_create), VIEWS | WORKER},
	{CALL(ftruncate), RENDER},

	/* a worker gives up what its parent may do */
	{CALL(landlock_restrict_self), VIEWS},
	{CALL(capget), VIEWS},
	{CALL(capset), VIEWS},

	/* Names. Landlock says which. */
	{CALL(openat), ALL},          /* publish: directories of our mount */
	{CALL(open), ALL},            /* libc's own, on some machines */
	{CALL(openat2), READERS},     /* beneath a layer */
	{CALL(access), READERS},      /* is a preset there? */
	{CALL(faccessat), READERS},
	{CALL(faccessat2), READERS},
	{CALL(stat), READERS},
	{CALL(lstat), READERS},
	{CALL(getcwd), READERS},      /* realpath(3) */
	{CALL(chdir), DAEMON},        /* leaves the directory that it was started in */
	{CALL(inotify_init1), VIEWS}, /* the watches */
	{CALL(inotify_add_watch), VIEWS}, /* a worker: see restrict_watches() */
	{CALL(inotify_rm_watch), VIEWS},
	{CALL(renameat), PUBLISH | RENDER | STATE}, /* a version moves to its path */
	{CALL(renameat2), PUBLISH | RENDER | STATE},
	{CALL(rename), PUBLISH | RENDER},
	{CALL(unlinkat), PUBLISH | RENDER | STATE}, /* a path goes */
	{CALL(unlink), RENDER},
	{CALL(rmdir), RENDER},
	{CALL(mkdirat), PUBLISH | RENDER},  /* a directory comes */
	{CALL(mkdir), PUBLISH | RENDER},
	{CALL(linkat), RENDER},     /* files that two generations have in common */
	{CALL(link), RENDER},
	{CALL(symlinkat), RENDER},  /* links that are shown; ..data */
	{CALL(symlink), RENDER},
	{CALL(fchmod), RENDER},     /* what is rendered is like what it merges */
	{CALL(fchmodat), RENDER},
	{CALL(chmod), RENDER},
	{CALL(fchown), RENDER},
	{CALL(fchownat), RENDER},
	{CALL(utimensat), PUBLISH | RENDER}, /* a file has another time */
	{CALL(fsetxattr), RENDER},
	{CALL(setxattr), RENDER},
	{CALL(fremovexattr), RENDER},
	{CALL(fsync), RENDER},    /* is on the disk before it is renamed */
	{CALL(fdatasync), RENDER},
	{CALL(syncfs), RENDER | STATE},
	{CALL(fallocate), RENDER},  /* is there room? */
	/* one renderer at a time; does a mirror run? the state's directory changes hands */
	{CALL(flock), RENDER | DAEMON | STATE},
	{CALL(umask), RENDER},
	{CALL(umount2), MONITOR},    /* the end of the mount */

	/* Open sockets: to plyfs-run, plyfs-publish, plyfs-monitor, and to a new daemon. */
	{CALL(accept4), DAEMON},    /* … by the one that is listened at */
	{CALL(accept), DAEMON},
	{CALL(getsockopt), DAEMON}, /* … who is it? */
	{CALL(listen), DAEMON},     /* … by a new daemon, from now on */
	{CALL(epoll_ctl), DAEMON},  /* … is waited for */
	{CALL(rt_sigpending), DAEMON}, /* … not if we are to end */
	{CALL(socketpair), VIEWS}, /* … for the heir's record; a worker's jobs */
	{CALL(sendto), ALL},
	{CALL(recvfrom), ALL},
	{CALL(sendmsg), ALL}, /* with a descriptor */
	{CALL(recvmsg), ALL},
	{CALL(shutdown), ALL},

	/* `socket` itself: see fill(). */
	{CALL(connect), MONITOR}, /* /dev/log */

	{CALL(uname), ALL},              /* who looks up %H */

	/* Threads. clone: see restrict_processes(). */
	{CALL(futex), ALL},              /* locks */
	{CALL(set_robust_list), THREADED}, /* of a new thread */
	{CALL(rseq), THREADED},
	{CALL(set_tid_address), THREADED},
	{CALL(sched_yield), THREADED},
	{CALL(sched_getaffinity), ALL},  /* how many processors; which */
	{CALL(gettid), ALL},
	{CALL(getpid), ALL},
	{CALL(getppid), ALL},
	/* pthread_getattr_np(3), of sanitizers and valgrind */
	{CALL(sched_getparam), THREADED},
	{CALL(sched_getscheduler), THREADED},
	{CALL(sched_getattr), THREADED},
	{CALL(exit), ALL},
	{CALL(exit_group), ALL},
	/* plyfs-publish, plyfs-run and plyfs-monitor have ended */
	{CALL(wait4), DAEMON | RENDER},
	{CALL(waitid), DAEMON | RENDER},
	{CALL(pidfd_open), VIEWS}, /* has a worker ended? */

	/* Signals, and what comes back from them. tgkill, kill: see restrict_processes(). */
	{CALL(rt_sigaction), ALL},
	{CALL(rt_sigprocmask), ALL},
	{CALL(rt_sigreturn), ALL},
	{CALL(rt_sigtimedwait), VIEWS},
	{CALL(rt_sigsuspend), VIEWS},
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
	{CALL(getrusage), VIEWS},
	{CALL(setitimer), WORKER | VIEWS}, /* a reader that takes too long */
	{CALL(sysinfo), VIEWS | WORKER}, /* how much memory; qsort(3) asks, too */
	{CALL(getrlimit), ALL},
	{CALL(prctl), ALL},           /* names of threads; what is given up can't be had back */
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

/* The first argument is another descriptor. */
#define ELSEWHERE SCMP_A0(SCMP_CMP_NE, WATCHES_FD)

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

/* A helper is ended; if it is stopped, it must go on for that. */
static int restrict_signals(scmp_filter_ctx filter, scmp_datum_t helper)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(kill), 2,
		SCMP_A0(SCMP_CMP_EQ, helper), SCMP_A1(SCMP_CMP_EQ, SIGKILL));

	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(kill), 2,
			SCMP_A0(SCMP_CMP_EQ, helper), SCMP_A1(SCMP_CMP_EQ, SIGCONT));
	return r;
}

/*
 * Threads, and as the only processes the daemon's workers. clone3(2) has its flags in memory, where
 * no filter sees them; if it answers ENOSYS, libc uses clone(2). Signals may go to ourselves, and
 * to the few processes that we have to end.
 */
static int restrict_processes(scmp_filter_ctx filter, unsigned process)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0);

	if (r == 0 && (process & THREADED))
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(clone), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
	/* As fork(3) calls it: workers. */
	if (r == 0 && (process & VIEWS))
		r = allow_where(filter, CALL(clone), 0,
			CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(tgkill), 1,
			SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	for (enum helper_kind kind = 0; r == 0 && !(process & WORKER) && kind < HELPER_KINDS;
		kind++)
		if (helper_pid(kind))
			r = restrict_signals(filter, (scmp_datum_t)helper_pid(kind));
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
	if (r == 0)
		r = restrict_processes(filter, process);
	/* The system's log, and nothing that leads out of the machine. */
	if (r == 0 && (process & MONITOR))
		r = seccomp_rule_add(
			filter, SCMP_ACT_ALLOW, CALL(socket), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
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

static struct sock_fprog worker_filter; /* len 0: none */

int filter_prepare_worker(void)
{
	CLEANUP(closep) int fd = memfd_create("plyfs-filter", MFD_CLOEXEC);
	scmp_filter_ctx filter;

	if (fd < 0)
		return -errno;
	int r = make(SANDBOX_WORKER, &filter);
	if (r < 0)
		return r;
	r = seccomp_export_bpf(filter, fd);
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

int filter_enter_worker(int watches)
{
	if (!worker_filter.len)
		return 0;
	for (unsigned i = 0; i < worker_filter.len; i++)
		if (BPF_CLASS(worker_filter.filter[i].code) == BPF_JMP &&
			worker_filter.filter[i].k == WATCHES_FD)
			worker_filter.filter[i].k = (uint32_t)watches;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &worker_filter, 0, 0) < 0 ? -errno : 0;
}
