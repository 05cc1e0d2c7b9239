/*
 * The requests of a script to one of the programs here: JSON in, and for each a line of JSON out.
 */
#pragma once

#include "document.h"

/** Prints a JSON string on standard output. */
void requests_print_string(struct span text);

/** Prints the line ["word", "text"]. */
void requests_print_answer(const char *word, struct span text);

/** Prints the line ["error", the message]. */
void requests_print_problem(const struct problem *problem);

/**
 * Reads a JSON list from standard input and calls `run` for each item, which returns 0 or -errno.
 * Returns main()'s exit code; an error message names `program`.
 */
int requests_run(const char *program, int (*run)(const struct node *request));
