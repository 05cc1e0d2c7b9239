/*
 * The files that the settings name, whatever is moved meanwhile.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "named_files.h"
#include "opening.h"
#include "test.h"

#define ASKED 3000

static char room[] = "/tmp/plyfs-unit.XXXXXX";
static atomic_bool is_over;
/* Never freed: a static pointer, so that the leak checker sees it. */
static struct named_files *moved, *replaced, *met;

static int make_room(void **state)
{
	(void)state;
	if (!mkdtemp(room) || chdir(room) < 0 || mkdir("low", 0755) < 0 || mkdir("other", 0755) < 0)
		return -1;
	return close(open("low/a", O_CREAT | O_WRONLY, 0644)) |
	       close(open("other/a", O_CREAT | O_WRONLY, 0644));
}

static int remove_room(void **state)
{
	(void)state;
	return unlink("low/a") | unlink("other/a") | rmdir("low") | rmdir("other") | rmdir(room);
}

static void *move_to_and_fro(void *context)
{
	(void)context;
	while (!atomic_load(&is_over))
		if (rename("low", "away") < 0 || rename("away", "low") < 0)
			abort();
	return NULL;
}

TEST(a_layer_that_is_moved_is_the_same)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(closep) int low = open("low/a", O_PATH | O_CLOEXEC);
	CLEANUP(closep) int other = open("other/a", O_PATH | O_CLOEXEC);
	struct problem problem;
	pthread_t mover;
	int missed = 0;

	assert_int_equal(settings_from_layers(NULL, "low", &settings, &problem), 0);
	assert_int_equal(named_files_new(settings, &moved), 0);
	assert_true(named_files_has(moved, low));
	assert_false(named_files_has(moved, other));
	assert_int_equal(pthread_create(&mover, NULL, move_to_and_fro, NULL), 0);
	for (int i = 0; i < ASKED; i++)
		missed += !named_files_has(moved, low);
	atomic_store(&is_over, true);
	pthread_join(mover, NULL);
	assert_int_equal(missed, 0);
}

/* Files that were there before the settings were taken, and files that are not any more. */
TEST(what_was_read_is_named_beside_what_is_in_force)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(closep) int low = open("low/a", O_PATH | O_CLOEXEC);
	CLEANUP(closep) int other = open("other/a", O_PATH | O_CLOEXEC);
	struct problem problem;

	assert_int_equal(settings_from_layers(NULL, "low", &settings, &problem), 0);
	assert_int_equal(named_files_new(settings, &replaced), 0);
	assert_int_equal(rename("low", "away"), 0);
	/* A look that can't be finished removes nothing. */
	named_files_look(replaced);
	named_files_take(replaced);
	assert_true(named_files_has(replaced, low));
	assert_int_equal(rename("other", "low"), 0);
	named_files_look(replaced);
	assert_true(named_files_has(replaced, low));
	assert_true(named_files_has(replaced, other));
	named_files_take(replaced);
	assert_false(named_files_has(replaced, low));
	assert_true(named_files_has(replaced, other));
	assert_int_equal(rename("low", "other"), 0);
	assert_int_equal(rename("away", "low"), 0);
}

static bool is_looking; /* as another process, which has no opener */
static int looks;

/* Directly after the first look another directory takes the layer's place. */
static void look_and_replace(void)
{
	if (is_looking)
		return;
	is_looking = true;
	named_files_look(met);
	is_looking = false;
	if (looks++ == 0 && (rename("low", "away") < 0 || rename("other", "low") < 0))
		abort();
}

static bool has_found(int directory, bool follows)
{
	return is_looking || named_files_were_found(met, directory, follows);
}

TEST(settings_are_read_until_both_meet_the_same_layer)
{
	const struct opening_delegate delegate = {.look = look_and_replace, .has_found = has_found};
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(settings_unrefp) struct settings *again = NULL;
	CLEANUP(closep) int other = open("other/a", O_PATH | O_CLOEXEC);
	struct problem problem;

	assert_int_equal(settings_from_layers(NULL, "low", &settings, &problem), 0);
	assert_int_equal(named_files_new(settings, &met), 0);
	const int low = settings->layers[0]->dirfd;
	assert_false(named_files_were_found(met, low, false)); /* the directory was taken */
	named_files_look(met);
	assert_true(named_files_were_found(met, low, false));
	assert_false(named_files_were_found(met, low, true));
	opening_delegate(&delegate);
	int r = settings_again(settings, 0, &again, &problem);
	opening_delegate(&(struct opening_delegate){0});
	assert_int_equal(r, 0);
	assert_int_equal(looks, 2);
	named_files_take(met);
	assert_true(named_files_has(met, other));
	assert_int_equal(rename("low", "other"), 0);
	assert_int_equal(rename("away", "low"), 0);
}

int main(void)
{
	return tests_run(make_room, remove_room);
}
