#include "mirror_sandbox.h"

#include "cleanup.h"

/* The places that mirrors need besides states. */
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

int mirror_sandbox_enter(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem)
{
	const struct sandbox_options options = {.process = SANDBOX_MIRROR, .switches = *switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;

	int r = sandbox_prepare(&options, &sandbox, problem);
	if (r == 0)
		r = sandbox_allow(sandbox, state_fd, SANDBOX_WRITE, problem);
	if (r == 0)
		r = sandbox_allow_path(sandbox, beside, SANDBOX_LINKS, problem);
	if (r == 0)
		r = allow_others(sandbox, problem);
	return r == 0 ? sandbox_enter(sandbox, ret, problem) : r;
}
