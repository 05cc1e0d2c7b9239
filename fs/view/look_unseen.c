/* How a look treats layers that could not be examined. */
#include <errno.h>

#include "attach.h"
#include "look.h"
#include "state.h"

/* The publisher keeps what is shown (refresh.c). */
void look_heed_past(struct look *look)
{
	if (look->purpose != LOOK_REFRESH && look->was_directory)
		union_keep_directory(&look->result.lookup);
}

/* Returns whether a layer below this one contributed to the version, and this one did not. */
static bool is_made_without(
	const struct version *version, const struct settings *settings, unsigned rank)
{
	bool has_lower = false;

	for (unsigned i = 0; i <= rank; i++) {
		bool has = version_has_layer(version, settings->layers[i]->name);
		if (i == rank && has)
			return false;
		has_lower |= has;
	}
	return has_lower;
}

bool look_heed_silence(struct look *look)
{
	const struct settings *settings = look->composer.settings;
	struct union_lookup *lookup = &look->result.lookup;
	bool is_late = false;

	/* A link that was shown before is not hidden by layers that do not answer now. */
	if (lookup->kind == UNION_LINK && look->shown &&
		version_has_layer(look->shown, settings->layers[lookup->found[0].layer]->name))
		lookup->whiteout_error = 0;
	for (unsigned i = lookup->count; i-- > 0;) {
		unsigned rank = lookup->found[i].layer;
		if (!layer_has_timed_out(-lookup->found[i].error))
			continue;
		/* If the file has several paths, it is unknown which of them the layer hides. */
		if (!lookup->expanded && look->shown && look->shown->kind != VERSION_BROKEN &&
			is_made_without(look->shown, settings, rank))
			union_drop(lookup, i);
		else
			is_late |= lookup->found[i].error == LAYER_LATE;
	}
	return is_late;
}

void look_heed_unseen(struct look *look)
{
	struct directory *parent = look->entry->parent;

	if (look->result.is_failed)
		attach_failed(look->view, parent);
	if (union_has_unseen(&look->result.lookup))
		attach_unseen(look->view, parent);
}
