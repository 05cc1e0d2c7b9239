#include "mount_circle.h"

#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "document.h"
#include "message.h"
#include "mount_table.h"
#include "plyfs_mount.h"
#include "probe.h"
#include "report.h"
#include "settings.h"

/* Bounds for the answers of other mounts. */
#define CIRCLE_MAX 4
#define ASKED_MAX 64

struct circle_search {
	const char *mountpoint;
	unsigned asked; /* the number of layers of other mounts */
};

/* Returns whether the layer `path` is a mount from which layers lead to the mountpoint. */
static bool leads_back(struct circle_search *search, const char *path, unsigned depth)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *real = NULL;
	struct table_mount entry;
	struct problem ignored;

	if (!path || probe_real_path(PROBE_MS, path, &real) < 0)
		return false;
	/* A mount may lie over its own layer. */
	if (strcmp(real, search->mountpoint) == 0)
		return depth > 0;
	/* In a directory of a mount, each lookup is about a deeper path, and so ends. */
	if (depth == CIRCLE_MAX || plyfs_mount_entry(real, &entry) < 0 ||
		strcmp(entry.path, real) != 0 ||
		plyfs_mount_report(real, NULL, &document, &ignored) != 0)
		return false;
	const struct node *layers = report_get(document->roots[0], "layers");
	for (uint32_t i = 0; i < report_count(layers) && search->asked++ < ASKED_MAX; i++)
		if (leads_back(search, report_text(layers->seq.items[i], "path"), depth + 1))
			return true;
	return false;
}

int mount_circle_refuse(const struct settings *settings, const char *mountpoint)
{
	struct circle_search search = {0};
	CLEANUP(freep) char *real = NULL;

	if (settings_note_remote(settings) < 0)
		return EXIT_DONE;
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		/* A probe is a process: only for layers that can be a mount of plyfs. */
		if (!layer->is_remote)
			continue;
		if (!real && probe_real_path(PROBE_MS, mountpoint, &real) < 0)
			return EXIT_DONE;
		search.mountpoint = real;
		if (!leads_back(&search, layer->path, 0))
			continue;
		return message_at(layer->path,
			"this layer is a mount that has the mountpoint '%s' as a layer itself, so "
			"each would wait for the other; leave one of these layers out",
			real);
	}
	return EXIT_DONE;
}
