/*
 * What the shells' completion asks the command: plyfs __complete WORD...
 */
#pragma once

/**
 * Prints what the last word may become; the others stand before it, the command's name first.
 * Returns an exit code.
 */
int complete(int count, char **words);
