#include "last_good.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "strategy.h"

static void put_one(void *context, const char *path, struct version *version, bool is_public)
{
	struct record *record = context;

	record_put(record, true);
	record_put_text(record, path);
	record_put(record, is_public);
	record_put(record, version != NULL);
	if (!version)
		return;
	record_put(record, version->mode);
	record_put(record, version->uid);
	record_put(record, version->gid);
	record_put_time(record, version->mtime);
	record_put_time(record, version->ctime);
	record_put_time(record, version->made);
	record_put_text(record, version->strategy);
	record_put_text(record, version->layers);
	record_put_text(record, version->sources);
	record_put_bytes(record, version->data, version->size);
}

void last_good_put(struct keep *keep, struct record *record)
{
	keep_each(keep, put_one, record);
	record_put(record, false);
}

/* NULL: there is no memory. */
static struct version *take_version(struct record *record)
{
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BYTES);

	if (!version)
		return NULL;
	version->mode = (mode_t)record_get_below(record, S_IFMT | 07777);
	version->uid = (uid_t)record_get_below(record, UINT32_MAX);
	version->gid = (gid_t)record_get_below(record, UINT32_MAX);
	version->mtime = record_get_time(record);
	version->ctime = record_get_time(record);
	version->made = record_get_time(record);
	CLEANUP(freep) char *name = record_get_text(record);
	const struct strategy *strategy = name ? strategy_find(span_of(name)) : NULL;
	version->strategy = strategy ? strategy->name : "";
	version->layers = record_get_text(record);
	version->sources = record_get_text(record);
	struct span bytes = record_get_bytes(record);
	version->data = malloc(bytes.len + 1);
	if (!version->data)
		return NULL;
	if (bytes.len)
		memcpy(version->data, bytes.data, bytes.len);
	version->data[bytes.len] = '\0';
	version->size = bytes.len;
	if (!S_ISREG(version->mode))
		record_spoil(record);
	return take_ptr(version);
}

static int take_one(struct keep *keep, struct record *record)
{
	CLEANUP(freep) char *path = record_get_text(record);
	CLEANUP(version_unrefp) struct version *version = NULL;
	bool is_public = record_get_bool(record);

	if (record_get_bool(record) && !(version = take_version(record)))
		return -ENOMEM;
	if (!path)
		record_spoil(record);
	if (!record_is_bad(record))
		keep_note(keep, path, version, is_public);
	return 0;
}

int last_good_take(struct keep *keep, struct record *record)
{
	int r = 0;

	while (r == 0 && record_get_bool(record))
		r = take_one(keep, record);
	return r;
}
