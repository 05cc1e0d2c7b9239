/*
 * The messages between the daemon and a worker: records (record.h), through a SOCK_SEQPACKET. A
 * large record is sent as an unnamed file.
 */
#pragma once

#include "record.h"

/* The format of all messages. It never changes, as both ends are the same program. */
#define WORKER_FORMAT (RECORD_UNSUMMED | 1)

/* The first number of each message. */
enum worker_message {
	WORKER_JOB,      /* to the worker: a task, and its input */
	WORKER_ANSWER,   /* to the daemon: 0 or errno, and the task's output */
	WORKER_FIND,     /* to the daemon: finder.find's arguments; reply: errno, path, layers */
	WORKER_OPEN,     /* to the daemon: a descriptor (O_PATH), flags; reply: errno, descriptor */
	WORKER_FALLBACK, /* to the daemon: rank, path; reply: whether there is one, source */
	WORKER_REPLY,    /* to the worker: the reply to FIND, OPEN or FALLBACK */
	WORKER_MESSAGES,
};

/** Makes a message of the kind. Returns it for record_free(); NULL: no memory. */
struct record *worker_message_new(enum worker_message kind);

/** Sends the message, which may have one descriptor at most. Returns 0 or -errno. */
int worker_message_send(int socket, struct record *message);

/**
 * Waits for a message. Returns 0 with *kind and *ret for record_free(); -EPIPE: the other end is
 * closed; -EBADMSG; or another -errno.
 */
int worker_message_receive(int socket, enum worker_message *kind, struct record **ret);
