/*
 * A library to be preloaded: libyaml with a fault, which a scalar in the text sets off.
 *
 *      fault-crash     the parser crashes
 *      fault-loop      it never ends
 *      fault-memory    it takes all memory that it can have; more than 4 GiB make it crash
 *      fault-stop      it waits for ever, as for a file system that does not answer
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static void take_all(void)
{
	const size_t size = (size_t)64 << 20;
	uint64_t taken = 0;

	/*
	 * The reader's limit counts memory that nothing was written to, too. To write to all takes
	 * a second or more. Volatile: clang leaves out an allocation that nothing reads.
	 */
	for (char *volatile block; (block = malloc(size)); taken += size)
		if (taken >= (uint64_t)4 << 30)
			abort();
}

static int fail(const char *fault)
{
	if (strcmp(fault, "crash") == 0) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile char *)(uintptr_t)fault[sizeof("crash") - 1] = 0;
	}
	if (strcmp(fault, "loop") == 0)
		for (volatile unsigned i = 0;; i++)
			;
	if (strcmp(fault, "stop") == 0)
		for (;;)
			poll(NULL, 0, -1);
	if (strcmp(fault, "memory") == 0) {
		take_all();
		return 0;
	}
	return 1;
}

int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event)
{
	static int (*next)(yaml_parser_t *, yaml_event_t *);
	static const char mark[] = "fault-";

	if (!next)
		next = (int (*)(yaml_parser_t *, yaml_event_t *))dlsym(
			RTLD_NEXT, "yaml_parser_parse");
	int r = next(parser, event);
	if (r != 1 || event->type != YAML_SCALAR_EVENT)
		return r;
	const char *value = (const char *)event->data.scalar.value;
	if (strncmp(value, mark, sizeof(mark) - 1) != 0 || fail(value + sizeof(mark) - 1))
		return r;
	yaml_event_delete(event);
	parser->error = YAML_MEMORY_ERROR;
	return 0;
}
