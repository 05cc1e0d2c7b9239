#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "filter.h"
#include "landlock.h"

#define BIT(capability) (1ull << (capability))

/* To read layers whatever their modes are. If a service manager gives only CAP_DAC_OVERRIDE, the
 * process keeps that instead (keep_capabilities()). */
#define READ BIT(CAP_DAC_READ_SEARCH)

/* To find out whether a source of another user is being written (F_SETLEASE). */
#define LEASE BIT(CAP_LEASE)

static const unsigned long long needed[SANDBOX_PROCESSES] = {
	/* DAC_OVERRIDE: directories of our mount have no write bit. FOWNER: they may be sticky. */
	[SANDBOX_PUBLISH] = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER),
	/* Root's mirror may write the state of another user, and read keys of other users. */
	[SANDBOX_MIRROR] = READ | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER),
	[SANDBOX_WORKER] = READ | LEASE,
	[SANDBOX_STATE] = 0, /* its directory is its user's own */
};

/* Overwrites the variables, so that a user who reads the process's memory does not find them. */
static void clear_environment(void)
{
	for (char **at = environ; at && *at; at++)
		explicit_bzero(*at, strlen(*at));
	clearenv();
}

static unsigned long long permitted(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return (unsigned long long)data[1].permitted << 32 | data[0].permitted;
}

bool sandbox_has_capability(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	return syscall(SYS_capget, &header, data) == 0 &&
	       data[capability / 32].effective & 1u << capability % 32;
}

static int keep_capabilities(unsigned long long wanted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	unsigned long long has = permitted();

	if ((wanted & READ) && !(has & READ))
		wanted |= BIT(CAP_DAC_OVERRIDE);
	/* First the bounding set, as this needs CAP_SETPCAP. EINVAL: the kernel does not know
	 * the capability. */
	for (unsigned i = 0; i <= CAP_LAST_CAP; i++)
		if (!(wanted & BIT(i)) && (has & BIT(CAP_SETPCAP)) &&
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0 && errno != EINVAL)
			return -errno;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (!(has & ~wanted))
		return 0;
	has &= wanted;
	const struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)has, .permitted = (uint32_t)has},
		{.effective = (uint32_t)(has >> 32), .permitted = (uint32_t)(has >> 32)}};
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static int refuse(int error, const char *what, const char *remedy, struct problem *problem)
{
	return problem_set(problem, NULL, 0, 0,
		"the sandbox can't be entered: %s: %s; plyfs does not run without the sandbox that "
		"the kernel offers%s%s",
		what, strerror(-error), *remedy ? "; for debugging there is the option " : "",
		remedy);
}

struct sandbox {
	struct sandbox_options options;
	struct landlock landlock; /* fd: -1: none */
	enum sandbox_force landlock_force;
};

static int prepare_landlock(struct sandbox *sandbox)
{
	const struct sandbox_options *options = &sandbox->options;

	if (options->switches.has_no_landlock)
		return 0;
	int r = landlock_new(options->process, &sandbox->landlock);
	sandbox->landlock_force = r == -EOPNOTSUPP ? SANDBOX_UNAVAILABLE : SANDBOX_ON;
	return r == -EOPNOTSUPP ? 0 : r;
}

int sandbox_prepare(
	const struct sandbox_options *options, struct sandbox **ret, struct problem *problem)
{
	CLEANUP(sandbox_freep) struct sandbox *sandbox = malloc(sizeof(*sandbox));

	if (!sandbox)
		return -ENOMEM;
	*sandbox = (struct sandbox){.options = *options, .landlock = {.fd = -1}};
	if (!options->switches.has_no_sandbox) {
		/* The programs that a mirror runs need the environment. */
		if (options->process != SANDBOX_MIRROR)
			clear_environment();
		int r = prepare_landlock(sandbox);
		if (r < 0)
			return refuse(r, "Landlock", "nolandlock", problem);
	}
	*ret = take_ptr(sandbox);
	return 0;
}

int sandbox_allow(
	struct sandbox *sandbox, int fd, enum sandbox_right right, struct problem *problem)
{
	int r = sandbox->landlock.fd < 0 ? 0 : landlock_allow(&sandbox->landlock, fd, right);

	return r < 0 ? refuse(r, "Landlock", "nolandlock", problem) : 0;
}

int sandbox_allow_path(struct sandbox *sandbox, const char *path, enum sandbox_right right,
	struct problem *problem)
{
	CLEANUP(closep) int fd = open(path, O_PATH | O_CLOEXEC);

	/* A path that does not exist, or that this process can't open, needs no rule. */
	return fd < 0 ? 0 : sandbox_allow(sandbox, fd, right, problem);
}

void sandbox_freep(struct sandbox **sandbox)
{
	if (*sandbox)
		closep(&(*sandbox)->landlock.fd);
	free(*sandbox);
}

static int enter_filter(
	const struct sandbox *sandbox, struct sandbox_state *state, struct problem *problem)
{
	const struct sandbox_options *options = &sandbox->options;

	/* A process that runs other programs can't know their system calls. */
	if (options->process == SANDBOX_MIRROR || options->switches.has_no_seccomp)
		return 0;
	int r = options->process == SANDBOX_WORKER ? filter_enter_worker(options->watches)
						   : filter_enter(options->process);
	state->seccomp = r == FILTER_NOT_BUILT ? SANDBOX_NOT_BUILT
			 : r == -EOPNOTSUPP    ? SANDBOX_UNAVAILABLE
					       : SANDBOX_ON;
	if (r < 0 && r != -EOPNOTSUPP)
		return refuse(r, "the filter of system calls (seccomp)", "noseccomp", problem);
	return 0;
}

static int enter_rights(const struct sandbox *sandbox, struct problem *problem)
{
	enum sandbox_process process = sandbox->options.process;
	int r = 0;

	if (setrlimit(RLIMIT_CORE, &(struct rlimit){0}) < 0)
		return refuse(-errno, "RLIMIT_CORE", "", problem);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return refuse(-errno, "no_new_privs", "", problem);
	/* Landlock first: it needs no capability, and a process in a domain may still drop its
	 * own. */
	if (sandbox->landlock.fd >= 0)
		r = landlock_enter(&sandbox->landlock);
	if (r < 0)
		return refuse(r, "Landlock", "nolandlock", problem);
	if (r == 0)
		r = keep_capabilities(needed[process]);
	if (r < 0)
		return refuse(r, "capabilities", "", problem);
	/* After the change of credentials, which would reset it. An ordinary user's commands must
	 * read /proc/PID of the daemon, to find layers that the mount hides. */
	if ((geteuid() == 0 || process == SANDBOX_MIRROR) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return refuse(-errno, "PR_SET_DUMPABLE", "", problem);
	return 0;
}

int sandbox_enter(struct sandbox *sandbox, struct sandbox_state *ret, struct problem *problem)
{
	struct sandbox_state state = {.capabilities = permitted()};

	if (sandbox->options.switches.has_no_sandbox) {
		*ret = state;
		return 0;
	}
	int r = enter_rights(sandbox, problem);
	if (r != 0)
		return r;
	state = (struct sandbox_state){.landlock = sandbox->landlock_force,
		.landlock_abi = sandbox->landlock.abi,
		.no_new_privs = SANDBOX_ON,
		.capabilities = permitted()};
	r = enter_filter(sandbox, &state, problem);
	if (r != 0)
		return r;
	*ret = state;
	return 0;
}

/* The places that a mirror needs besides its state. */
static int allow_others(struct sandbox *sandbox, struct problem *problem)
{
	/* Standard streams of git. */
	int r = sandbox_allow_path(sandbox, "/dev/null", SANDBOX_WRITE, problem);
#ifdef SANDBOX_FOR_CHECKERS
	if (r == 0)
		r = sandbox_allow_path(sandbox, SANDBOX_FOR_CHECKERS, SANDBOX_WRITE, problem);
#endif
	return r;
}

int sandbox_enter_mirror(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem)
{
	const struct sandbox_options options = {.process = SANDBOX_MIRROR, .switches = *switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;

	int r = sandbox_prepare(&options, &sandbox, problem);
	if (r == 0 && state_fd >= 0)
		r = sandbox_allow(sandbox, state_fd, SANDBOX_WRITE, problem);
	if (r == 0 && state_fd >= 0)
		r = sandbox_allow_path(sandbox, beside, SANDBOX_LINKS, problem);
	if (r == 0 && state_fd >= 0)
		r = allow_others(sandbox, problem);
	return r == 0 ? sandbox_enter(sandbox, ret, problem) : r;
}

void sandbox_hide(const struct sandbox_switches *switches)
{
	struct rlimit core;

	if (switches->has_no_sandbox)
		return;
	/* An ordinary user's commands must read /proc/PID of the daemon, to find layers that the
	 * mount hides. */
	if (geteuid() == 0) {
		(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	} else if (getrlimit(RLIMIT_CORE, &core) == 0) {
		core.rlim_cur = 0;
		(void)setrlimit(RLIMIT_CORE, &core);
	}
}

void sandbox_put(struct json *out, const struct sandbox_state *state)
{
	static const char *const names[] = {[SANDBOX_OFF] = "off",
		[SANDBOX_ON] = "on",
		[SANDBOX_NOT_BUILT] = "not built in",
		[SANDBOX_UNAVAILABLE] = "not available"};
	char capabilities[17];

	snprintf(capabilities, sizeof(capabilities), "%llx", state->capabilities);
	json_put(out, "{'landlock': %s", names[state->landlock]);
	if (state->landlock == SANDBOX_ON)
		json_put(out, ", 'landlock_abi': %d", state->landlock_abi);
	json_put(out, ", 'seccomp': %s, 'no_new_privs': %hhd, 'capabilities': %s}",
		names[state->seccomp], (bool)(state->no_new_privs == SANDBOX_ON), capabilities);
}
