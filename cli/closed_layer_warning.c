#include "closed_layer_warning.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "probe.h"

static bool is_warned_of(
	const struct settings *settings, const char *beside, size_t before, const char *directory)
{
	char other[PATH_MAX];

	for (size_t i = 0; i < before; i++) {
		layer_closed_above(settings->layers[i], beside, other);
		if (strcmp(other, directory) == 0)
			return true;
	}
	return false;
}

int closed_layer_warn(const struct settings *settings, const char *beside,
	int (*warn)(void *context, const struct problem *warning), void *context)
{
	CLEANUP(freep) char *real = NULL;
	char directory[PATH_MAX];
	struct problem problem;
	int r = 0;

	/* A mount at that path may not answer: the wait has a limit. */
	(void)probe_real_path(PROBE_OTHERS_MS, beside, &real);
	for (size_t i = 0; real && r == 0 && i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		layer_closed_above(layer, real, directory);
		if (!*directory || is_warned_of(settings, real, i, directory))
			continue;
		problem_set(&problem, directory, 0, 0,
			"other users can't search this directory, but a mount shows them the "
			"layer '%s', which is in it; close the layer itself (chmod o-rx %s), or "
			"mount with -o private",
			layer->name, layer->place);
		r = warn(context, &problem);
	}
	return r;
}
