/* The repository of a mirror, with a program in the place of git. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cleanup.h"
#include "place.h"
#include "repository.h"
#include "test.h"

/* It begins the shortage when it keeps the commit. */
static const char GIT[] = "#!/bin/sh\n"
			  "case \"$*\" in *update-ref*) kill -USR1 $PPID;; esac\n";

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

TEST_WITH(commit_is_kept_even_if_git_can_not_tidy, enter_place, leave_place)
{
	CLEANUP(repository_freep) struct repository *repository = NULL;
	struct problem problem;
	struct rlimit usual;

	write_file("git", GIT);
	assert_int_equal(chmod("git", 0755), 0);
	assert_int_equal(setenv("PATH", ".:/usr/bin:/bin", 1), 0);
	assert_int_equal(
		repository_open(".", "https://localhost/x", NULL, &repository, &problem), 0);
	getrlimit(RLIMIT_NOFILE, &usual);
	signal(SIGUSR1, begin_shortage);
	int r = repository_keep(repository, "1234", &problem);
	set_descriptors(usual.rlim_cur);
	assert_int_equal(r, 0);
}
