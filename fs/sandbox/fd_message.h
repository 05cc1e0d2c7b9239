/*
 * Messages with descriptors, between our processes and to the service manager. The socket must
 * preserve the boundaries of messages (SOCK_SEQPACKET, SOCK_DGRAM).
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Maximum number of descriptors that the kernel takes with a message (SCM_MAX_FD). */
#define FD_MESSAGE_FDS_MAX 253

/** Sends a message with the descriptor `fd` (-1: none). Returns 0 or -errno. */
int fd_message_send(int socket, const void *data, size_t size, int fd);

/** Does fd_message_send() with `count` descriptors. */
int fd_message_send_all(int socket, const void *data, size_t size, const int *fds, size_t count);

/**
 * Waits for a message. Returns its number of bytes; 0: the other end is closed; -EBADMSG: the
 * message has more than `size` bytes; -EMFILE: a descriptor of the message is lost; or another
 * -errno. *fd is the descriptor, for close(2); -1: the message has none, or has several, which are
 * closed.
 */
ssize_t fd_message_take(int socket, void *data, size_t size, int *fd);

/** Does fd_message_take(), but the caller gets all descriptors; after an error, none. */
ssize_t fd_message_take_all(
	int socket, void *data, size_t size, int fds[FD_MESSAGE_FDS_MAX], size_t *count);
