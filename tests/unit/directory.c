/*
 * A directory's names keep their places in the listing, whatever comes and goes beside them.
 */
#include "directory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static struct directory *directory;

static int set_up(void **state)
{
	(void)state;
	return directory_new(NULL, "", 2, &directory);
}

static int tear_down(void **state)
{
	(void)state;
	directory_free(directory);
	return 0;
}

static struct entry *add(const char *name)
{
	struct entry *entry = directory_entry(directory, name);

	assert_non_null(entry);
	entry->kind = UNION_FILE;
	assert_int_equal(directory_list_entry(directory, entry), 0);
	return entry;
}

static void drop(struct entry *entry)
{
	directory_unlist_entry(directory, entry);
	entry->kind = UNION_NONE;
	directory_tidy(directory, entry);
}

TEST_WITH(names_are_found_until_nothing_needs_them, set_up, tear_down)
{
	char name[32];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		add(name);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		assert_string_equal(directory_find(directory, name)->name, name);
	}
	for (int i = 0; i < 5000; i += 2) {
		snprintf(name, sizeof(name), "name%d", i);
		drop(directory_find(directory, name));
		assert_null(directory_find(directory, name));
	}
	assert_int_equal(directory->entries.count, 2500);
}

TEST_WITH(one_name_has_one_entry, set_up, tear_down)
{
	assert_ptr_equal(add("name"), add("name"));
	assert_int_equal(directory->order.count, 1);
}

TEST_WITH(name_that_something_needs_is_not_tidied_away, set_up, tear_down)
{
	struct entry *entry = directory_entry(directory, "name");
	struct fault fault = {0};

	entry->kind = UNION_FILE;
	directory_tidy(directory, entry);
	entry->kind = UNION_NONE;
	entry_use(entry)->users = 1;
	directory_tidy(directory, entry);
	entry_used(entry)->users = 0;
	struct pending *pending = entry_used(entry)->pending = calloc(1, sizeof(*pending));
	assert_non_null(pending);
	pending->next = entry;
	directory_tidy(directory, entry);
	for (pending->state = PENDING_GONE; pending->state <= PENDING_QUEUED; pending->state++)
		directory_tidy(directory, entry);
	pending->state = PENDING_NONE;
	pending->next = NULL;
	entry_used(entry)->fault = &fault;
	directory_tidy(directory, entry);
	entry_used(entry)->fault = NULL;
	assert_ptr_equal(directory_find(directory, "name"), entry);
	directory_tidy(directory, entry);
	assert_null(directory_find(directory, "name"));
}

TEST_WITH(cookies_rise_and_hold_while_others_go, set_up, tear_down)
{
	struct entry *entries[2000];
	uint64_t cookies[2000];
	char name[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		entries[i] = add(name);
		cookies[i] = entries[i]->place;
		assert_true(cookies[i] >= DIRECTORY_COOKIE_FIRST);
		assert_true(i == 0 || cookies[i] > cookies[i - 1]);
	}
	/* Many go and others come, so that the gaps are closed. */
	for (int i = 0; i < 2000; i++)
		if (i % 10)
			drop(entries[i]);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "other%d", i);
		struct entry *entry = add(name);
		assert_true(entry->place > cookies[1999]);
		drop(entry);
	}
	for (int i = 0; i < 2000; i += 10)
		assert_int_equal(entries[i]->place, cookies[i]);
}

TEST_WITH(name_that_comes_back_takes_its_place_again, set_up, tear_down)
{
	struct entry *a = add("a");

	add("b");
	uint64_t place = a->place;
	directory_unlist_entry(directory, a);
	assert_false(a->is_listed);
	/* A reader that has read up to `a` must not meet it again behind `b`. */
	assert_int_equal(directory_list_entry(directory, a), 0);
	assert_int_equal(a->place, place);
	assert_ptr_equal(directory_listed(directory, directory_seek(directory, place - 1)), a);
}

TEST_WITH(seeking_finds_the_first_name_behind_a_cookie_also_of_one_that_went, set_up, tear_down)
{
	struct entry *entries[100];
	uint64_t cookies[100];
	char name[32];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		entries[i] = add(name);
		cookies[i] = entries[i]->place;
	}
	for (int i = 0; i < 100; i++)
		if (i % 3 == 1)
			drop(entries[i]);
	for (int i = 0; i < 100; i++) {
		size_t at = directory_seek(directory, cookies[i]);
		while (at < directory->order.count && !directory_listed(directory, at))
			at++;
		int next = i + 1 + ((i + 1) % 3 == 1);
		if (next < 100)
			assert_ptr_equal(directory_listed(directory, at), entries[next]);
		else
			assert_int_equal(at, directory->order.count);
	}
	assert_int_equal(directory_seek(directory, 0), 0);
	assert_int_equal(directory_seek(directory, UINT64_MAX), directory->order.count);
}

TEST_WITH(gaps_do_not_grow_without_end, set_up, tear_down)
{
	add("kept");
	for (int i = 0; i < 100000; i++)
		drop(add("temporary"));
	assert_true(directory->order.capacity < 100);
}

TEST_WITH(paths_are_joined_from_the_root, set_up, tear_down)
{
	struct directory *child;
	char *path;

	assert_int_equal(directory_join(directory, "a", &path), 0);
	assert_string_equal(path, "a");
	free(path);
	assert_int_equal(directory_new(directory, "a", 2, &child), 0);
	assert_string_equal(child->path, "a");
	assert_int_equal(directory_join(child, "b", &path), 0);
	assert_string_equal(path, "a/b");
	free(path);
	directory_free(child);
}

/* FNV-1a, the hash that a reader of the code would expect. */
static uint64_t fnv(const char *name)
{
	uint64_t hash = 14695981039346656037u;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	return hash ^ hash >> 32;
}

TEST_WITH(names_chosen_to_collide_do_not, set_up, tear_down)
{
	char name[32];
	size_t made = 0;
	size_t longest = 0;

	for (unsigned i = 0; made < 1000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if ((fnv(name) & 1023) == 0) {
			add(name);
			made++;
		}
	}
	for (size_t i = 0; i < directory->entries.bucket_count; i++) {
		size_t length = 0;
		for (const struct entry *entry = directory->entries.buckets[i]; entry;
			entry = entry->next)
			length++;
		if (length > longest)
			longest = length;
	}
	assert_true(longest < 32);
}
