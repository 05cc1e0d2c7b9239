/*
 * A path relative to some root: names with one "/" between each.
 */
#pragma once

#include "span.h"

/** What is wrong with a path that must stay beneath its root; NULL when nothing is. Static. */
const char *path_fault(struct span path);
