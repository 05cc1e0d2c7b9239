/* A version in a record (record.h), without inode number, kernel references and fallbacks. */
#pragma once

#include "record.h"
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
