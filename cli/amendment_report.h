/*
 * What a change did, for the person at the terminal:
 *
 *      site/app.yaml:3: server.port: 8080 -> 9090 (overrides vendor/app.yaml:4)
 */
#pragma once

#include "amendment.h"
#include "choice.h"

/* The help of the options that all commands have which amend. */
#define AMENDMENT_OPTIONS_HELP                                                                     \
	CHOICE_HELP                                                                                \
	"  -L, --layer NAME                change this layer's source; default: the highest\n"     \
	"  -n, --dry-run                   change nothing; print the difference it would make\n"   \
	"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n"

/** Prints a line for each value that `ops`' keys lead to, on standard output. 0 or -ENOMEM. */
int amendment_report(const struct amendment *amendment);

/** Prints the difference of the source, as `plyfs diff` does. 0 or -ENOMEM. */
int amendment_report_diff(const struct amendment *amendment);
