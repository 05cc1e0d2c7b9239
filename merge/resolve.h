/*
 * What type a plain scalar's text has. Part of scalar.c.
 */
#pragma once

#include "scalar.h"

enum scalar_type resolve_plain(struct span text, enum node_schema schema);

/** Whether the text may be tagged !!timestamp. */
bool resolve_is_timestamp(struct span text);

/** Whether the text may be tagged !!float: what a float looks like in 1.1 or 1.2; an int as well.
 */
bool resolve_is_python_float(struct span text);

bool resolve_is_nan(struct span text, enum node_schema schema);

/** Whether the text of a boolean means true. */
bool resolve_is_true(struct span text);
