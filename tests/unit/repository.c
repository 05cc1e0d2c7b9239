/* The repository of a mirror, with a program in the place of git. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cleanup.h"
#include "place.h"
#include "repository.h"
#include "test.h"

/* It begins a shortage when it keeps a commit, and crashes when it looks for one. */
static const char GIT[] =
	"#!/bin/sh\n"
	"case \"$*\" in *update-ref*) kill -USR1 $PPID;; *cat-file*) kill -9 $$;; esac\n";

static void set_descriptors(rlim_t most)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = most;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void begin_shortage(int number)
{
	(void)number;
	set_descriptors(3);
}

static void open_repository(struct repository **ret)
{
	struct problem problem;

	write_file("git", GIT);
	assert_int_equal(chmod("git", 0755), 0);
	assert_int_equal(setenv("PATH", ".:/usr/bin:/bin", 1), 0);
	assert_int_equal(repository_open(".", "https://localhost/x", NULL, 0644, ret, &problem), 0);
}

TEST_WITH(commit_is_kept_even_if_git_can_not_tidy, enter_place, leave_place)
{
	CLEANUP(repository_freep) struct repository *repository = NULL;
	struct problem problem;
	struct rlimit usual;

	open_repository(&repository);
	getrlimit(RLIMIT_NOFILE, &usual);
	signal(SIGUSR1, begin_shortage);
	int r = repository_keep(repository, "1234", &problem);
	set_descriptors(usual.rlim_cur);
	assert_int_equal(r, 0);
}

TEST_WITH(commit_for_which_git_crashes_is_not_taken_for_a_missing_one, enter_place, leave_place)
{
	CLEANUP(repository_freep) struct repository *repository = NULL;
	enum repository_descent descent;
	struct problem problem;

	open_repository(&repository);
	assert_int_equal(
		repository_descent(repository, "1234", "5678", &descent, &problem), PROBLEM);
}
