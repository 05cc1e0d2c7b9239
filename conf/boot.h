/*
 * The boot of the machine. A program that does not wait until its files are on the disk stores the
 * boot's id beside them. If the id is of another boot, there was perhaps a power failure, and files
 * may have names but no bytes. A program that was only killed has lost nothing.
 */
#pragma once

#include <stdbool.h>

/* Size of an id, in bytes, with its NUL. */
#define BOOT_MAX 64

/** Reads the id of the present boot; "": unknown. */
void boot_read(char ret[BOOT_MAX]);

/** Returns whether the file `name` in `fd` exists, and its id is not that of the present boot. */
bool boot_is_another(int fd, const char *name);
