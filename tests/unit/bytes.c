/*
 * Memory for the bytes of files.
 */
#include "bytes.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define PLACES 200
#define LARGE ((size_t)3 << 20)

/* The bytes at one place, each with the value `mark`. */
struct marked {
	char *bytes;
	size_t size;
	char mark;
};

static void assert_marked(const struct marked *marked)
{
	if (!marked->size)
		return;
	assert_int_equal(marked->bytes[0], marked->mark);
	assert_memory_equal(marked->bytes, marked->bytes + 1, marked->size - 1);
}

static void make(struct marked *marked, size_t size, unsigned number)
{
	*marked = (struct marked){bytes_new(size), size, (char)number};
	assert_non_null(marked->bytes);
	memset(marked->bytes, marked->mark, size);
}

static void resize(struct marked *marked, size_t size)
{
	marked->bytes = bytes_resize(marked->bytes, size);
	assert_non_null(marked->bytes);
	if (size < marked->size)
		marked->size = size;
	assert_marked(marked);
	memset(marked->bytes, marked->mark, size);
	marked->size = size;
}

/* From 0 bytes to more than a block can have. */
static size_t any_size(void)
{
	unsigned bits = (unsigned)random() % 23;

	return (size_t)random() % ((size_t)1 << bits);
}

/* Makes, changes and frees bytes. `context` is NULL in the first thread. */
static void *use_bytes(void *context)
{
	struct marked places[PLACES] = {0};

	for (unsigned i = 0; i < 5000; i++) {
		struct marked *marked = &places[random() % PLACES];

		if (!marked->bytes) {
			make(marked, any_size(), i);
		} else if (random() % 4 == 0) {
			resize(marked, any_size());
		} else {
			assert_marked(marked);
			bytes_free(marked->bytes);
			marked->bytes = NULL;
		}
		if (i % 500 == 0 && !context)
			bytes_trim();
	}
	for (unsigned i = 0; i < PLACES; i++) {
		if (places[i].bytes)
			assert_marked(&places[i]);
		bytes_free(places[i].bytes);
	}
	return NULL;
}

TEST(no_two_bytes_are_at_the_same_place)
{
	srandom(1);
	use_bytes(NULL);
}

TEST(two_threads_do_each_other_no_harm)
{
	bool is_other = true;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, use_bytes, &is_other), 0);
	use_bytes(NULL);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *make_text(void *context)
{
	char **text = context;

	*text = bytes_dup(span_of("text"));
	return NULL;
}

TEST(the_first_thread_frees_the_bytes_of_another)
{
	pthread_t thread;
	char *text = NULL;

	assert_int_equal(pthread_create(&thread, NULL, make_text, &text), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	text = bytes_resize(text, 100000);
	assert_string_equal(text, "text");
	bytes_free(text);
}

TEST(a_copy_has_a_nul_behind_it)
{
	char *none = bytes_dup((struct span){NULL, 0});
	char *text = bytes_dup(span_of("text"));

	assert_string_equal(none, "");
	assert_string_equal(text, "text");
	bytes_free(none);
	bytes_free(text);
}

TEST(more_than_there_is_can_not_be_had)
{
	char *text = bytes_dup(span_of("text"));

	assert_null(bytes_new(SIZE_MAX / 4));
	assert_null(bytes_resize(text, SIZE_MAX / 4));
	assert_string_equal(text, "text");
	bytes_free(text);
}

/* Returns the kilobytes of this process's memory. */
static unsigned long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages;

	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

TEST(memory_of_small_bytes_comes_back)
{
	static char *all[100000];
	char *kept = bytes_dup(span_of("kept"));
	unsigned long before = resident();

	for (size_t i = 0; i < 100000; i++)
		all[i] = memset(bytes_new(200), 'a', 200);
	assert_true(resident() > before + 20000);
	for (size_t i = 0; i < 100000; i++)
		bytes_free(all[i]);
	bytes_trim();
	assert_true(resident() < before + 2000);
	assert_string_equal(kept, "kept");
	bytes_free(kept);
}

/* Returns whether a forked process has the byte: if not, write(2) fails. */
static bool is_inherited(const char *byte)
{
	int status = 0, ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		bool is_there = write(ends[1], byte, 1) == 1;
		/* It can have bytes of its own. */
		char *own = is_there || errno == EFAULT ? bytes_dup(span_of("own")) : NULL;
		bytes_free(own);
		_exit(own ? is_there : 2);
	}
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

TEST(a_forked_process_has_no_bytes)
{
	char *small = bytes_dup(span_of("small"));
	char *large = memset(bytes_new(LARGE), 'a', LARGE);
	char *other = strdup("other memory");

	assert_true(is_inherited(other));
	assert_false(is_inherited(small));
	assert_false(is_inherited(large));
	assert_false(is_inherited(large + LARGE - 1));
	bytes_free(small);
	bytes_free(large);
	free(other);
}
