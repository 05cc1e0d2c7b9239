/*
 * Reads versions from records without memory. A shortage is never taken for a damaged record: of a
 * damaged one the sender is to blame, and nobody asks again. Prints TAP.
 */
#include <sys/stat.h>

#include "bytes.h"
#include "cleanup.h"
#include "trial.h"
#include "version_record.h"

#define FORMAT 1

static int copy_version(const struct version *version, struct version **ret)
{
	CLEANUP(record_freep) struct record *written = NULL;
	CLEANUP(record_freep) struct record *record = NULL;
	struct span bytes;

	int r = record_new(FORMAT, &written);
	if (r < 0)
		return r;
	version_put(written, version);
	r = record_bytes(written, &bytes);
	if (r < 0)
		return r;
	char *copy = bytes_dup(bytes);
	if (!copy)
		return -ENOMEM;
	r = record_read(FORMAT, copy, bytes.len, -1, &record);
	if (r < 0)
		return r;
	*ret = version_take(record);
	return record_end(record);
}

static void run(void *context, struct outcome *ret)
{
	CLEANUP(version_unrefp) struct version *copy = NULL;

	ret->r = copy_version(context, &copy);
	if (ret->r == 0 && asprintf(&ret->text, "%s: %s from %s: %zu and %zu states", copy->data,
				   copy->layers, copy->sources, copy->stamp_count,
				   copy->latest.items ? copy->latest.count : 0) < 0)
		*ret = (struct outcome){.r = -ENOMEM};
}

static void try_version(const char *name, struct version *version)
{
	trial_run(&(struct trial){name, run, version});
}

int main(void)
{
	struct stamp stamps[] = {{.ino = 1, .size = 5, .mtime = {1800000000, 999999999}},
		{.ino = 2, .size = 7, .ctime = {1800000000, 1}}};
	struct version version = {.kind = VERSION_BYTES,
		.mode = S_IFREG | 0644,
		.data = "a: 1\n",
		.size = 5,
		.fd = -1,
		.stamps = stamps,
		.stamp_count = 2,
		.strategy = "deep",
		.layers = "low,high",
		.sources = "low/a.yaml"};

	try_version("a version", &version);
	version.latest.items = stamps;
	version.latest.count = 1;
	try_version("a version whose sources have changed since", &version);
	return trial_end();
}
