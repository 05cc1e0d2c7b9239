/*
 * The boot of the machine. plyfs writes some files without waiting until they are on the disk, and
 * stores the id of the boot beside these files. After a reboot, the stored id is not that of the
 * present boot, and the files may lack bytes.
 */
#pragma once

#include <stdbool.h>

/* Size of an id, in bytes, with its NUL. */
#define BOOT_MAX 64

/** Reads the id of the present boot; "": unknown. */
void boot_read(char ret[BOOT_MAX]);

/** Returns whether the directory `fd` has a file `name` with another id than the present boot's. */
bool boot_is_another(int fd, const char *name);
