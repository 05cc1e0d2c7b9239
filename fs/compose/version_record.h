/*
 * In a record (record.h): a version, without inode number, kernel references and fallbacks; and a
 * source, with its layer, path, stamp and text, and when it was read.
 */
#pragma once

#include "record.h"
#include "settings.h"
#include "source_cache.h"
#include "version.h"

void stamp_put(struct record *record, const struct stamp *stamp);
struct stamp stamp_take(struct record *record);

/** Writes the version; its descriptor is duplicated. */
void version_put(struct record *record, const struct version *version);

/** Reads a version. Returns it with one reference; or NULL after an error: see record_error(). */
struct version *version_take(struct record *record);

/**
 * As version_take(), for the last value of a record. If most of a large record is the file's bytes,
 * the version does not copy these bytes, but takes over the record's mapping (record_take_map()).
 */
struct version *version_take_last(struct record *record);

/** Writes the source with `text`; empty: the reader of the record does not need the text. */
void source_put(struct record *record, const struct loaded *loaded, struct span text);

/**
 * Takes a source out of the record; its layer must be one of the settings'. Returns 0; or -errno,
 * with the record spoilt. Call source_fini() in both cases. ret->text lives as long as the record.
 */
int source_take(struct record *record, const struct settings *settings, struct read_source *ret);
void source_fini(struct read_source *source);
