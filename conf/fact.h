/*
 * Facts: values that describe a machine, such as its role, for %{NAME} in plyfs.yaml. They stand in
 * the file that `facts` names, a map of names to scalars:
 *
 *      role: web
 *      site: fra1
 *
 * --fact NAME=VALUE overrules the file. A value is not trusted: it must be one name in a path, so
 * that "../../home/eve" can't choose a directory.
 */
#pragma once

#include "problem.h"
#include "settings_environment.h"

/**
 * `text` is the text behind "%{". If it begins with "NAME}", returns the length of NAME; else 0.
 */
size_t fact_name_length(const char *text);

/** Returns whether `text` is NAME=VALUE. */
bool fact_is_given(const char *text);

/**
 * Finds the value of a fact. Returns 0 with *ret, one path component that lives as long as
 * `around`. If the file has the fact without a value, *ret is NULL. Returns PROBLEM if the value
 * can't be one path component, or the fact is unknown. A wrong value in the file is reported at its
 * place in the file; other problems are reported at `place`, where plyfs.yaml uses the fact.
 */
int fact_find(const struct settings_environment *around, struct span name, const struct node *place,
	const char **ret, struct problem *problem);
