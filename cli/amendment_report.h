/*
 * What a change did, for the person at the terminal:
 *
 *      site/app.yaml:3: server.port: 8080 -> 9090 (overrides vendor/app.yaml:4)
 */
#pragma once

#include "amendment.h"

/**
 * Prints a line for each value that changed, on standard output; of a dry run the
 * difference of the source, as `plyfs diff` does. 0 or -ENOMEM.
 */
int amendment_report(const struct amendment *amendment, bool is_dry);
