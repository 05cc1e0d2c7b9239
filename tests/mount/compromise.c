/*
 * A daemon under an attacker's control, for one test. Its reader of YAML obeys lines "# attempt:
 * WHAT [ARGUMENT]" in a source, and reports each result on standard error. It is linked around
 * libyaml's yaml_parser_set_input_string(), so plyfs' own code does not know of it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

#define WORD_MAX 256

void __real_yaml_parser_set_input(yaml_parser_t *parser, yaml_read_handler_t *handler, void *data);
void __wrap_yaml_parser_set_input(yaml_parser_t *parser, yaml_read_handler_t *handler, void *data);

/* Returns 0 or -errno; closes the descriptor. */
static int result_of(int fd)
{
	int r = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

static int try_read(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd >= 0 && read(fd, &byte, 1) < 0 ? -errno : 0;

	return r < 0 ? (close(fd), r) : result_of(fd);
}

static int try_open(const char *path)
{
	return result_of(open(path, O_RDONLY | O_CLOEXEC));
}

static int try_write(const char *path)
{
	return result_of(open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
}

static int try_create(const char *path)
{
	return result_of(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

static int try_execute(const char *path)
{
	char *words[] = {(char *)(uintptr_t)path, NULL};
	int status = 0;
	pid_t pid = fork();

	if (pid <= 0)
		execv(path, words);
	if (pid == 0)
		_exit(errno);
	if (pid < 0)
		return -errno;
	return waitpid(pid, &status, 0) < 0 ? -errno : -WEXITSTATUS(status);
}

static int try_fork(const char *argument)
{
	pid_t pid = fork();

	(void)argument;
	if (pid == 0)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) < 0 ? -errno : 0;
}

static int try_connect(const char *port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return result_of(fd);
	int r = -errno;
	close(fd);
	return r;
}

static int try_abstract(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path + 1, name, sizeof(address.sun_path) - 2);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address,
			      (socklen_t)(sizeof(sa_family_t) + 1 + strlen(name))) == 0)
		return result_of(fd);
	int r = -errno;
	close(fd);
	return r;
}

static int try_ptrace(const char *pid)
{
	if (ptrace(PTRACE_SEIZE, atoi(pid), NULL, NULL) < 0)
		return -errno;
	ptrace(PTRACE_DETACH, atoi(pid), NULL, NULL);
	return 0;
}

static int try_kill(const char *pid)
{
	return kill(atoi(pid), SIGCONT) < 0 ? -errno : 0;
}

/* A message such as the kernel sends for a descriptor of ours: to which process, and which one. */
static int try_signal(const char *pid)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	int r = fcntl(ends[0], F_SETOWN, atoi(pid)) < 0 || fcntl(ends[0], F_SETSIG, SIGCONT) < 0 ||
				fcntl(ends[0], F_SETFL, O_ASYNC) < 0 || write(ends[1], "", 1) < 0
			? -errno
			: 0;
	close(ends[0]);
	close(ends[1]);
	return r;
}

/* Attempts to use what the daemon has already. */
static int try_limit(const char *pid)
{
	struct rlimit limit;

	if (prlimit(atoi(pid), RLIMIT_CORE, NULL, &limit) < 0)
		return -errno;
	return prlimit(atoi(pid), RLIMIT_CORE, &limit, NULL) < 0 ? -errno : 0;
}

static int try_processor(const char *pid)
{
	cpu_set_t where;

	if (sched_getaffinity(0, sizeof(where), &where) < 0)
		return -errno;
	return sched_setaffinity(atoi(pid), sizeof(where), &where) < 0 ? -errno : 0;
}

static int try_mount(const char *path)
{
	if (mount("tmpfs", path, "tmpfs", 0, NULL) < 0)
		return -errno;
	return umount(path) < 0 ? -errno : 0;
}

static int try_code(const char *argument)
{
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argument;
	if (code == MAP_FAILED)
		return -errno;
	munmap(code, 4096);
	return 0;
}

static int try_environment(const char *name)
{
	return getenv(name) ? 0 : -ENOENT;
}

/* The descriptor of inotify(7) that it shares with the daemon; -1: there is none. */
static int find_watches(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[64], target[64];
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		if (strcmp(target, "anon_inode:inotify") == 0)
			return fd;
	}
	return -1;
}

/* A filter sees an argument's high bits, and the kernel ignores those of a descriptor. */
#define HIGH_BIT ((unsigned long)UINT32_MAX + 1)

/* Takes the daemon's events away. */
static int try_events(const char *how)
{
	char bytes[4096];
	int watches = find_watches();
	unsigned long named = (unsigned)watches | (strncmp(how, "high", 4) == 0 ? HIGH_BIT : 0);

	if (watches < 0)
		return -EBADF;
	long fd = strcmp(how, "dup") == 0 ? dup(watches)
		  : strstr(how, "fcntl")  ? syscall(SYS_fcntl, named, F_DUPFD_CLOEXEC, 0)
					  : (long)named;
	if (fd < 0)
		return -errno;
	return syscall(SYS_read, fd, bytes, sizeof(bytes)) < 0 && errno != EAGAIN ? -errno : 0;
}

/* Has a directory watched for nothing that matters. */
static int try_unwatch(const char *path)
{
	return inotify_add_watch(find_watches(), path, IN_DELETE_SELF) < 0 ? -errno : 0;
}

static const struct {
	const char *name;
	int (*attempt)(const char *argument);
} attempts[] = {{"read", try_read}, {"open", try_open}, {"write", try_write},
	{"create", try_create}, {"execute", try_execute}, {"fork", try_fork},
	{"connect", try_connect}, {"abstract", try_abstract}, {"ptrace", try_ptrace},
	{"kill", try_kill}, {"signal", try_signal}, {"limit", try_limit},
	{"processor", try_processor}, {"mount", try_mount}, {"code", try_code},
	{"environment", try_environment}, {"events", try_events}, {"unwatch", try_unwatch}};

static void obey(const char *line)
{
	char what[WORD_MAX], argument[WORD_MAX] = "";

	if (sscanf(line, "# attempt: %255s %255s", what, argument) < 1)
		return;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
		if (strcmp(attempts[i].name, what) == 0) {
			int r = attempts[i].attempt(argument);
			dprintf(STDERR_FILENO, "attempt %s %s: %s\n", what, argument,
				r < 0 ? strerrorname_np(-r) : "done");
		}
}

/* The input of this thread's parser. */
static _Thread_local yaml_read_handler_t *feed;
static _Thread_local void *feed_data;

/* One piece of a source; a small source is one piece. */
static int feed_and_obey(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
	int is_read = feed(data, buffer, size, size_read);
	char *text = is_read ? strndup((const char *)buffer, *size_read) : NULL, *rest = text;

	for (const char *line; text && (line = strsep(&rest, "\n"));)
		obey(line);
	free(text);
	return is_read;
}

void __wrap_yaml_parser_set_input(yaml_parser_t *parser, yaml_read_handler_t *handler, void *data)
{
	feed = handler;
	feed_data = data;
	__real_yaml_parser_set_input(parser, feed_and_obey, feed_data);
}
