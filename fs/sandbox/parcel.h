/*
 * A message between processes of ours (a socket that keeps messages apart), with a descriptor or
 * without.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** Sends it, and the descriptor with it; -1: none. 0 or -errno. */
int parcel_send(int socket, const void *data, size_t size, int fd);

/**
 * Waits for one. Returns its length, 0 when the other end is closed, or -errno. *fd is a descriptor
 * for close(2), or -1.
 */
ssize_t parcel_take(int socket, void *data, size_t size, int *fd);
