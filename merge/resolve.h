/* The type and value of a plain scalar's text, for scalar.c and the formats. */
#pragma once

#include "scalar.h"

/** Returns the type that the text has as a plain scalar of `schema`. */
enum scalar_type resolve_plain(struct span text, enum node_schema schema);

/** Returns whether the text may be tagged !!timestamp. */
bool resolve_is_timestamp(struct span text);

/** Returns whether the text may be tagged !!float. True also for an integer such as 80. */
bool resolve_is_python_float(struct span text);

bool resolve_is_nan(struct span text, enum node_schema schema);

/** Returns whether the text of a boolean means true. */
bool resolve_is_true(struct span text);
