/* The drafts' own schemas, to which a schema may refer. */
#pragma once

#include "span.h"

/**
 * Returns the text of the schema with that URI (without a fragment), and its name; NULL: there is
 * none.
 */
const char *draft_schema(struct span uri, const char **name);
