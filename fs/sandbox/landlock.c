#include "landlock.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's numbers and constants (linux/landlock.h), which are for ever. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define ASK_VERSION 1u
#define RULE_PATH_BENEATH 1

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_REMOVE_DIR (1ull << 4)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_DIR (1ull << 7)
#define FS_MAKE_REG (1ull << 8)
#define FS_MAKE_SOCK (1ull << 9)
#define FS_MAKE_FIFO (1ull << 10)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_MAKE_SYM (1ull << 12)
#define FS_REFER (1ull << 13)     /* version 2 */
#define FS_TRUNCATE (1ull << 14)  /* version 3 */
#define FS_IOCTL_DEV (1ull << 15) /* version 5 */

#define FS_ALL_1 (FS_REFER - 1)
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_BIND_TCP (1ull << 0)
#define NET_CONNECT_TCP (1ull << 1)

#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL (1ull << 1)

struct ruleset {
	uint64_t files;
	uint64_t net;    /* version 4 */
	uint64_t scoped; /* version 6 */
};

struct path_beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static const uint64_t rights[] = {
	[SANDBOX_READ] = FS_READ_FILE | FS_READ_DIR,
	[SANDBOX_FILES] = FS_READ_FILE,
	[SANDBOX_WRITE] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_DIR |
			  FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO |
			  FS_MAKE_SYM | FS_REFER,
	[SANDBOX_LINKS] = FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_SYM,
	[SANDBOX_STORE] = FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_FILE | FS_MAKE_REG,
	[SANDBOX_NAMES] =
		FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM | FS_REFER,
};

/* Returns all that this version of Landlock can forbid, except what the process needs. */
static struct ruleset handled(enum sandbox_process process, long abi)
{
	struct ruleset set = {.files = FS_ALL_1 | (abi >= 2 ? FS_REFER : 0) |
				       (abi >= 3 ? FS_TRUNCATE : 0) |
				       (abi >= 5 ? FS_IOCTL_DEV : 0)};

	/* A mirror may read files and connect as its user may. */
	if (process == SANDBOX_MIRROR)
		set.files &= ~(FS_EXECUTE | FS_READ_FILE | FS_READ_DIR | FS_IOCTL_DEV);
	else if (abi >= 4)
		set.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (abi >= 6)
		set.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
	return set;
}

int landlock_new(enum sandbox_process process, struct landlock *ret)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);

	/* EPERM: a container's filter of system calls does not know Landlock. */
	if (abi < 1)
		return abi < 0 && errno != ENOSYS && errno != EPERM && errno != EOPNOTSUPP
			       ? -errno
			       : -EOPNOTSUPP;
	struct ruleset set = handled(process, abi);
	/* An older kernel takes a longer structure if the fields that it does not know are 0. */
	int fd = (int)syscall(CREATE_RULESET, &set, sizeof(set), 0);
	if (fd < 0)
		return -errno;
	*ret = (struct landlock){.fd = fd, .abi = (int)abi, .files = set.files};
	return 0;
}

int landlock_allow(const struct landlock *landlock, int fd, enum sandbox_right right)
{
	struct path_beneath rule = {.allowed = rights[right] & landlock->files, .fd = fd};

	if (syscall(ADD_RULE, landlock->fd, RULE_PATH_BENEATH, &rule, 0) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* It is no directory. fstat(2) would tell that, but may get no answer. */
	rule.allowed &= FS_OF_FILES;
	if (rule.allowed == 0)
		return 0;
	return syscall(ADD_RULE, landlock->fd, RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

int landlock_enter(const struct landlock *landlock)
{
	return syscall(RESTRICT_SELF, landlock->fd, 0) < 0 ? -errno : 0;
}
