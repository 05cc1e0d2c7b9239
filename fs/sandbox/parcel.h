/*
 * Messages, each with at most one descriptor, between our processes and to the service manager. The
 * socket must keep their bounds (SOCK_SEQPACKET, SOCK_DGRAM).
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/** Sends a message with the descriptor `fd` (-1: none). Returns 0 or -errno. */
int parcel_send(int socket, const void *data, size_t size, int fd);

/**
 * Waits for a message. Returns its length, at most `size`: a longer message is cut; 0: the other
 * end is closed; or -errno. *fd becomes the message's descriptor, for close(2); -1: it has none, or
 * had several, which were closed.
 */
ssize_t parcel_take(int socket, void *data, size_t size, int *fd);
