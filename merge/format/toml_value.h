/* The values of TOML that have no quotes: numbers, booleans, dates and times. */
#pragma once

#include "arena.h"
#include "scalar.h"

/**
 * Returns the type of `text`. Every kind of date and time is a timestamp. Returns SCALAR_STRING if
 * TOML has no such value without quotes, or an integer does not fit 64 bits.
 */
enum scalar_type toml_value_type(struct span text);

/** Returns the offset at which a time lacks its seconds (TOML 1.1); 0: no seconds are missing. */
size_t toml_value_lacks_seconds(struct span text);

/** Returns the number of days of the month. `month` is 1 to 12. */
int toml_value_days(int year, int month);

bool toml_value_is_nan(struct span text);

/** Returns a static text, the end of a message: why `text` is no value of TOML, and the remedy. */
const char *toml_value_fault(struct span text);

/**
 * Converts `text`, a timestamp of YAML 1.1, to TOML's form. Returns 0 with *ret in `arena`, -EINVAL
 * for a date or time that does not exist, or -ENOMEM.
 */
int toml_value_of_timestamp(struct span text, struct arena *arena, struct span *ret);
