/* The values of TOML that have no quotes: numbers, booleans, dates and times. */
#pragma once

#include "arena.h"
#include "scalar.h"

/**
 * Returns the type of `text`; every kind of date and time is a timestamp. SCALAR_STRING: it is no
 * value of TOML, for example an integer that does not fit 64 bits.
 */
enum scalar_type toml_value_type(struct span text);

/**
 * Returns the offset at which the seconds of a time are missing, as TOML 1.1 allows; 0: it has
 * them, or the text is no time.
 */
size_t toml_value_lacks_seconds(struct span text);

bool toml_value_is_nan(struct span text);

/** Returns why `text` is no value of TOML: the end of a message, with the remedy. Static. */
const char *toml_value_fault(struct span text);

/**
 * Converts `text`, a timestamp of YAML 1.1, to TOML's form, in `arena`: a full date and time.
 * Returns 0, -EINVAL for a date that no calendar has, or -ENOMEM.
 */
int toml_value_of_timestamp(struct span text, struct arena *arena, struct span *ret);
