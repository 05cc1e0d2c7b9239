/*
 * The process plyfs-renew, which starts this test again in place of a plyfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "handover.h"
#include "successor.h"
#include "test.h"

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

/* Plays a new daemon that takes its time: until it reads a byte. */
static int be_an_heir(void)
{
	int fd = open("heirs", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char none;

	return fd < 0 || write(fd, "x", 1) < 0 || read(STDIN_FILENO, &none, 1) < 0;
}

/* How many heirs have been started in all. */
static off_t heirs(void)
{
	char path[sizeof(room) + 16];
	struct stat found;

	snprintf(path, sizeof(path), "%s/heirs", room);
	return stat(path, &found) < 0 ? 0 : found.st_size;
}

/* The heirs of the successor read from the pipe of which *end is the other end. */
static struct successor *successor_with_pipe(int *end)
{
	struct successor *successor;
	int ends[2];

	int before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(successor_new(&call, &successor), 0);
	if (before >= 0)
		assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	else
		close(STDIN_FILENO);
	close(before);
	close(ends[0]);
	*end = ends[1];
	return successor;
}

/* Each of the heirs reads one of the bytes and ends. */
static void end_heirs(int end)
{
	const char bytes[SUCCESSORS_MAX] = {0};

	assert_int_equal(write(end, bytes, sizeof(bytes)), sizeof(bytes));
}

static void wait_until_none_reads(int end)
{
	struct pollfd polled = {.fd = end};

	assert_int_equal(poll(&polled, 1, 20000), 1);
	assert_true(polled.revents & POLLERR);
	close(end);
}

TEST(few_heirs_are_started_at_once)
{
	int end;
	struct successor *successor = successor_with_pipe(&end);

	for (int i = 0; i < 40; i++)
		successor_begin(successor);
	successor_free(successor); /* after all requests */
	end_heirs(end);
	wait_until_none_reads(end);
	assert_in_range(heirs(), 1, SUCCESSORS_MAX);
}

TEST(heirs_are_started_again_when_others_have_ended)
{
	off_t before = heirs();
	int end;
	struct successor *successor = successor_with_pipe(&end);

	for (int i = 0; i < SUCCESSORS_MAX; i++)
		successor_begin(successor);
	for (int i = 0; i < 20000 && heirs() < before + SUCCESSORS_MAX; i++)
		usleep(1000);
	assert_int_equal(heirs(), before + SUCCESSORS_MAX);
	end_heirs(end);
	for (int i = 0; i < 20000 && heirs() == before + SUCCESSORS_MAX; i++) {
		successor_begin(successor);
		usleep(1000);
	}
	assert_true(heirs() > before + SUCCESSORS_MAX);
	successor_free(successor);
	end_heirs(end);
	wait_until_none_reads(end);
}

TEST(the_socket_goes_with_who_listens)
{
	const struct offer offer = {.beneath_fd = -1};
	struct successor *successor;
	struct handover *handover;

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
	if (argc == 2 && strcmp(argv[1], words[1]) == 0)
		return be_an_heir();
	return tests_run(make_room, remove_room);
}
