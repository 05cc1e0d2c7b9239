/*
 * A directory for each test, which is its working directory, and the files in it as programs write
 * them.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char place[] = "/tmp/plyfs-unit-XXXXXX";

__attribute__((format(printf, 1, 2))) static inline void run(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command) != 0)
		fail_msg("%s", command);
}

/* Set-up and tear-down of a test. */

static inline int enter_place(void **state)
{
	(void)state;
	strcpy(place + sizeof(place) - 7, "XXXXXX");
	umask(022); /* another umask would make files that are not trusted */
	return !mkdtemp(place) || chdir(place) < 0;
}

static inline int leave_place(void **state)
{
	(void)state;
	return chdir("/") < 0 || (run("rm -rf '%s'", place), 0);
}

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* As careful programs write: the new file takes the name when it is whole. */
static inline void replace_file(const char *path, const char *text)
{
	write_file("staged", text);
	assert_int_equal(rename("staged", path), 0);
}

static inline void make_directory(const char *path)
{
	if (mkdir(path, 0755) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}
