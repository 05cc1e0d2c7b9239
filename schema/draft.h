/*
 * The drafts' own schemas, which a schema may refer to.
 */
#pragma once

#include "span.h"

/** The text of the one with that URI (without a fragment), with its name; NULL: there is none. */
const char *draft_schema(struct span uri, const char **name);
