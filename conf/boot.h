/*
 * The boot of the machine. If a program does not wait until its files are on the disk, it stores
 * the boot's id beside them. If it later finds the id of another boot, the power may have failed,
 * and files may have names but no bytes. If only the program was killed, no file is damaged.
 */
#pragma once

#include <stdbool.h>

/* Size of an id, in bytes, with its NUL. */
#define BOOT_MAX 64

/** Reads the id of the present boot; "": unknown. */
void boot_read(char ret[BOOT_MAX]);

/**
 * Returns whether the directory `fd` has a file `name` that contains the id of another boot. Any
 * content but the id of the present boot counts as such an id.
 */
bool boot_is_another(int fd, const char *name);
