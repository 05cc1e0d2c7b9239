/*
 * Facts: values that describe a machine, such as its role, for %{NAME} in plyfs.yaml. Facts are in
 * the file that plyfs.yaml names by `facts`, as a map of names to scalars:
 *
 *      role: web
 *      site: fra1
 *
 * --fact NAME=VALUE overrules the file.
 */
#pragma once

#include "problem.h"
#include "settings_environment.h"

/** Returns the length of NAME if `text`, the text behind "%{", begins with "NAME}"; else 0. */
size_t fact_name_length(const char *text);

/** Returns whether `text` is NAME=VALUE. */
bool fact_is_given(const char *text);

/**
 * Finds the value of a fact. Returns 0 with *ret, one path component that lives as long as
 * `around`. If the file has the fact without a value, *ret is NULL. Returns PROBLEM if the fact is
 * unknown, or its value can't be one path component. `place` is where plyfs.yaml uses the fact.
 */
int fact_find(const struct settings_environment *around, struct span name, const struct node *place,
	const char **ret, struct problem *problem);
