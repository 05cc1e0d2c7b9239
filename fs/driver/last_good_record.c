#include "last_good_record.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "version_record.h"

static void put_one(void *context, const char *path, struct version *version)
{
	struct record *record = context;

	record_put(record, true);
	record_put_text(record, path);
	record_put(record, false); /* of version 0.2 */
	record_put(record, version != NULL);
	if (version)
		version_put(record, version);
}

void last_good_record_put(struct last_good *last_good, struct record *record)
{
	last_good_each(last_good, put_one, record);
	record_put(record, false);
}

static int take_one(struct last_good *last_good, struct record *record)
{
	CLEANUP(freep) char *path = record_get_text(record);
	CLEANUP(version_unrefp) struct version *version = NULL;

	(void)record_get_bool(record);
	if (record_get_bool(record) && !(version = version_take(record)))
		return record_refuse(record);
	/* The store has only bytes, with the strategy that merged them. */
	if (!path || (version && (version->kind != VERSION_BYTES || !version->strategy)))
		record_spoil(record);
	if (!record_error(record))
		last_good_note(last_good, path, version);
	return 0;
}

int last_good_record_take(struct last_good *last_good, struct record *record)
{
	int r = 0;

	while (r == 0 && record_get_bool(record))
		r = take_one(last_good, record);
	return r;
}
