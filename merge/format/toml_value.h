/*
 * The values of TOML that are written without quotes: numbers, booleans, dates and times.
 */
#pragma once

#include "arena.h"
#include "scalar.h"

/**
 * The type of `text`, which is a timestamp for each kind of date and time. SCALAR_STRING: it is no
 * value of TOML, for example because an integer does not fit 64 bits.
 */
enum scalar_type toml_value_type(struct span text);

bool toml_value_is_nan(struct span text);

/** Why `text` is no value of TOML: a phrase that goes on behind it, and the remedy. Static. */
const char *toml_value_fault(struct span text);

/**
 * The timestamp of YAML 1.1 `text` as TOML has it, in `arena`: a date and time in full. -EINVAL for
 * one that no calendar has. 0 or -ENOMEM.
 */
int toml_value_of_timestamp(struct span text, struct arena *arena, struct span *ret);
