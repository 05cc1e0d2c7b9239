/* The faults of entries: set and cleared, counted and logged. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "entry.h"
#include "state.h"

/* Logs the fault; NULL: its end. */
static void log_fault(struct view *view, const struct entry *entry, const struct fault *fault)
{
	char text[FAULT_TEXT_MAX];
	CLEANUP(freep) char *path = NULL;
	struct problem mended;

	if (directory_join(entry->parent, entry->name, &path) < 0)
		return;
	if (fault) {
		fault_text(fault, path, text);
	} else {
		problem_set(&mended, path, 0, 0, "repaired");
		problem_format(&mended, text, sizeof(text));
	}
	view_log(view, text, fault ? &fault->problem : &mended);
}

/* If a broken file is shown as a link, then a dependency that asks for files must look again. */
static void note_broken_link(struct view *view, const struct entry *entry)
{
	if (entry->kind == UNION_LINK)
		dependency_stale(view, entry->parent);
}

void entry_clear_fault(struct view *view, struct entry *entry)
{
	if (!entry->use->fault)
		return;
	free(entry->use->fault);
	entry_used(entry)->fault = NULL;
	note_broken_link(view, entry);
	entry->parent->pins--;
	view->counts.faults--;
	if (!entry->parent->is_dead)
		log_fault(view, entry, NULL);
}

/* Returns when the last good state of the source that `problem` names was read. */
static struct timespec fallbacks_since(const struct version *version, const struct problem *problem)
{
	for (size_t i = 0; i < version->fallback_count; i++)
		if (strcmp(version->fallbacks[i]->source.name, problem->source) == 0)
			return version->fallbacks[i]->read;
	return version->fallbacks[0]->read;
}

void entry_set_fault(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out)
{
	struct fault *fault = entry->use->fault;
	bool is_news = !fault || !problem_equal(&fault->problem, problem);

	if (!fault) {
		fault = entry_used(entry)->fault = calloc(1, sizeof(*fault));
		if (!fault)
			return;
		clock_gettime(CLOCK_REALTIME, &fault->since);
		note_broken_link(view, entry);
		entry->parent->pins++;
		view->counts.faults++;
	}
	fault->problem = *problem;
	fault->made = (struct timespec){0};
	if (!shown) {
		fault->serves = FAULT_SERVES_COVERED;
	} else if (shown->kind == VERSION_BROKEN) {
		fault->serves = view->callbacks.keeps_rendered ? FAULT_SERVES_RENDERED
							       : FAULT_SERVES_NOTHING;
	} else if (shown->fallback_count) {
		fault->serves = FAULT_SERVES_FALLBACK;
		fault->made = fallbacks_since(shown, problem);
	} else if (is_left_out) {
		fault->serves = shown->is_held ? FAULT_SERVES_LOCKED : FAULT_SERVES_OTHER_LAYERS;
	} else {
		fault->serves = FAULT_SERVES_LAST_GOOD;
		fault->made = shown->made;
	}
	if (is_news)
		log_fault(view, entry, fault);
}
