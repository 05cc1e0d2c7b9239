/*
 * Shared by the fuzz targets: a broken law ends the run, and the bytes of an input are cut into
 * texts.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "document.h"
#include "span.h"

/* Small, so that the fuzzer looks for other things than large aliases. */
#define FUZZ_LIMITS                                                                                \
	((struct limits){                                                                          \
		.source_bytes = 1u << 20, .result_bytes = 1u << 20, .depth = 64, .nodes = 20000})

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rest of the input. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

/* Ends the run: `rule` is the broken law, `text` has the details. */
static inline _Noreturn void fuzz_stop(const char *rule, struct span text)
{
	fprintf(stderr, "%s:\n%.*s\n", rule, (int)text.len, text.len ? text.data : "");
	abort();
}

/* The next byte; 0 when none is left. */
static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
	if (!input->size)
		return 0;
	input->size--;
	return *input->data++;
}

/*
 * The text up to the next byte 0xFF, which no UTF-8 has, or to the end. NUL-terminated, and memory
 * of its own for free(3), so that reading past its end shows.
 */
static inline struct span fuzz_text(struct fuzz_input *input)
{
	const uint8_t *end = input->size ? memchr(input->data, 0xFF, input->size) : NULL;
	size_t len = end ? (size_t)(end - input->data) : input->size;
	char *text = malloc(len + 1);

	if (!text)
		abort();
	if (len > 0)
		memcpy(text, input->data, len);
	text[len] = '\0';
	input->data += len + (end ? 1 : 0);
	input->size -= len + (end ? 1 : 0);
	return (struct span){text, len};
}

/* For CLEANUP(), of what fuzz_text() gave. */
static inline void fuzz_text_fini(struct span *text)
{
	free((char *)text->data);
}

/* The text as a document; false: it is none. */
static inline bool fuzz_read(
	struct span text, const struct read_options *options, struct document **ret)
{
	const struct source source = {.name = "text", .layer = ""};
	struct problem problem;

	return document_read(&source, text, options, ret, &problem) == 0;
}

/* The same of what we have written: it must be one. */
static inline void fuzz_must_read(
	struct span text, const struct read_options *options, struct document **ret)
{
	const struct source source = {.name = "what was written can't be read", .layer = ""};
	struct problem problem;
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];

	if (document_read(&source, text, options, ret, &problem) == 0)
		return;
	problem_format(&problem, line, sizeof(line));
	fuzz_stop(line, text);
}

/* The tree as a text; false: the format can't hold it. */
static inline bool fuzz_write(
	const struct node *root, const struct format *format, struct arena *arena, struct span *ret)
{
	const struct limits limits = FUZZ_LIMITS;
	struct problem problem;

	return document_write(root, format, &limits, arena, ret, &problem) == 0;
}

/* A problem says something, in one line. */
static inline void fuzz_check_problem(const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];

	problem_format(problem, line, sizeof(line));
	if (problem->message[0] == '\0' || strchr(line, '\n'))
		fuzz_stop("a problem is one line", span_of(line));
}
