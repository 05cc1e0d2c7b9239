/*
 * What a mount and a rendered tree tell of themselves alike, in .plyfs/status: parts of its JSON.
 */
#pragma once

#include <stdio.h>

#include "sandbox.h"
#include "view.h"

/** "directory" and "settings", each with a comma behind. `trouble` may be NULL. */
void status_put_settings(FILE *out, const struct settings *settings, const char *coherence,
	const struct trouble *trouble);

/**
 * "layers", with a comma behind: of one that a mirror keeps, whoever runs that, also what it says of
 * itself; what is wrong there only for who `is_trusted`.
 */
void status_put_layers(FILE *out, const struct settings *settings, bool is_trusted);

/** A line for each trouble of a mirror that keeps a layer. */
void status_put_mirror_lines(FILE *out, const struct settings *settings);

/** "not_checked", "versions", "watches", … "trouble_count", each with a comma behind. */
void status_put_view(FILE *out, struct view *view, const struct settings *settings);

/** "sandbox" and "monitor" (monitor.h), each with a comma behind. `remedy`: when that has ended. */
void status_put_sandbox(FILE *out, const struct sandbox_state *state, const char *remedy);

/** "on_change", with a comma behind; what went wrong only for who `is_trusted`. */
void status_put_notices(FILE *out, struct view *view, bool is_trusted);

/** "troubles", which of no view (NULL: whoever asks must not know them) are none. */
void status_put_troubles(FILE *out, struct view *view);
