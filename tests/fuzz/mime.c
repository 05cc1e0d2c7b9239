/*
 * Any MIME message is refused with a problem, or its parts are texts of it, and the same each time.
 */
#include "mime.h"
#include "cleanup.h"
#include "fuzz.h"

#define PARTS_MAX 50

static int read_message(struct span text, struct arena *arena, struct mime_part **ret,
	size_t *count, struct problem *problem)
{
	const struct source source = {.name = "message", .layer = ""};
	int r = mime_read(&source, text, PARTS_MAX, arena, ret, count, problem);

	if (r == PROBLEM)
		fuzz_check_problem(problem);
	return r;
}

static void check_part(
	const struct mime_part *part, const struct mime_part *again, struct span text)
{
	unsigned lines = 1;

	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	if (!part->type || strcmp(part->type, again->type) != 0)
		fuzz_stop("a part has one type", text);
	if (part->text.data[part->text.len] != '\0' || !span_equal(part->text, again->text))
		fuzz_stop("a part has one text, with a NUL byte behind it", text);
	if (part->place.lines > lines || part->merge_type_line > lines)
		fuzz_stop("a part stands within the message", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span text = {(const char *)data, size};
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct mime_part *parts = NULL, *parts_again = NULL;
	size_t count = 0, count_again = 0;
	struct problem problem;

	if (arena_new(&arena) < 0)
		return 0;
	int r = read_message(text, arena, &parts, &count, &problem);
	if (r != read_message(text, arena, &parts_again, &count_again, &problem) ||
		count != count_again || count > PARTS_MAX)
		fuzz_stop("a message has the same parts each time", text);
	for (size_t i = 0; r == 0 && i < count; i++)
		check_part(&parts[i], &parts_again[i], text);
	return 0;
}
