/*
 * Parcels: messages between our processes, and to the service manager, each with one descriptor at
 * most. The socket must preserve the boundaries of messages (SOCK_SEQPACKET, SOCK_DGRAM).
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** Sends a message with the descriptor `fd` (-1: none). Returns 0 or -errno. */
int parcel_send(int socket, const void *data, size_t size, int fd);

/**
 * Waits for a message. Returns the number of bytes that were stored (bytes beyond `size` are lost);
 * 0: the other end is closed; -EMFILE: the message's descriptor is lost; or another -errno. *fd is
 * the descriptor, for close(2); -1: the message has none, or has several, which are closed.
 */
ssize_t parcel_take(int socket, void *data, size_t size, int *fd);
