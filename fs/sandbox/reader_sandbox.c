#include "reader_sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "store.h"
#include "strategy.h"

/* Wherever the layers are. */
static const struct {
	const char *path;
	enum sandbox_right right;
} fixed[] = {
	/* The kernel tells a FUSE file system by which process it is asked; which groups that is
	 * in, and which capabilities it has, stands there. So does what is mounted. Memory and
	 * descriptors of others are no files that one in a domain of Landlock may open. */
	{"/proc", SANDBOX_FILES},
	/* %u and %h of a layer's path, when plyfs.yaml is read again. */
	{"/etc/passwd", SANDBOX_FILES},
	{"/etc/nsswitch.conf", SANDBOX_FILES},
#ifdef SANDBOX_FOR_CHECKERS
	/* All threads are looked for; reports name functions and lines; coverage is written at the
	   end. */
	{"/proc", SANDBOX_READ},
	{"/usr", SANDBOX_READ},
	{"/lib", SANDBOX_READ},
	{SANDBOX_FOR_CHECKERS, SANDBOX_WRITE},
#endif
};

static int allow_presets(struct sandbox *sandbox, struct problem *problem)
{
	CLEANUP(freep) char *copy = strdup(preset_directories());
	char *list = copy;
	int r = copy ? 0 : -ENOMEM;

	for (const char *directory; r == 0 && (directory = strsep(&list, ":"));)
		r = sandbox_allow_path(sandbox, directory, SANDBOX_READ, problem);
	return r;
}

/* No library can be loaded later: its file can't be read, and nothing becomes executable. */
static void load_libraries(const struct settings *settings)
{
	/* libc loads it when a thread is cancelled or exits, and else aborts. */
	(void)dlopen("libgcc_s.so.1", RTLD_NOW);
	for (size_t i = 0; i < settings->rule_count; i++)
		if (settings->rules[i].options.strategy->load)
			settings->rules[i].options.strategy->load();
	for (size_t i = 0; i < settings->file_count; i++)
		if (settings->files[i].rule.options.strategy->load)
			settings->files[i].rule.options.strategy->load();
}

/*
 * Opens the state directory of the mirror that fills the layer: the next tree comes there, and the
 * mirror's report. Returns a descriptor; negative: it is no mirror's. Starts at the layer and goes
 * upwards, as the mount may lie over the layer's path.
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

int reader_sandbox_allow(
	struct sandbox *sandbox, const struct settings *settings, struct problem *problem)
{
	int r = 0;

	load_libraries(settings);
	for (size_t i = 0; r == 0 && i < sizeof(fixed) / sizeof(*fixed); i++)
		r = sandbox_allow_path(sandbox, fixed[i].path, fixed[i].right, problem);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		r = allow_layer(sandbox, settings->layers[i], problem);
	if (r == 0 && settings->place)
		r = sandbox_allow_path(sandbox, settings->place, SANDBOX_FILES, problem);
	return r == 0 ? allow_presets(sandbox, problem) : r;
}
