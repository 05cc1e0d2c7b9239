/*
 * Readers, listers and writers at once, for some seconds.
 *
 *      stress [--in-place] SECONDS LOW HIGH MOUNT
 *
 * SIGINT ends it as the end of the time does.
 *
 * A writer for each layer writes app.yaml again and again, each time with the next version number.
 * The text that the mount must show for version L of the low and H of the high layer is known byte
 * for byte. So a reader can distinguish a half or a mixture from a right text:
 *
 *      low: 17         the low layer's version
 *      low0: 17.0      the version decides the number of these lines
 *      high: 23        likewise
 *      high0: 23.0
 *
 * No reader may see another text, an error, or a version older than one that any reader has seen
 * before it opened the file. A file held open never changes. A listing has every name that stays
 * exactly once, and every name that comes and goes at most once.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READERS 3
#define LISTERS 2
#define STABLE 300        /* names that stay in d/ */
#define PASSING 100       /* of the names that come and go, so many are there at a time */
#define PASSING_MAX 50000 /* such names in all: more than come in a minute */
#define LINES 180         /* of a layer's file, at most */
#define TEXT_MAX 16384u
#define VERSIONS_LEAST 10 /* that readers must have seen of each layer */

static const char *low_layer, *high_layer, *mount_point;
static bool is_in_place; /* the high layer's file is written in two halves */

static atomic_bool is_over;
static atomic_uint seen_low, seen_high; /* the newest version that a reader has seen */
static atomic_uint reads, listings, versions;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "failed: ");
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	_exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns one layer's text in that version. */
static size_t put_text(char *text, const char *name, unsigned version)
{
	size_t len = (size_t)sprintf(text, "%s: %u\n", name, version);

	for (unsigned i = 0; i < version * 7919 % LINES; i++)
		len += (size_t)sprintf(text + len, "%s%u: %u.%u\n", name, i, version, i);
	return len;
}

static void write_all(int fd, const char *text, size_t len, const char *path)
{
	if (write(fd, text, len) != (ssize_t)len)
		fail("%s: %s", path, strerror(errno));
}

/* Saves by rename, as an editor does. */
static void write_version(const char *layer, const char *name, unsigned version)
{
	char path[4096], beside[4096], text[TEXT_MAX];
	size_t len = put_text(text, name, version);

	snprintf(path, sizeof(path), "%s/app.yaml", layer);
	snprintf(beside, sizeof(beside), "%s/app.yaml~", layer);
	int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		fail("%s: %s", beside, strerror(errno));
	write_all(fd, text, len, beside);
	close(fd);
	if (rename(beside, path) < 0)
		fail("%s: %s", path, strerror(errno));
}

/* Saves in place, as a slow editor does. Both halves are good YAML. */
static void write_version_in_place(const char *layer, const char *name, unsigned version)
{
	char path[4096], text[TEXT_MAX];
	size_t len = put_text(text, name, version);
	size_t half = len / 2;

	while (half < len && text[half - 1] != '\n')
		half++;
	snprintf(path, sizeof(path), "%s/app.yaml", layer);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	write_all(fd, text, half, path);
	usleep(2000);
	write_all(fd, text + half, len - half, path);
	close(fd);
}

struct writer {
	const char *layer;
	const char *name;
	bool is_in_place;
	unsigned last; /* version */
};

static void *write_versions(void *context)
{
	struct writer *writer = context;

	while (!atomic_load(&is_over)) {
		if (writer->is_in_place)
			write_version_in_place(writer->layer, writer->name, ++writer->last);
		else
			write_version(writer->layer, writer->name, ++writer->last);
		atomic_fetch_add(&versions, 1);
		/* Sometimes faster and sometimes slower than a change needs to show. */
		usleep(writer->last * 7919 % 3000);
	}
	return NULL;
}

struct held {
	int fd;
	size_t len;
	char text[TEXT_MAX];
};

/* Reads the whole text of the open file; through mmap(2) if `is_mapped`. */
static size_t take_text(int fd, bool is_mapped, char *text)
{
	struct stat found;
	size_t len = 0;
	ssize_t n;

	if (fstat(fd, &found) < 0)
		fail("fstat: %s", strerror(errno));
	if ((size_t)found.st_size >= TEXT_MAX)
		fail("the file has %lld bytes", (long long)found.st_size);
	if (is_mapped && found.st_size > 0) {
		len = (size_t)found.st_size;
		void *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			fail("mmap: %s", strerror(errno));
		memcpy(text, map, len);
		munmap(map, len);
		return len;
	}
	while ((n = pread(fd, text + len, TEXT_MAX - len, (off_t)len)) > 0)
		len += (size_t)n;
	if (n < 0)
		fail("read: %s", strerror(errno));
	if (len != (size_t)found.st_size)
		fail("%zu bytes are read of a file of %lld", len, (long long)found.st_size);
	return len;
}

static void raise_to(atomic_uint *newest, unsigned version)
{
	unsigned before = atomic_load(newest);

	while (before < version && !atomic_compare_exchange_weak(newest, &before, version))
		;
}

/* Returns the number behind "NAME: " in the text. */
static unsigned version_in(const char *text, const char *name)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), "%s: ", name);
	const char *at = text;
	while (at && strncmp(at, wanted, strlen(wanted)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		fail("there is no '%s' in: %.300s", name, text);
	return (unsigned)strtoul(at + strlen(wanted), NULL, 10);
}

static void check_text(const char *text, size_t len, unsigned least_low, unsigned least_high)
{
	char expected[2 * TEXT_MAX];
	unsigned low = version_in(text, "low"), high = version_in(text, "high");

	size_t expected_len = put_text(expected, "low", low);
	expected_len += put_text(expected + expected_len, "high", high);
	if (len != expected_len || memcmp(text, expected, len) != 0)
		fail("the text of versions %u and %u is torn: %zu bytes, expected %zu:\n%.300s",
			low, high, len, expected_len, text);
	if (low < least_low || high < least_high)
		fail("back from versions %u and %u to %u and %u", least_low, least_high, low, high);
	raise_to(&seen_low, low);
	raise_to(&seen_high, high);
}

static int open_app(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/app.yaml", mount_point);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	return fd;
}

static void read_once(unsigned round, struct held *held)
{
	char text[TEXT_MAX + 1];
	unsigned least_low = atomic_load(&seen_low), least_high = atomic_load(&seen_high);
	int fd = open_app();

	size_t len = take_text(fd, round % 3 == 0, text);
	text[len] = '\0';
	check_text(text, len, least_low, least_high);
	if (round % 64 != 0) {
		close(fd);
		return;
	}
	/* The file that was held since the last call is unchanged; from now on this one is held. */
	if (held->fd >= 0) {
		char again[TEXT_MAX + 1];
		size_t again_len = take_text(held->fd, round % 128 == 0, again);

		if (again_len != held->len || memcmp(again, held->text, held->len) != 0)
			fail("a file that is held open has changed");
		close(held->fd);
	}
	held->fd = fd;
	held->len = len;
	memcpy(held->text, text, len);
}

static void *read_versions(void *context)
{
	struct held *held = context;

	for (unsigned round = 0; !atomic_load(&is_over); round++) {
		read_once(round, held);
		atomic_fetch_add(&reads, 1);
	}
	if (held->fd >= 0)
		close(held->fd);
	return NULL;
}

/* Returns the path of d/passNUMBER in one of the layers. */
static void passing_path(char *path, size_t size, unsigned number)
{
	snprintf(path, size, "%s/d/pass%u", number % 3 ? low_layer : high_layer, number);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	close(fd);
}

/* Names come and go, and never come back: a name that came back could rightly be listed twice. */
static void *churn(void *context)
{
	char path[4096];

	(void)context;
	for (unsigned number = 0; !atomic_load(&is_over) && number < PASSING_MAX; number++) {
		passing_path(path, sizeof(path), number);
		make_file(path);
		if (number >= PASSING) {
			passing_path(path, sizeof(path), number - PASSING);
			if (unlink(path) < 0)
				fail("%s: %s", path, strerror(errno));
		}
		usleep(500);
	}
	return NULL;
}

/* The names that a listing has had. */
struct seen {
	bool stable[STABLE];
	bool passing[PASSING_MAX];
};

static void see_name(const char *name, struct seen *seen)
{
	char *end;
	bool is_stable = strncmp(name, "stay", 4) == 0;

	if (!is_stable && strncmp(name, "pass", 4) != 0)
		fail("the listing has a strange name: %s", name);
	unsigned long number = strtoul(name + 4, &end, 10);
	if (*end || number >= (is_stable ? STABLE : PASSING_MAX))
		fail("the listing has a strange name: %s", name);

	bool *place = is_stable ? &seen->stable[number] : &seen->passing[number];
	if (*place)
		fail("the listing has %s twice", name);
	*place = true;
}

static DIR *open_directory(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", mount_point, name);
	DIR *directory = opendir(path);
	if (!directory)
		fail("%s: %s", path, strerror(errno));
	return directory;
}

static void list_once(void)
{
	struct seen seen = {0};
	const struct dirent *entry;

	DIR *directory = open_directory("d");
	while ((errno = 0, entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			see_name(entry->d_name, &seen);
	if (errno)
		fail("readdir: %s", strerror(errno));
	closedir(directory);
	for (unsigned i = 0; i < STABLE; i++)
		if (!seen.stable[i])
			fail("the listing has no stay%03u", i);
}

/* The file that is replaced all the time is never missing. */
static void list_root(void)
{
	unsigned count = 0;
	const struct dirent *entry;

	DIR *directory = open_directory("");
	while ((errno = 0, entry = readdir(directory)))
		count += strcmp(entry->d_name, "app.yaml") == 0;
	if (errno)
		fail("readdir: %s", strerror(errno));
	closedir(directory);
	if (count != 1)
		fail("the listing has app.yaml %u times", count);
}

static void *list_names(void *context)
{
	(void)context;
	while (!atomic_load(&is_over)) {
		list_once();
		list_root();
		atomic_fetch_add(&listings, 1);
	}
	return NULL;
}

static void prepare(void)
{
	char path[4096];

	for (unsigned i = 0; i < STABLE; i++) {
		snprintf(path, sizeof(path), "%s/d/stay%03u", i % 2 ? low_layer : high_layer, i);
		make_file(path);
	}
	write_version(low_layer, "low", 1);
	write_version(high_layer, "high", 1);
}

/* The last versions show. */
static void check_end(unsigned low, unsigned high)
{
	double end = now() + 60;

	while (now() < end) {
		char text[TEXT_MAX + 1];
		int fd = open_app();
		size_t len = take_text(fd, false, text);

		close(fd);
		text[len] = '\0';
		check_text(text, len, atomic_load(&seen_low), atomic_load(&seen_high));
		if (atomic_load(&seen_low) == low && atomic_load(&seen_high) == high)
			return;
		usleep(10000);
	}
	fail("versions %u and %u do not come; the last are %u and %u", low, high,
		atomic_load(&seen_low), atomic_load(&seen_high));
}

/* Whether app.yaml is there, and both layers are in it. */
static bool has_both(void)
{
	char path[4096], text[TEXT_MAX + 1];

	snprintf(path, sizeof(path), "%s/app.yaml", mount_point);
	if (access(path, F_OK) < 0)
		return false;
	int fd = open_app();
	size_t len = take_text(fd, false, text);
	close(fd);
	text[len] = '\0';
	return strncmp(text, "low: ", 5) == 0 && strstr(text, "\nhigh: ");
}

/* Waits until everything that was there before shows: the mount may have been read already. */
static void wait_for_first(void)
{
	double end = now() + 60;
	char path[4096];

	snprintf(path, sizeof(path), "%s/d/stay%03u", mount_point, STABLE - 1);
	while (access(path, F_OK) < 0 && now() < end)
		usleep(10000);
	while (!has_both() && now() < end)
		usleep(10000);
	check_end(1, 1);
}

static void start(pthread_t *thread, void *(*run)(void *), void *context)
{
	int r = pthread_create(thread, NULL, run, context);
	if (r != 0)
		fail("pthread_create: %s", strerror(r));
}

static void end_early(int number)
{
	(void)number;
	atomic_store(&is_over, true);
}

/* On a busy machine that may take longer than the given time. */
static bool have_come_far(void)
{
	return atomic_load(&seen_low) >= VERSIONS_LEAST &&
	       atomic_load(&seen_high) >= VERSIONS_LEAST;
}

static void run_for(double seconds)
{
	static struct held held[READERS];
	pthread_t threads[READERS + LISTERS + 3];
	size_t count = 0;
	struct writer low = {low_layer, "low", false, 1};
	struct writer high = {high_layer, "high", is_in_place, 1};

	start(&threads[count++], write_versions, &low);
	start(&threads[count++], write_versions, &high);
	start(&threads[count++], churn, NULL);
	for (int i = 0; i < READERS; i++) {
		held[i].fd = -1;
		start(&threads[count++], read_versions, &held[i]);
	}
	for (int i = 0; i < LISTERS; i++)
		start(&threads[count++], list_names, NULL);

	double end = now() + seconds, latest = end + 60;
	while (!atomic_load(&is_over) && now() < (have_come_far() ? end : latest))
		usleep(10000);
	unsigned low_then = atomic_load(&seen_low), high_then = atomic_load(&seen_high);
	atomic_store(&is_over, true);
	while (count > 0)
		pthread_join(threads[--count], NULL);
	check_end(low.last, high.last);
	printf("%u versions, %u reads, %u listings\n", atomic_load(&versions), atomic_load(&reads),
		atomic_load(&listings));
	/* If readers saw no new version, the test proved nothing. */
	if (low_then < VERSIONS_LEAST || high_then < VERSIONS_LEAST)
		fail("while all was going on, readers came no further than versions %u and %u",
			low_then, high_then);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--in-place") == 0) {
		is_in_place = true;
		argc--;
		argv++;
	}
	if (argc != 5) {
		fprintf(stderr, "usage: stress [--in-place] SECONDS LOW HIGH MOUNT\n");
		return 2;
	}
	low_layer = argv[2];
	high_layer = argv[3];
	mount_point = argv[4];
	prepare();
	wait_for_first();
	signal(SIGINT, end_early);
	run_for(strtod(argv[1], NULL));
	return 0;
}
