/* A source in a record (record.h): its layer, path, stamp and text, and when it was read. */
#pragma once

#include "record.h"
#include "settings.h"
#include "source_cache.h"

/** Writes the source with `text`; empty: the reader of the record does not need the text. */
void source_put(struct record *record, const struct loaded *loaded, struct span text);

/**
 * Takes a source out of the record; its layer must be one of the settings'. Returns 0; or -errno,
 * with the record spoilt. Call source_fini() in both cases. ret->text lives as long as the record.
 */
int source_take(struct record *record, const struct settings *settings, struct read_source *ret);
void source_fini(struct read_source *source);
