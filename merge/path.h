/* A path relative to a root: names, separated by single "/". */
#pragma once

#include "span.h"

/** Returns the fault of a path that must stay below its root; NULL if there is none. Static. */
const char *path_fault(struct span path);
