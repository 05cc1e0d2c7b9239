/* The faults of a mirror: which are listed, and which only counted. */
#include "mirror_status.h"

#include <stdio.h>

#include "cleanup.h"
#include "test.h"

static void fault_keys(struct mirror_status *status, unsigned from, unsigned to)
{
	char subject[32];

	for (unsigned i = from; i < to; i++) {
		bool is_listed = status->fault_count < MIRROR_FAULTS_MAX;

		snprintf(subject, sizeof(subject), "key a%u", i);
		assert_int_equal(mirror_status_fault(status, subject, "is bad"), is_listed);
	}
}

TEST(faults_beyond_the_listed_ones_are_counted_once)
{
	CLEANUP(mirror_status_fini) struct mirror_status status = {0};

	mirror_status_sweep_begin(&status, "key ");
	fault_keys(&status, 0, MIRROR_FAULTS_MAX);
	for (unsigned i = 0; i < 3; i++)
		mirror_status_fault(&status, "key b", "has keys below it");
	fault_keys(&status, MIRROR_FAULTS_MAX + 1, MIRROR_FAULTS_MAX + 5);
	mirror_status_sweep_end(&status);
	assert_int_equal(status.fault_count, MIRROR_FAULTS_MAX);
	assert_int_equal(status.unlisted, 5);
	/* Events of keys that are known to be bad. */
	mirror_status_fault(&status, "key b", "has keys below it");
	mirror_status_fault(&status, "key a3", "is bad");
	mirror_status_fault(&status, "key b", "has keys below it");
	assert_int_equal(status.unlisted, 5);
	mirror_status_sweep_begin(&status, "key ");
	mirror_status_fault(&status, "key b", "has keys below it");
	mirror_status_sweep_end(&status);
	assert_int_equal(status.fault_count + status.unlisted, 1);
}

TEST(very_many_faults_of_keys_hide_none_of_the_store)
{
	CLEANUP(mirror_status_fini) struct mirror_status status = {0};

	fault_keys(&status, 0, MIRROR_FAULTS_MAX);
	assert_true(mirror_status_fault(&status, "store", "does not answer"));
	assert_false(mirror_status_fault(&status, "store", "does not answer"));
	assert_string_equal(status.faults[MIRROR_FAULTS_MAX].subject, "store");
	assert_true(mirror_status_mend(&status, "store"));
	assert_false(mirror_status_mend(&status, "store"));
}
