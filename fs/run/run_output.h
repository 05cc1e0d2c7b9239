/*
 * The output of a check. It names places in the judged file, which run_output_read() turns into
 * places in the sources. Programs write a place in their own ways:
 *
 *      /run/…/base.yml:10:11: could not parse   promtool check, named-checkconf, visudo, yamllint
 *      /run/…/base.yml: 10:11: …                promtool check rules
 *      unknown directive "x" in /run/…/nginx.conf:12
 *      parsing [/run/…/haproxy.cfg:5] : …
 *      /run/…/sshd_config line 5: Bad option    … and "on line 5", "line 5, column 3", "(line 5)"
 *      yaml: line 5: mapping values …           without a name
 */
#pragma once

#include "line_map.h"
#include "problem.h"
#include "run_result.h"

/**
 * Finds in result->output the first place in the copy of `path` (a file with the last name of
 * `path`); a warning counts only if there is no error. Fills `problem` with the place's source,
 * line and column by `map` (NULL: those of the merged file), and with the output as one line.
 * Returns false if the output has no place; then `problem` has only the message.
 */
bool run_output_read(const struct run_result *result, const char *path, const char *program,
	const struct line_map *map, struct problem *problem);
