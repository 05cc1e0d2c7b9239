/*
 * A record: values as bytes, and descriptors. A daemon hands its state to the next daemon as a
 * record, in an unnamed file. The messages between the daemon and workers are records, too.
 *
 *      "plyfs", format, size, what record_put_…() wrote, checksum      all little-endian
 *
 * The reader takes a record as hostile input. After the first missing or impossible value, every
 * read gives zero, NULL or -1, and record_end() returns the error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "problem.h"
#include "span.h"

/* Maximum size of a record, in bytes. */
#define RECORD_MAX ((size_t)4 << 30)

struct record;

/* Formats with this bit have 0 in place of the checksum, as their records never lie on a disk. */
#define RECORD_UNSUMMED ((uint64_t)1 << 63)

/** Makes a record of `format`, to write. Returns 0 with *ret for record_free(), or -ENOMEM. */
int record_new(uint64_t format, struct record **ret);
void record_free(struct record *record); /* also closes its descriptors */
void record_freep(struct record **record);

/* Writing. record_file() and record_bytes() return the first error, such as -ENOMEM. */
void record_put(struct record *record, uint64_t value);
void record_put_bytes(struct record *record, const void *bytes, size_t size);
void record_put_text(struct record *record, const char *text); /* NULL stays NULL */
void record_put_time(struct record *record, struct timespec time);
void record_put_stat(struct record *record, const struct stat *stat);
void record_put_result(struct record *record, int result); /* 0 or -errno; above 0: writes 0 */
void record_put_problem(struct record *record, const struct problem *problem);

/** Adds a duplicate of the descriptor; -1 stands for no descriptor. */
void record_put_fd(struct record *record, int fd);

/** Reserves and returns the place of a count, which record_set_count() sets later. */
size_t record_put_count(struct record *record);
void record_set_count(struct record *record, size_t place, uint64_t count);

/**
 * Writes the record to an unnamed file, and seals the file (F_ADD_SEALS, fcntl(2)). Returns the
 * file's descriptor for close(2), or -errno.
 */
int record_file(struct record *record);

/** Gives the bytes for record_read(), until the record is changed or freed. Returns 0 or -errno. */
int record_bytes(struct record *record, struct span *ret);

/** Returns the descriptors in the order in which they were put. They stay the record's. */
const int *record_fds(const struct record *record, size_t *count);

/**
 * Opens the record in the sealed file `file`, to read. Takes over `fds`, an array from malloc(3),
 * and its descriptors, even on failure; `file` stays the caller's. Returns 0 with *ret for
 * record_free(); -EPROTONOSUPPORT: another format; -EBADMSG: damaged; or another -errno.
 */
int record_open(uint64_t format, int file, int *fds, size_t fd_count, struct record **ret);

/**
 * Does what record_open() does, with the bytes of record_bytes(). Takes over `data`, from
 * bytes_new(), and the descriptor `fd` (-1: none), even on failure.
 */
int record_read(uint64_t format, char *data, size_t size, int fd, struct record **ret);

uint64_t record_get(struct record *record);

/** Reads a number from 0 to `max`; a larger one is damage. */
uint64_t record_get_below(struct record *record, uint64_t max);
bool record_get_bool(struct record *record);

/** Reads a count of items of at least `least` bytes each. If they can't fit, that is damage. */
size_t record_get_count(struct record *record, size_t least);

/** Reads bytes, which live as long as the record. */
struct span record_get_bytes(struct record *record);

/** Returns the size in bytes. */
size_t record_size(const struct record *record);

/**
 * If record_open() opened the record, gives the caller the record's mapping, for munmap(2);
 * otherwise returns an empty span. The spans of record_get_bytes() lie in the mapping. After this
 * call, call only record_error(), record_end() and record_free(), unless the span is empty.
 */
struct span record_take_map(struct record *record);

/** Reads a text, for free(3). NULL: NULL was written, memory is short, or the record is damaged. */
char *record_get_text(struct record *record);
struct timespec record_get_time(struct record *record);

/** Reads a struct stat. A negative size, or an impossible number of nanoseconds, is damage. */
void record_get_stat(struct record *record, struct stat *ret);

/**
 * Reads a problem. Escapes control characters, as problem_set() does. Returns false, with an empty
 * problem, if the record is damaged or memory is short.
 */
bool record_get_problem(struct record *record, struct problem *ret);

/** Reads a result: 0 or -errno. */
int record_get_result(struct record *record);

/** Reads a descriptor, which becomes the caller's; -1: none was written, or damage. */
int record_get_fd(struct record *record);

/** Marks the record as damaged. */
void record_spoil(struct record *record);

/** Notes that the record can't be read because memory is short. */
void record_lack_memory(struct record *record);

/** Returns 0, or the first error so far: -EBADMSG or -ENOMEM. */
int record_error(const struct record *record);

/** Does record_spoil(), and returns record_error(). */
int record_refuse(struct record *record);

/** Returns record_error(), or -EBADMSG if a value or descriptor is left that no call has read. */
int record_end(const struct record *record);
