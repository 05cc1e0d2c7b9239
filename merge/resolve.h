/* The type and value of a plain scalar's text. Part of scalar.c. */
#pragma once

#include "scalar.h"

/** Returns the type of the text as a plain scalar of the schema. */
enum scalar_type resolve_plain(struct span text, enum node_schema schema);

/** Returns whether the text may be tagged !!timestamp. */
bool resolve_is_timestamp(struct span text);

/** Returns whether the text may be tagged !!float: it is a float or int of YAML 1.1 or 1.2. */
bool resolve_is_python_float(struct span text);

/** Returns whether the text, a float, is NaN. */
bool resolve_is_nan(struct span text, enum node_schema schema);

/** Returns whether the text, a boolean, means true. */
bool resolve_is_true(struct span text);
