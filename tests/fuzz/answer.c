/*
 * Whatever a worker answers, the daemon refuses it, or takes a file of bytes from it. The input is
 * the answer behind its head.
 */
#include <sys/stat.h>

#include "../unit/forged_record.h"
#include "bytes.h"
#include "cleanup.h"
#include "compose_task.h"
#include "fuzz.h"
#include "worker_message.h"

static struct composer composer;

static void begin(void)
{
	static struct settings *settings;
	struct problem problem;

	if (settings)
		return;
	if (settings_from_layers(NULL, "/usr:/etc", &settings, &problem) != 0 ||
		source_cache_new(1 << 20, true, &composer.cache) < 0)
		abort();
	composer.settings = settings;
}

static void check(const struct version *version)
{
	struct stat stat;

	if (version->kind != VERSION_BYTES || !S_ISREG(version->mode))
		fuzz_stop("an answer makes something else than a file of bytes", span_of(""));
	version_stat(version, &stat);
	if (stat.st_size < 0)
		fuzz_stop("a file has a negative size", span_of(""));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(record_freep) struct record *answer = NULL;
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem = {.message = ""};
	size_t forged_size;

	begin();
	char *forged = forge(WORKER_FORMAT, (const char *)data, size, &forged_size);
	char *copy = bytes_dup((struct span){forged, forged_size});
	free(forged);
	if (record_read(WORKER_FORMAT, copy, forged_size, -1, &answer) < 0)
		fuzz_stop("a record with the right sum is refused", span_of(""));
	int r = compose_answer_take(&composer, answer, UNION_FILE, &asked, &version, &problem);
	if (r == 0)
		check(version);
	else if (version)
		fuzz_stop("a refused answer leaves a version", span_of(""));
	if (asked.count % 2)
		fuzz_stop("dependencies are no pairs", span_of(""));
	return 0;
}
