/* Messages between our processes over a packet socket, with or without a descriptor. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** Sends a message with the descriptor `fd` (-1: none). Returns 0 or -errno. */
int parcel_send(int socket, const void *data, size_t size, int fd);

/**
 * Waits for a message. Returns its length; 0: the other end is closed; or -errno. *fd is its
 * descriptor, for close(2); -1: none.
 */
ssize_t parcel_take(int socket, void *data, size_t size, int *fd);
