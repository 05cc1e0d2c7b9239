/*
 * The output of a check. The output names places (lines, columns) in the judged file.
 * run_output_read() turns them into places in the sources. Each program writes places in its own
 * way:
 *
 *      /run/…/base.yml:10:11: could not parse   promtool check, named-checkconf, visudo, yamllint
 *      unknown directive "x" in /run/…/nginx.conf:12
 *      /run/…/sshd_config line 5: Bad option    … and "on line 5", "line 5, column 3", "(line 5)"
 *      yaml: line 5: mapping values …           without a name
 */
#pragma once

#include "line_map.h"
#include "problem.h"
#include "run_result.h"

/**
 * Finds the first place in the judged copy of `path` that result->output names. A place in a
 * warning counts only if all places are in warnings. If `map` has a source for the found place,
 * `problem` gets the place in that source. If not, or if `map` is NULL, `problem` gets the found
 * place in the merged file. The message is the output, joined into one line, with its places
 * converted, too. If the line with the found place has words besides the place, the message begins
 * with that line; otherwise it has all lines. If the output names no place, returns false, and the
 * place of `problem` is `path` alone.
 */
bool run_output_read(const struct run_result *result, const char *path, const char *program,
	const struct line_map *map, struct problem *problem);
