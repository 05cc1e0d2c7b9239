#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"

/* ms between two updates. */
#define PROGRESS_MS 200

/* Size of a number with its commas, in bytes. */
#define NUMBER_SIZE 32

/* Formats a number: "10,000". */
static const char *format_number(size_t number, char text[NUMBER_SIZE])
{
	char *at = text + NUMBER_SIZE - 1;
	unsigned digits = 0;

	*at = '\0';
	do {
		if (digits > 0 && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + number % 10);
		number /= 10;
		digits++;
	} while (number > 0);
	return at;
}

void progress_print_count(const char *before, size_t count, const char *one, const char *more)
{
	char text[NUMBER_SIZE];

	printf("%s%s %s", before, format_number(count, text), count == 1 ? one : more);
}

void progress_begin(struct progress *progress, int64_t first_ms)
{
	if (progress->state == PROGRESS_QUIET || !isatty(STDERR_FILENO))
		return;
	progress->state = PROGRESS_HIDDEN;
	progress->next_ms = clock_ms() + first_ms;
}

void progress_show(struct progress *progress, const char *what, size_t done, size_t total)
{
	char part[NUMBER_SIZE], all[NUMBER_SIZE];
	int64_t now = progress->state >= PROGRESS_HIDDEN ? clock_ms() : 0;

	if (progress->state < PROGRESS_HIDDEN || now < progress->next_ms)
		return;
	progress->next_ms = now + PROGRESS_MS;
	progress->state = PROGRESS_SHOWN;
	fprintf(stderr, "\r\033[K%s %s%s%s", what, format_number(done, part), total ? " of " : "",
		total ? format_number(total, all) : "");
}

void progress_hide(struct progress *progress)
{
	if (progress->state != PROGRESS_SHOWN)
		return;
	fputs("\r\033[K", stderr);
	progress->state = PROGRESS_HIDDEN;
}
