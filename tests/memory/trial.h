/*
 * A trial does the same again and again. The n-th allocation fails, for all n, until fewer are
 * made: once it alone, and once it and all after it. Each time the result is that there is no
 * memory, or the result without a failure. Nothing that was allocated is left.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "failing.h"
#include "problem.h"
#include "span.h"

/*
 * Allocations of one trial that fail one after the other. Of those behind, one in TRIAL_STEP
 * fails.
 */
#define TRIAL_DENSE 400
#define TRIAL_STEP 23

/* Seconds that one trial may take: some of them take long. */
#define TRIAL_SECONDS 5

/* The result: 0, PROBLEM or -errno, and a text for it, for free(3). */
struct outcome {
	int r;
	char *text;
};

struct trial {
	const char *name;
	void (*run)(void *context, struct outcome *ret);
	void *context;
};

/* Of all trials. */
struct trial_counts {
	unsigned long trials;
	unsigned long failures; /* allocations that failed, one in each run */
	unsigned broken;
};

static struct trial_counts trial_counts;

static inline bool trial_is_no_memory(const struct outcome *outcome)
{
	return outcome->r == -ENOMEM || (outcome->r == PROBLEM && outcome->text &&
						strstr(outcome->text, "Cannot allocate memory"));
}

static inline bool trial_is_same(const struct outcome *a, const struct outcome *b)
{
	return a->r == b->r && !a->text == !b->text && (!a->text || strcmp(a->text, b->text) == 0);
}

static inline void trial_say(
	const struct trial *trial, int64_t n, int64_t count, const char *what, const char *text)
{
	printf("# %s: allocation %lld fails%s: %s: %s\n", trial->name, (long long)n,
		count > 1 ? ", and all after it" : "", what, text ? text : "");
	trial_counts.broken++;
}

/* False: no allocation has failed, so this was the last run. */
static inline bool trial_fail_at(
	const struct trial *trial, const struct outcome *expected, int64_t n, int64_t count)
{
	struct outcome outcome = {0};
	int64_t held = failing->held;

	failing_start(n, count);
	trial->run(trial->context, &outcome);
	bool has_failed = failing_stop() > 0;
	if (!trial_is_same(&outcome, expected) && !(has_failed && trial_is_no_memory(&outcome))) {
		char text[64];

		snprintf(text, sizeof(text), "the outcome is %d", outcome.r);
		trial_say(trial, n, count, text, outcome.text);
	}
	free(outcome.text);
	if (failing->held != held)
		trial_say(trial, n, count, "memory is left", NULL);
	trial_counts.failures += has_failed;
	return has_failed;
}

static inline void trial_run(const struct trial *trial)
{
	unsigned broken = trial_counts.broken;
	struct outcome expected = {0};

	/* Runs twice: memory that libraries allocate once and keep is there in the second run. */
	trial->run(trial->context, &expected);
	free(expected.text);
	expected = (struct outcome){0};
	trial->run(trial->context, &expected);
	time_t end = time(NULL) + TRIAL_SECONDS;
	for (int64_t count = 1; count <= INT32_MAX; count += INT32_MAX - 1)
		for (int64_t n = 0; trial_fail_at(trial, &expected, n, count);
			n += n < TRIAL_DENSE ? 1 : TRIAL_STEP)
			if (trial_counts.broken > broken + 5 || time(NULL) > end)
				break;
	free(expected.text);
	trial_counts.trials++;
	printf("%sok %lu - %s\n", trial_counts.broken > broken ? "not " : "", trial_counts.trials,
		trial->name);
	fflush(stdout);
}

/* Prints the plan, behind all trials. Returns the exit code. */
static inline int trial_end(void)
{
	printf("1..%lu\n# %lu allocations failed\n", trial_counts.trials, trial_counts.failures);
	return trial_counts.broken > 0;
}
