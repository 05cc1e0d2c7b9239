/*
 * The strategies and their options as a help text: drawn from the table, so that it is never wrong.
 */
#pragma once

/** Prints all of them to standard output. */
void strategies_print(void);
