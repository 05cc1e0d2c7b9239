/* A path relative to a root: names, separated by single "/". */
#pragma once

#include "span.h"

/** Returns why `path` is no such path, as "it is empty"; NULL if it is such a path. Static. */
const char *path_fault(struct span path);
