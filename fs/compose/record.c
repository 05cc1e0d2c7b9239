#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "bytes.h"
#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"
#include "shown.h"
#include "text.h"

#define MAGIC "plyfs\0\0"

/* "plyfs", format, size. */
#define HEAD_SIZE 24

/* the place of `format` */
#define FORMAT_AT 8

/* the checksum after the content */
#define TAIL_SIZE 8

/* The start of the checksum: any number. The checksum finds chance damage only. */
#define SUM_START 0x9E3779B97F4A7C15u

/* This number, and its doubles, fill blocks of bytes.h. */
#define CAPACITY_FIRST 4080

/* the unit of st_blocks (inode(7)) */
#define BLOCK_SIZE 512

#define NANOSECONDS 1000000000

struct record {
	char *data;
	size_t size;
	size_t capacity; /* writing */
	struct span map; /* reading: in which `data` lies; empty: memory of bytes.h */
	size_t at;       /* reading */
	int error;       /* the first; 0: none */
	int *fds;        /* -1: taken by the reader */
	size_t fd_count;
	size_t fd_capacity;
	size_t fd_at; /* reading */
};

void record_free(struct record *record)
{
	if (!record)
		return;
	descriptor_close_all(record->fds, record->fd_count);
	free(record->fds);
	if (record->map.data)
		munmap((char *)(uintptr_t)record->map.data, record->map.len);
	else
		bytes_free(record->data);
	free(record);
}

void record_freep(struct record **record)
{
	record_free(*record);
}

static void spoil(struct record *record, int error)
{
	if (!record->error)
		record->error = error;
}

/* Returns where the next `size` bytes are written; NULL: memory is short. */
static char *extend(struct record *record, size_t size)
{
	size_t capacity = record->capacity;

	if (record->error)
		return NULL;
	if (size > RECORD_MAX - record->size) {
		spoil(record, -EFBIG);
		return NULL;
	}
	while (record->size + size > capacity)
		capacity = capacity ? capacity * 2 : CAPACITY_FIRST;
	if (capacity > record->capacity) {
		char *data = bytes_resize(record->data, capacity);
		if (!data) {
			spoil(record, -ENOMEM);
			return NULL;
		}
		record->data = data;
		record->capacity = capacity;
	}
	record->size += size;
	return record->data + record->size - size;
}

static void encode(char *to, uint64_t value)
{
	for (size_t i = 0; i < sizeof(value); i++)
		to[i] = (char)(value >> 8 * i);
}

static uint64_t decode(const char *from)
{
	uint64_t value = 0;

	for (size_t i = 0; i < sizeof(value); i++)
		value |= (uint64_t)(unsigned char)from[i] << 8 * i;
	return value;
}

int record_new(uint64_t format, struct record **ret)
{
	CLEANUP(record_freep) struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return -ENOMEM;
	char *head = extend(record, HEAD_SIZE);
	if (!head)
		return -ENOMEM;
	memcpy(head, MAGIC, sizeof(MAGIC));
	encode(head + 8, format);
	*ret = take_ptr(record);
	return 0;
}

void record_put(struct record *record, uint64_t value)
{
	char *to = extend(record, sizeof(value));

	if (to)
		encode(to, value);
}

void record_put_bytes(struct record *record, const void *bytes, size_t size)
{
	record_put(record, size);
	char *to = extend(record, size);
	if (to && size)
		memcpy(to, bytes, size);
}

void record_put_text(struct record *record, const char *text)
{
	record_put(record, text != NULL);
	if (text)
		record_put_bytes(record, text, strlen(text));
}

void record_put_time(struct record *record, struct timespec time)
{
	record_put(record, (uint64_t)time.tv_sec);
	record_put(record, (uint64_t)time.tv_nsec);
}

void record_put_stat(struct record *record, const struct stat *stat)
{
	record_put_bytes(record, stat, sizeof(*stat));
}

void record_put_result(struct record *record, int result)
{
	record_put(record, result < 0 ? (uint64_t)-result : 0);
}

/* Gives the descriptor to the record. A spoilt record closes it. */
static void add_fd(struct record *record, int fd)
{
	if (fd < 0 || array_grow(record->fds, record->fd_count, record->fd_capacity) < 0)
		spoil(record, -ENOMEM);
	else
		record->fds[record->fd_count++] = fd;
}

void record_put_fd(struct record *record, int fd)
{
	record_put(record, fd >= 0);
	if (fd < 0 || record->error)
		return;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	add_fd(record, copy);
	if (record->error)
		closep(&copy);
}

size_t record_put_count(struct record *record)
{
	size_t place = record->size;

	record_put(record, 0);
	return place;
}

void record_set_count(struct record *record, size_t place, uint64_t count)
{
	if (!record->error)
		encode(record->data + place, count);
}

/* Returns the checksum of the record's head and content, which are `size` bytes. */
static uint64_t sum_of(const char *data, size_t size)
{
	bool is_summed = !(decode(data + FORMAT_AT) & RECORD_UNSUMMED);

	return is_summed ? hash_bytes(SUM_START, (struct span){data, size}) : 0;
}

int record_bytes(struct record *record, struct span *ret)
{
	char *tail = extend(record, TAIL_SIZE);

	if (!tail)
		return record->error;
	record->size -= TAIL_SIZE;
	encode(record->data + 16, record->size - HEAD_SIZE);
	encode(tail, sum_of(record->data, record->size));
	*ret = (struct span){record->data, record->size + TAIL_SIZE};
	return 0;
}

int record_file(struct record *record)
{
	struct span bytes;
	int r = record_bytes(record, &bytes);

	if (r < 0)
		return r;
	int fd = memfd_create("plyfs-state", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	r = text_write(fd, bytes.data, bytes.len);
	if (r == 0 && fcntl(fd, F_ADD_SEALS,
			      F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		r = -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

const int *record_fds(const struct record *record, size_t *count)
{
	*count = record->fd_count;
	return record->fds;
}

static int check_head(const struct record *record, uint64_t format)
{
	const char *data = record->data;

	if (memcmp(data, MAGIC, sizeof(MAGIC)) != 0)
		return -EBADMSG;
	if (decode(data + FORMAT_AT) != format)
		return -EPROTONOSUPPORT;
	if (decode(data + 16) != record->size - HEAD_SIZE ||
		decode(data + record->size) != sum_of(data, record->size))
		return -EBADMSG;
	return 0;
}

/* Without the seals the sender could still change the file after the check. */
static int map(struct record *record, uint64_t format, int file)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct stat stat;

	if (fstat(file, &stat) < 0)
		return -errno;
	if ((fcntl(file, F_GET_SEALS) & seals) != seals || stat.st_size < HEAD_SIZE + TAIL_SIZE ||
		(uint64_t)stat.st_size > RECORD_MAX + TAIL_SIZE)
		return -EBADMSG;
	/* A hole gets memory when it is read: without any, that would be SIGBUS. */
	if ((uint64_t)stat.st_blocks * BLOCK_SIZE < (uint64_t)stat.st_size)
		return -EBADMSG;
	char *data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (data == MAP_FAILED)
		return -errno;
	record->data = data;
	record->map = (struct span){data, (size_t)stat.st_size};
	int r = bytes_hide(record->map);
	if (r < 0)
		return r;
	record->size = record->map.len - TAIL_SIZE;
	record->at = HEAD_SIZE;
	return check_head(record, format);
}

int record_open(uint64_t format, int file, int *fds, size_t fd_count, struct record **ret)
{
	CLEANUP(record_freep) struct record *record = calloc(1, sizeof(*record));

	if (!record) {
		descriptor_close_all(fds, fd_count);
		free(fds);
		return -ENOMEM;
	}
	record->fds = fds;
	record->fd_count = fd_count;
	int r = map(record, format, file);
	if (r < 0)
		return r;
	*ret = take_ptr(record);
	return 0;
}

int record_read(uint64_t format, char *data, size_t size, int fd, struct record **ret)
{
	CLEANUP(record_freep) struct record *record = calloc(1, sizeof(*record));

	if (record && fd >= 0)
		add_fd(record, fd);
	if (!record || record->error) {
		closep(&fd);
		bytes_free(data);
		return -ENOMEM;
	}
	record->data = data;
	if (size < HEAD_SIZE + TAIL_SIZE)
		return -EBADMSG;
	record->size = size - TAIL_SIZE;
	record->at = HEAD_SIZE;
	int r = check_head(record, format);
	if (r < 0)
		return r;
	*ret = take_ptr(record);
	return 0;
}

static const char *take(struct record *record, size_t size)
{
	if (!record->error && size > record->size - record->at)
		record_spoil(record);
	if (record->error)
		return NULL;
	record->at += size;
	return record->data + record->at - size;
}

uint64_t record_get(struct record *record)
{
	const char *from = take(record, sizeof(uint64_t));

	return from ? decode(from) : 0;
}

uint64_t record_get_below(struct record *record, uint64_t max)
{
	uint64_t value = record_get(record);

	if (value <= max)
		return value;
	record_spoil(record);
	return 0;
}

bool record_get_bool(struct record *record)
{
	return record_get_below(record, 1);
}

size_t record_get_count(struct record *record, size_t least)
{
	return record_get_below(record, (record->size - record->at) / least);
}

struct span record_get_bytes(struct record *record)
{
	size_t size = record_get_count(record, 1);
	const char *data = take(record, size);

	return data ? (struct span){data, size} : (struct span){NULL, 0};
}

size_t record_size(const struct record *record)
{
	return record->size;
}

struct span record_take_map(struct record *record)
{
	struct span map = record->map;

	if (map.data)
		record->data = NULL;
	record->map = (struct span){0};
	return map;
}

char *record_get_text(struct record *record)
{
	if (!record_get_bool(record))
		return NULL;
	struct span bytes = record_get_bytes(record);
	if (bytes.len && memchr(bytes.data, '\0', bytes.len))
		record_spoil(record);
	if (record->error)
		return NULL;
	char *text = span_dup(bytes);
	if (!text)
		spoil(record, -ENOMEM);
	return text;
}

struct timespec record_get_time(struct record *record)
{
	struct timespec time = {.tv_sec = (time_t)record_get(record)};

	time.tv_nsec = (long)record_get_below(record, NANOSECONDS - 1);
	return time;
}

static bool is_time(const struct timespec *time)
{
	return time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS;
}

void record_get_stat(struct record *record, struct stat *ret)
{
	struct span bytes = record_get_bytes(record);

	*ret = (struct stat){0};
	if (bytes.len == sizeof(*ret))
		memcpy(ret, bytes.data, sizeof(*ret));
	if (bytes.len != sizeof(*ret) || ret->st_size < 0 || !is_time(&ret->st_mtim) ||
		!is_time(&ret->st_ctim) || !is_time(&ret->st_atim))
		record_spoil(record);
}

int record_get_result(struct record *record)
{
	return -(int)record_get_below(record, INT_MAX);
}

int record_get_fd(struct record *record)
{
	if (!record_get_bool(record))
		return -1;
	if (record->fd_at == record->fd_count) {
		record_spoil(record);
		return -1;
	}
	int fd = record->fds[record->fd_at];
	record->fds[record->fd_at++] = -1;
	return fd;
}

void record_spoil(struct record *record)
{
	spoil(record, -EBADMSG);
}

void record_lack_memory(struct record *record)
{
	spoil(record, -ENOMEM);
}

int record_error(const struct record *record)
{
	return record->error;
}

int record_refuse(struct record *record)
{
	record_spoil(record);
	return record->error;
}

int record_end(const struct record *record)
{
	if (record->error)
		return record->error;
	return record->at == record->size && record->fd_at == record->fd_count ? 0 : -EBADMSG;
}

void record_put_problem(struct record *record, const struct problem *problem)
{
	record_put_text(record, problem->source);
	record_put_text(record, problem->place);
	record_put(record, problem->line);
	record_put(record, problem->column);
	record_put_text(record, problem->message);
	record_put_text(record, problem->program);
}

bool record_get_problem(struct record *record, struct problem *ret)
{
	CLEANUP(freep) char *source = record_get_text(record);
	CLEANUP(freep) char *place = record_get_text(record);
	unsigned line = (unsigned)record_get_below(record, UINT_MAX);
	unsigned column = (unsigned)record_get_below(record, UINT_MAX);
	CLEANUP(freep) char *message = record_get_text(record);
	CLEANUP(freep) char *program = record_get_text(record);

	*ret = (struct problem){.message = ""};
	if (!source || !place || !message || !program) {
		record_spoil(record);
		return false;
	}
	problem_set(ret, source, line, column, "%s", message);
	shown_tail(ret->place, sizeof(ret->place), place);
	problem_by(ret, program);
	return true;
}
