/* Parts of the JSON in .plyfs/status that a mount and a rendered tree share. */
#pragma once

#include "sandbox.h"
#include "view.h"

/**
 * Writes "directory", with a comma in front, and "settings", with a comma after it. `coherence` is
 * "cached" or "strict". `fault` is the fault of the settings; NULL: none is written.
 */
void status_put_settings(struct json *out, const struct settings *settings, const char *coherence,
	const struct fault *fault);

/**
 * Writes "layers", including the reports of the mirrors that fill layers, with a comma after it.
 * Errors of mirrors are written only if the reader `is_trusted`.
 */
void status_put_layers(struct json *out, const struct settings *settings, bool is_trusted);

/** Writes a line for each error of the mirrors that fill layers. */
void status_put_mirror_lines(FILE *out, const struct settings *settings);

/** Writes "not_checked", "versions", "watches", … "trouble_count", each with a comma after it. */
void status_put_view(struct json *out, struct view *view, const struct settings *settings);

/** Writes "sandbox", with a comma after it: which parts of the workers' sandbox are in force. */
void status_put_sandbox(struct json *out, const struct sandbox_state *state);

/**
 * Writes "processes", with a comma after it: the helpers (helper.h), and the error of each, if any.
 * The error of a helper that has ended includes `remedy`, the advice to the user.
 */
void status_put_processes(struct json *out, const char *remedy);

/** Writes the errors of "processes" for people, a line each. */
void status_put_process_lines(FILE *out, const char *remedy);

/** Writes "on_change", with a comma after it. Writes errors only if the reader `is_trusted`. */
void status_put_hooks(struct json *out, struct view *view, bool is_trusted);

/** Writes "troubles". `view` NULL: the reader must not know the faults, so the list is empty. */
void status_put_faults(struct json *out, struct view *view);
