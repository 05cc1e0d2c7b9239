/*
 * Measures the time of bare libyaml for the reading and writing that a merge needs at least: it
 * parses the events of all sources and drops them, and emits the events of the result.
 *
 *      bench-libyaml ROUNDS RESULT SOURCE...
 *
 * Prints "libyaml MS", the median over the rounds. The time to make the result's events is not
 * counted.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yaml.h>

struct text {
	unsigned char *data;
	size_t len;
};

struct events {
	yaml_event_t *data;
	size_t count;
	size_t capacity;
};

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void give_up(const char *what)
{
	fprintf(stderr, "bench-libyaml: %s\n", what);
	exit(1);
}

static struct text read_text(const char *path)
{
	struct text text = {0};
	FILE *stream = fopen(path, "r");
	size_t n;

	if (!stream)
		give_up(path);
	do {
		text.data = realloc(text.data, text.len + (1u << 20));
		if (!text.data)
			give_up("no memory");
		n = fread(text.data + text.len, 1, 1u << 20, stream);
		text.len += n;
	} while (n > 0);
	fclose(stream);
	return text;
}

static void keep(struct events *events, const yaml_event_t *event)
{
	if (events->count == events->capacity) {
		events->capacity = events->capacity ? events->capacity * 2 : 1024;
		events->data = realloc(events->data, events->capacity * sizeof(*events->data));
		if (!events->data)
			give_up("no memory");
	}
	events->data[events->count++] = *event;
}

/* Drops the events if `events` is NULL. */
static void parse(struct text text, struct events *events)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool is_end;

	if (!yaml_parser_initialize(&parser))
		give_up("no memory");
	yaml_parser_set_input_string(&parser, text.data, text.len);
	do {
		if (!yaml_parser_parse(&parser, &event))
			give_up(parser.problem);
		is_end = event.type == YAML_STREAM_END_EVENT;
		if (events)
			keep(events, &event);
		else
			yaml_event_delete(&event);
	} while (!is_end);
	yaml_parser_delete(&parser);
}

static int append(void *data, unsigned char *buffer, size_t size)
{
	struct text *text = data;

	memcpy(text->data + text->len, buffer, size);
	text->len += size;
	return 1;
}

/* The emitter takes the events over. */
static void emit(struct events *events, struct text *text)
{
	yaml_emitter_t emitter;

	if (!yaml_emitter_initialize(&emitter))
		give_up("no memory");
	yaml_emitter_set_output(&emitter, append, text);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	for (size_t i = 0; i < events->count; i++)
		if (!yaml_emitter_emit(&emitter, &events->data[i]))
			give_up(emitter.problem);
	yaml_emitter_delete(&emitter);
}

static double one_round(const struct text *sources, size_t count, struct text result)
{
	struct events events = {0};
	/* Another style may need more room than the original. */
	struct text out = {malloc(result.len * 4 + 4096), 0};

	if (!out.data)
		give_up("no memory");
	parse(result, &events);
	double start = now_ms();
	for (size_t i = 0; i < count; i++)
		parse(sources[i], NULL);
	emit(&events, &out);
	double taken = now_ms() - start;
	free(events.data);
	free(out.data);
	return taken;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long rounds = argc > 3 ? strtol(argv[1], NULL, 10) : 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: bench-libyaml ROUNDS RESULT SOURCE...\n");
		return 2;
	}
	size_t count = (size_t)argc - 3;
	struct text result = read_text(argv[2]);
	struct text *sources = calloc(count, sizeof(*sources));
	double *times = calloc((size_t)rounds, sizeof(*times));
	if (!sources || !times)
		give_up("no memory");
	for (size_t i = 0; i < count; i++)
		sources[i] = read_text(argv[3 + i]);

	for (long i = 0; i < rounds; i++)
		times[i] = one_round(sources, count, result);
	qsort(times, (size_t)rounds, sizeof(*times), compare);
	printf("libyaml %.2f\n", times[rounds / 2]);

	for (size_t i = 0; i < count; i++)
		free(sources[i].data);
	free(sources);
	free(result.data);
	free(times);
	return 0;
}
