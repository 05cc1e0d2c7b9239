/* The drafts' meta-schemas, to which a schema may refer. */
#pragma once

#include "span.h"

/**
 * Returns the text of the meta-schema with that URI (without a fragment), and sets *name to its
 * file name, for messages. Both are static. Returns NULL if no meta-schema has that URI.
 */
const char *draft_schema(struct span uri, const char **name);
