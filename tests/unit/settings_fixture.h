/*
 * A place with a few directories for layers, and a plyfs.yaml in it.
 */
#pragma once

#include "settings.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "place.h"
#include "strategy.h"
#include "test.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* Fits any problem with its place. */
#define SHOWN_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64)

/* settings_read() waits for more if there is a mistake in a file that was written just now. */
static inline void write_long_ago(const char *path)
{
	assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{1}, {1}}, 0), 0);
}

static inline void write_bytes(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	write_long_ago(path);
}

static inline void write_old_file(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* place/ ── a/ b/ c/ "x:y"/ file dir/ ── a/ pipe */
static inline int make_tree(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir a b c x:y dir dir/a; mkfifo pipe; touch file");
	return 0;
}

static inline struct settings *must_read_file(const char *path)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	char text[SHOWN_MAX] = "";
	int r = settings_read(NULL, path, &settings, &problem);

	if (r != 0) {
		(void)problem_format(&problem, text, sizeof(text));
		fail_msg("%d %s", r, text);
	}
	return settings;
}

static inline struct settings *must_read(const char *text)
{
	write_old_file("plyfs.yaml", text);
	return must_read_file("plyfs.yaml");
}

static inline void assert_problem(int r, const struct problem *problem, const char *expected)
{
	char text[SHOWN_MAX] = "";

	(void)problem_format(problem, text, sizeof(text));
	if (r != PROBLEM || strcmp(text, expected) != 0)
		fail_msg("%d\n     got: %s\nexpected: %s", r, text, expected);
}
