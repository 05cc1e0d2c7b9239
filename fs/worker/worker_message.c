#include "worker_message.h"

#include <errno.h>

#include "bytes.h"
#include "cleanup.h"
#include "descriptor.h"
#include "fd_message.h"

/* Bytes of a record sent inline: less than a socket takes at once (net.core.wmem_default), and less
 * than a block of 64 KiB (bytes.h). */
#define INLINE_MAX (((size_t)64 << 10) - 64)

/* Sent in place of a large record, together with the file that has it. */
#define FILE_MARK "F"

struct record *worker_message_new(enum worker_message kind)
{
	struct record *message = NULL;

	if (record_new(WORKER_FORMAT, &message) == 0)
		record_put(message, kind);
	return message;
}

int worker_message_send(int socket, struct record *message)
{
	struct span bytes;
	size_t count;
	const int *fds = record_fds(message, &count);

	int r = record_bytes(message, &bytes);
	if (r < 0)
		return r;
	if (count > 1 || (count && bytes.len > INLINE_MAX))
		return -EMSGSIZE;
	if (bytes.len <= INLINE_MAX)
		return fd_message_send(socket, bytes.data, bytes.len, count ? fds[0] : -1);
	CLEANUP(closep) int file = record_file(message);
	return file < 0 ? file : fd_message_send(socket, FILE_MARK, sizeof(FILE_MARK), file);
}

int worker_message_receive(int socket, enum worker_message *kind, struct record **ret)
{
	CLEANUP(bytes_freep) char *data = bytes_new(INLINE_MAX);
	CLEANUP(record_freep) struct record *message = NULL;
	CLEANUP(closep) int fd = -1;
	int r;

	if (!data)
		return -ENOMEM;
	ssize_t n = fd_message_take(socket, data, INLINE_MAX, &fd);
	if (n <= 0)
		return n < 0 && n != -ECONNRESET ? (int)n : -EPIPE;
	if (n == sizeof(FILE_MARK) && fd >= 0) {
		r = record_open(WORKER_FORMAT, fd, NULL, 0, &message);
	} else {
		r = record_read(WORKER_FORMAT, take_ptr(data), (size_t)n, fd, &message);
		fd = -1;
	}
	if (r < 0)
		return r;
	*kind = (enum worker_message)record_get_below(message, WORKER_MESSAGES - 1);
	r = record_error(message);
	if (r == 0)
		*ret = take_ptr(message);
	return r;
}
