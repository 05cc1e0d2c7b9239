/*
 * The process plyfs-renew, which starts this test again in place of a plyfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "handover.h"
#include "successor.h"

/* Of no file system. */
#define DEV makedev(4000, 4000)

static char room[] = "/tmp/plyfs-unit.XXXXXX";
static char *const words[] = {"plyfs", "--take-over", NULL};
static const struct successor_call call = {
	.directory = room, .words = words, .is_foreground = true};
static char place[128];

/* The directory of handover.c's socket. */
static int make_room(void **state)
{
	(void)state;
	if (!mkdtemp(room) || setenv("XDG_RUNTIME_DIR", room, 1) < 0)
		return -1;
	snprintf(place, sizeof(place), "%s/plyfs/%u:%u", geteuid() == 0 ? "/run" : room, major(DEV),
		minor(DEV));
	return 0;
}

static int remove_room(void **state)
{
	char path[sizeof(room) + 16];

	(void)state;
	snprintf(path, sizeof(path), "%s/heirs", room);
	unlink(path);
	snprintf(path, sizeof(path), "%s/plyfs", room);
	rmdir(path);
	return rmdir(room);
}

/* Plays a new daemon that takes its time. */
static int be_an_heir(void)
{
	int fd = open("heirs", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "x", 1) < 0)
		return 1;
	sleep(3);
	return 0;
}

static void few_heirs_are_started_at_once(void **state)
{
	struct successor *successor;
	struct stat found;
	char path[sizeof(room) + 16];

	(void)state;
	assert_int_equal(successor_new(&call, &successor), 0);
	for (int i = 0; i < 40; i++) {
		successor_begin(successor);
		usleep(20000);
	}
	snprintf(path, sizeof(path), "%s/heirs", room);
	assert_int_equal(stat(path, &found), 0);
	assert_in_range(found.st_size, 1, SUCCESSORS_MAX);
	/* When they have ended, more may be started. */
	sleep(4);
	successor_begin(successor);
	successor_free(successor);
	sleep(1);
	off_t before = found.st_size;
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_size, before + 1);
}

static void the_socket_goes_with_who_listens(void **state)
{
	const struct offer offer = {.beneath_fd = -1};
	struct successor *successor;
	struct handover *handover;

	(void)state;
	assert_int_equal(successor_new(&call, &successor), 0);
	assert_int_equal(handover_new(&offer, DEV, -1, successor, &handover), 0);
	if (handover_listener(handover) < 0)
		skip();
	/* A new daemon listens on the same socket. */
	int heir = fcntl(handover_listener(handover), F_DUPFD_CLOEXEC, 0);
	handover_free(handover);
	successor_free(successor);
	assert_int_equal(access(place, F_OK), 0);

	assert_int_equal(successor_new(&call, &successor), 0);
	assert_int_equal(handover_new(&offer, DEV, heir, successor, &handover), 0);
	handover_free(handover);
	successor_free(successor);
	assert_int_equal(access(place, F_OK), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_heirs_are_started_at_once),
		cmocka_unit_test(the_socket_goes_with_who_listens),
	};

	if (argc == 2 && strcmp(argv[1], words[1]) == 0)
		return be_an_heir();
	return cmocka_run_group_tests_name("successor", tests, make_room, remove_room);
}
