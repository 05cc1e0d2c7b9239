/*
 * In which boot of the machine a rendered directory was written last:
 *
 *      .plyfs/boot          what /proc/sys/kernel/random/boot_id said; written when all was in its
 * place
 *
 * What is rendered is not waited for until it is on the disk. So after a power failure a new name
 * may be there without its bytes, and without its line in the manifest: an empty file that nobody
 * else has made. Who was only killed has lost nothing.
 */
#pragma once

#include <stdbool.h>

/* Bytes of a boot's name, with its NUL. */
#define BOOT_MAX 64

#define BOOT_NAME "boot"

/** The name of this boot; "" where it can't be told. */
void boot_read(char ret[BOOT_MAX]);

/** Whether the directory .plyfs, `own_fd`, was written last in another boot. */
bool boot_is_another(int own_fd);
