/*
 * Versions and sources in a record (record.h). A version is written without its inode, basis and
 * fallbacks. A source is written with its layer, path, stamp (version.h), text and time of reading.
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

/** Reads a version. Returns one reference; NULL: an error (record_error()). */
struct version *version_take(struct record *record);

/**
 * As version_take(), for the last value of a record. If a large record is mostly the file's bytes,
 * the version takes over the record's mapping (record_take_map()) instead of copying the bytes.
 */
struct version *version_take_last(struct record *record);

/** Writes the source. `text` is empty if no reader of the record needs the source's text. */
void source_put(struct record *record, const struct loaded *loaded, struct span text);

/**
 * Reads a source, whose layer must be one of `settings`. Returns 0; or -errno, after
 * record_spoil(). Call source_fini() in both cases. ret->text lives as long as the record.
 */
int source_take(struct record *record, const struct settings *settings, struct read_source *ret);
void source_fini(struct read_source *source);
