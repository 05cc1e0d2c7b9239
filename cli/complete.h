/* Completion for shells, which run "plyfs __complete WORD...". */
#pragma once

/**
 * Prints the possible completions of the last word. `words` are the words after "plyfs": the first
 * is the name of the command. Returns an exit code.
 */
int complete(int count, char **words);
