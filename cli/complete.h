/* Completion for shells, which run "plyfs __complete WORD...". */
#pragma once

/**
 * Prints the words that the last word may become. The other words stand before it, the command's
 * name first. Returns an exit code.
 */
int complete(int count, char **words);
