/*
 * The boot of the machine. A program that does not wait until its files are on the disk stores the
 * boot's id beside them. If the program later finds another id, the files may have lost bytes.
 */
#pragma once

#include <stdbool.h>

/* Size of an id, in bytes, with its NUL. */
#define BOOT_MAX 64

/** Reads the id of the present boot; "": unknown. */
void boot_read(char ret[BOOT_MAX]);

/** Returns whether the directory `fd` has a file `name` without the id of the present boot. */
bool boot_is_another(int fd, const char *name);
