/* Messages between the daemon and a worker: records (record.h) through a SOCK_SEQPACKET socket. */
#pragma once

#include "record.h"

/* The format of the records. */
#define WORKER_FORMAT (RECORD_UNSUMMED | 1)

/* The kind of a message: the first number in its record. */
enum worker_message {
	WORKER_JOB,    /* to the worker: a task, and its input */
	WORKER_ANSWER, /* to the daemon: 0 and the task's output; or an errno */
	WORKER_FIND,   /* to the daemon: finder.find's arguments; reply: 0 or errno, path, layers */
	WORKER_OPEN,   /* to the daemon: O_PATH descriptor, flags; reply: 0 or errno, descriptor */
	WORKER_FALLBACK, /* to the daemon: rank, path; reply: true and the fallback, or false */
	WORKER_REPLY,    /* to the worker: the reply to FIND, OPEN or FALLBACK */
	WORKER_MESSAGES, /* the number of kinds */
};

/** Makes a message of `kind`. Returns the message for record_free(); NULL: no memory. */
struct record *worker_message_new(enum worker_message kind);

/** Sends the message, which has at most one descriptor. Returns 0 or -errno. */
int worker_message_send(int socket, struct record *message);

/**
 * Waits for a message. Returns 0 with *kind, and *ret for record_free(); -EPIPE: the other end is
 * closed; -EBADMSG: the message is malformed; or another -errno.
 */
int worker_message_receive(int socket, enum worker_message *kind, struct record **ret);
