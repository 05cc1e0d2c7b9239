/*
 * Colour: whether output is coloured, and the sequences that switch colours (ECMA-48, SGR).
 *
 * With `--color=auto`, the default, output is coloured if it goes to a terminal, NO_COLOR
 * (no-color.org) is unset or empty, and TERM is not "dumb".
 */
#pragma once

#include <stdbool.h>

#define COLOUR_BOLD "\033[1m"
#define COLOUR_DIM "\033[2m"
#define COLOUR_RED "\033[31m"
#define COLOUR_GREEN "\033[32m"
#define COLOUR_YELLOW "\033[33m"
#define COLOUR_CYAN "\033[36m"
#define COLOUR_BOLD_RED "\033[1;31m"
#define COLOUR_NORMAL "\033[0m"

/* The words that colour_set() accepts, for messages. */
#define COLOUR_WORDS "always, auto, never"

/** Sets the value of --color, one of COLOUR_WORDS. Returns 0, or -1 for any other word. */
int colour_set(const char *word);

/** Returns whether output to `fd` is coloured. */
bool colour_use(int fd);
