/*
 * A record: what one daemon knows and the next one needs, as one run of bytes in an unnamed file,
 * and the descriptors that go with it.
 *
 *      "plyfs", format, size, what record_put_…() wrote, checksum      all little-endian
 *
 * Whoever reads believes nothing: after the first value that is not there, or can't be meant, all
 * that is read is zero, and record_end() says so. So a reader may read on and ask once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "span.h"

/* Bytes of a record: far more than a mount knows, as versions' bytes are in it. */
#define RECORD_MAX ((size_t)4 << 30)

struct record;

/** One to be written, in `format`. 0 with *ret for record_free(), or -ENOMEM. */
int record_new(uint64_t format, struct record **ret);
void record_free(struct record *record); /* and closes its descriptors */
void record_freep(struct record **record);

/* Writing. What there is no memory for is told by record_file(). */
void record_put(struct record *record, uint64_t value);
void record_put_bytes(struct record *record, const void *bytes, size_t size);
void record_put_text(struct record *record, const char *text); /* NULL stays NULL */
void record_put_time(struct record *record, struct timespec time);

/** A duplicate of the descriptor goes with it; -1: none. */
void record_put_fd(struct record *record, int fd);

/** A place for a count that is known later, and the count. */
size_t record_put_count(struct record *record);
void record_set_count(struct record *record, size_t place, uint64_t count);

/** All of it in an unnamed file that nobody can change any more: its descriptor, or -errno. */
int record_file(struct record *record);

/**
 * All of it, as record_read() takes it. Returns 0 with *ret, which lives until the record is changed
 * or freed, or -errno.
 */
int record_bytes(struct record *record, struct span *ret);

/** Its descriptors, in their order. They stay the record's. */
const int *record_fds(const struct record *record, size_t *count);

/**
 * Reads the file. The descriptors, an array from malloc(3), become the record's, also when it
 * fails. 0 with *ret; -EPROTONOSUPPORT: another format; -EBADMSG: it is damaged; or another -errno.
 */
int record_open(uint64_t format, int file, int *fds, size_t fd_count, struct record **ret);

/**
 * The same of bytes that record_bytes() has made: `data`, from malloc(3), and the descriptor `fd`
 * (-1: none) become the record's, also when it fails.
 */
int record_read(uint64_t format, char *data, size_t size, int fd, struct record **ret);

uint64_t record_get(struct record *record);

/** At most `max`; else the record is damaged. */
uint64_t record_get_below(struct record *record, uint64_t max);
bool record_get_bool(struct record *record);

/** A count of what takes at least `least` bytes each: never more than there can be. */
size_t record_get_count(struct record *record, size_t least);

/** They live as long as the record. */
struct span record_get_bytes(struct record *record);

/** For free(3); NULL: there is none, or it is damaged. A NUL in it is damage. */
char *record_get_text(struct record *record);
struct timespec record_get_time(struct record *record);

/** The caller's from now on; -1: none. */
int record_get_fd(struct record *record);

/** What was read means nothing. */
void record_spoil(struct record *record);
bool record_is_bad(const struct record *record);

/** As record_spoil(). Returns the first that was wrong with it: -EBADMSG, or -ENOMEM. */
int record_refuse(struct record *record);

/** 0 if all was read and nothing was damaged; -ENOMEM; or -EBADMSG. */
int record_end(const struct record *record);
