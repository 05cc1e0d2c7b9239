#include "reader_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "filter.h"
#include "probe.h"
#include "store.h"
#include "strategy.h"
#include "text.h"

/* Places that a worker may read in addition to the layers. */
static const struct {
	const char *path;
	enum sandbox_right right;
} fixed[] = {
	/* The process's own size, and the mounts. In a Landlock domain, a process can't open the
	 * memory and descriptors of processes outside of the domain. */
	{"/proc", SANDBOX_FILES},
#ifdef SANDBOX_FOR_CHECKERS
	/* A sanitizer lists all threads, reads names of functions and lines, and writes coverage
	 * at the end. */
	{"/proc", SANDBOX_READ},
	{"/usr", SANDBOX_READ},
	{"/lib", SANDBOX_READ},
	{SANDBOX_FOR_CHECKERS, SANDBOX_WRITE},
#endif
};

/* In the sandbox it is too late: the files can't be read, and no memory becomes executable. */
static void load_libraries(const struct settings *settings)
{
	for (size_t i = 0; i < settings->rule_count; i++)
		if (settings->rules[i].options.strategy->load)
			settings->rules[i].options.strategy->load();
	for (size_t i = 0; i < settings->file_count; i++)
		if (settings->files[i].rule.options.strategy->load)
			settings->files[i].rule.options.strategy->load();
}

/*
 * Opens the state directory of the mirror that fills the layer: the mirror puts its next tree and
 * its report there. Returns a descriptor; negative: the layer is no mirror's. Starts at the layer
 * and goes upwards, as the mount may lie over the layer's path.
 */
static int open_state(const struct layer *layer)
{
	char way[PATH_MAX] = "..";
	size_t used = strlen(way);

	if (layer->dirfd < 0 || !layer->store)
		return -1;
	for (const char *c = layer->store->inner; *c && used + 4 < sizeof(way); c++)
		if (*c == '/')
			used += (size_t)sprintf(way + used, "/..");
	return openat(layer->dirfd, way, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int allow_layer(struct sandbox *sandbox, const struct layer *layer, struct problem *problem)
{
	CLEANUP(closep) int state = open_state(layer);
	int r = layer->dirfd < 0 ? 0 : sandbox_allow(sandbox, layer->dirfd, SANDBOX_READ, problem);

	return r == 0 && state >= 0 ? sandbox_allow(sandbox, state, SANDBOX_READ, problem) : r;
}

/* Until reader_sandbox_prepare() sets them, workers keep all rights. */
static struct sandbox_switches switches = {.has_no_sandbox = true};

/* `settings` NULL: allows no layer. */
static int enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem)
{
	const struct sandbox_options options = {
		.process = SANDBOX_WORKER, .switches = switches, .watches = watches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;

	int r = sandbox_prepare(&options, &sandbox, problem);
	for (size_t i = 0; r == 0 && i < sizeof(fixed) / sizeof(*fixed); i++)
		r = sandbox_allow_path(sandbox, fixed[i].path, fixed[i].right, problem);
	for (size_t i = 0; r == 0 && settings && i < settings->layer_count; i++)
		r = allow_layer(sandbox, settings->layers[i], problem);
	return r == 0 ? sandbox_enter(sandbox, ret, problem) : r;
}

int reader_sandbox_enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem)
{
	load_libraries(settings);
	return enter(settings, watches, ret, problem);
}

/* The result of the trial. The child that makes the trial has no descriptors of layers. */
struct sandbox_trial {
	int r;
	struct sandbox_state state;
	struct problem problem;
};

static int try(void *context, int out)
{
	struct sandbox_trial trial = {0};

	(void)context;
	trial.r = enter(NULL, -1, &trial.state, &trial.problem);
	return text_write(out, (const char *)&trial, sizeof(trial));
}

int reader_sandbox_prepare(const struct settings *settings, const struct sandbox_switches *given,
	struct sandbox_state *ret, struct problem *problem)
{
	CLEANUP(freep) char *bytes = NULL;
	struct sandbox_trial trial;
	size_t len;

	switches = *given;
	load_libraries(settings);
	if (!switches.has_no_sandbox && !switches.has_no_seccomp)
		(void)filter_prepare_worker();
	int r = probe_run(PROBE_MS, try, NULL, &bytes, &len);
	if (r < 0)
		return r;
	if (len != sizeof(trial))
		return -EPROTO;
	memcpy(&trial, bytes, len);
	*ret = trial.state;
	*problem = trial.problem;
	return trial.r;
}
