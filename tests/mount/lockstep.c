/*
 * A writer and a reader in lock step. The reader reads when the writer is done, and the writer goes
 * on when the reader has read.
 *
 *      lockstep [--in-place] [--wait] ROUNDS SOURCE FILE
 *
 * The writer writes SOURCE ROUNDS times, each time as "version: NUMBER" and a line or more that the
 * number decides. FILE must then begin with that. Content that begins with another version is
 * stale; any other content is torn. With --wait the reader reads until the version is there, and
 * stale reads are not counted: so each of the versions was shown. Prints "STALE TORN", counts. The
 * exit code is 0 also if there are some: the caller judges.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 4096u

static const char *source, *file;
static bool is_in_place, waits;
static unsigned rounds, stale, torn;
static sem_t is_written, is_read;

static void give_up(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

/* Most versions are as long as the one before, so size alone shows no change. */
static size_t put_text(char *text, unsigned version)
{
	size_t len = (size_t)sprintf(text, "version: %08u\n", version);

	for (unsigned i = 0; i < version / 7 % 4; i++)
		len += (size_t)sprintf(text + len, "line%u: %08u\n", i, version);
	return len;
}

static void write_version(unsigned version)
{
	char text[TEXT_MAX], beside[4096];
	size_t len = put_text(text, version);

	snprintf(beside, sizeof(beside), "%s~", source);
	const char *path = is_in_place ? source : beside;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || close(fd) < 0)
		give_up(path);
	if (!is_in_place && rename(beside, source) < 0)
		give_up(source);
}

enum outcome { CURRENT, STALE, TORN };

static enum outcome look(unsigned version)
{
	char text[TEXT_MAX], wanted[TEXT_MAX];
	struct stat found;
	size_t len = 0;
	ssize_t n;

	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &found) < 0)
		give_up(file);
	while ((n = read(fd, text + len, TEXT_MAX - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		give_up(file);
	close(fd);
	text[len] = '\0';

	size_t wanted_len = put_text(wanted, version);
	if (strncmp(text, wanted, wanted_len) == 0 && len == (size_t)found.st_size)
		return CURRENT;
	unsigned shown = 0;
	if (sscanf(text, "version: %u", &shown) == 1)
		wanted_len = put_text(wanted, shown);
	bool is_whole = strncmp(text, wanted, wanted_len) == 0 && len == (size_t)found.st_size;
	return is_whole ? STALE : TORN;
}

static void check_version(unsigned version)
{
	enum outcome outcome;

	do
		outcome = look(version);
	while (waits && outcome == STALE);
	stale += outcome == STALE;
	torn += outcome == TORN;
}

static void *read_versions(void *context)
{
	(void)context;
	for (unsigned version = 1; version <= rounds; version++) {
		sem_wait(&is_written);
		check_version(version);
		sem_post(&is_read);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t reader;

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		is_in_place |= strcmp(argv[1], "--in-place") == 0;
		waits |= strcmp(argv[1], "--wait") == 0;
	}
	rounds = argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	if (!rounds) {
		fprintf(stderr, "usage: lockstep [--in-place] [--wait] ROUNDS SOURCE FILE\n");
		return 2;
	}
	source = argv[2];
	file = argv[3];
	sem_init(&is_written, 0, 0);
	sem_init(&is_read, 0, 0);
	int r = pthread_create(&reader, NULL, read_versions, NULL);
	if (r != 0) {
		errno = r;
		give_up("pthread_create");
	}
	for (unsigned version = 1; version <= rounds; version++) {
		write_version(version);
		sem_post(&is_written);
		sem_wait(&is_read);
	}
	pthread_join(reader, NULL);
	printf("%u %u\n", stale, torn);
	return 0;
}
