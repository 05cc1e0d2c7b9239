/*
 * Allocations that fail (failing.h). In a program with AddressSanitizer, this one calls the
 * sanitizer's functions, so that leaks and uses after free are reported as usual; otherwise it
 * calls libc's. This file is built without sanitizers, as it is called before they have begun.
 */
#include "failing.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Allocations of a thread that begins, and some more. */
#define BEGINNING 8

/* X(result, name, parameters, arguments) */
#define FUNCTIONS(X)                                                                               \
	X(void *, malloc, (size_t size), (size))                                                   \
	X(void *, calloc, (size_t count, size_t size), (count, size))                              \
	X(void *, realloc, (void *data, size_t size), (data, size))                                \
	X(void *, memalign, (size_t alignment, size_t size), (alignment, size))                    \
	X(void, free, (void *data), (data))

#define DECLARE(result, name, parameters, arguments)                                               \
	extern result __interceptor_##name parameters __attribute__((weak));                       \
	extern result __libc_##name parameters;                                                    \
	static inline result real_##name parameters                                                \
	{                                                                                          \
		return __interceptor_##name ? __interceptor_##name arguments                       \
					    : __libc_##name arguments;                             \
	}
FUNCTIONS(DECLARE)
#undef DECLARE

/* The dynamic linker's own allocations pass through here, and would be taken for leaks. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:dl_open_worker\nleak:ld-linux\n";
}

static struct failing own;
struct failing *failing = &own;

__attribute__((constructor)) static void share(void)
{
	const char *name = getenv("FAILING");
	int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
	void *shared = fd < 0 ? MAP_FAILED
			      : mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (shared != MAP_FAILED)
		failing = shared;
}

/* A debugger stops here to show the caller. */
__attribute__((noinline)) static void *failing_here(void)
{
	failing->failed++;
	errno = ENOMEM;
	return NULL;
}

/*
 * AddressSanitizer ends the program if a thread can't begin for lack of memory: the first
 * allocations of a thread succeed there.
 */
static bool is_beginning(void)
{
	static _Thread_local unsigned count __attribute__((tls_model("initial-exec")));

	if (!__interceptor_malloc || count == BEGINNING)
		return false;
	/* Asked for few allocations: these system calls would take a tenth of a test's time. */
	if (gettid() == getpid())
		count = BEGINNING;
	return count != BEGINNING && ++count <= BEGINNING;
}

static bool is_failing(void)
{
	if (failing->count == 0 || is_beginning())
		return false;
	int64_t left = atomic_fetch_sub(&failing->left, 1);
	return left <= 0 && -left < failing->count;
}

static void *hold(void *data)
{
	if (data)
		failing->held++;
	return data;
}

void *malloc(size_t size)
{
	return is_failing() ? failing_here() : hold(real_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return is_failing() ? failing_here() : hold(real_calloc(count, size));
}

void *realloc(void *data, size_t size)
{
	if (!data)
		return malloc(size);
	if (size == 0) {
		free(data);
		return NULL;
	}
	return is_failing() ? failing_here() : real_realloc(data, size);
}

void *reallocarray(void *data, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(data, bytes);
}

void *memalign(size_t alignment, size_t size)
{
	return is_failing() ? failing_here() : hold(real_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *data = memalign(alignment, size);

	if (!data)
		return ENOMEM;
	*ret = data;
	return 0;
}

void free(void *data)
{
	if (data)
		failing->held--;
	real_free(data);
}

/* AddressSanitizer would allocate these by itself. */
char *strndup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	copy[len] = '\0';
	return memcpy(copy, text, len);
}

char *strdup(const char *text)
{
	return strndup(text, SIZE_MAX - 1);
}
