/*
 * Colour: whether what is printed has any, and the sequences that switch it (ECMA-48, SGR).
 *
 * On a terminal that understands them only, and never when NO_COLOR is set (no-color.org); unless
 * the command line says `--color=always`, which holds for the whole run of the program.
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

/* What colour_set() takes, for messages. */
#define COLOUR_WORDS "always, auto, never"

/** Takes the value of --color: one of COLOUR_WORDS. 0, or -1 for any other word. */
int colour_set(const char *word);

/** Whether what is written to `fd` is to be coloured. */
bool colour_use(int fd);
