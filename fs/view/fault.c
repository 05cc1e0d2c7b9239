#include "fault.h"

#include <stdio.h>
#include <string.h>

#include "shown.h"

/* Bytes of a path in the line. */
#define PATH_SHOWN_MAX 128

static const char *const serves_names[] = {
	[FAULT_SERVES_NOTHING] = "nothing",
	[FAULT_SERVES_RENDERED] = "rendered",
	[FAULT_SERVES_LAST_GOOD] = "last-good",
	[FAULT_SERVES_OTHER_LAYERS] = "other-layers",
	[FAULT_SERVES_FALLBACK] = "last-good-source",
	[FAULT_SERVES_LOCKED] = "locked-values",
	[FAULT_SERVES_COVERED] = "mounted",
	[FAULT_SERVES_SETTINGS] = "last-good-settings",
	[FAULT_SERVES_OTHER_SETTINGS] = "other-settings",
};

#define SERVES_COUNT (sizeof(serves_names) / sizeof(*serves_names))

const char *fault_serves_name(enum fault_serves serves)
{
	return serves_names[serves];
}

enum fault_serves fault_serves_of(const char *name)
{
	for (size_t i = 0; i < SERVES_COUNT; i++)
		if (strcmp(serves_names[i], name) == 0)
			return (enum fault_serves)i;
	return FAULT_SERVES_NOTHING;
}

void fault_age(long long age_s, char text[FAULT_AGE_MAX])
{
	static const struct {
		long long seconds;
		const char *name;
	} units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
	size_t unit = 0;

	if (age_s < 1) {
		snprintf(text, FAULT_AGE_MAX, "a moment");
		return;
	}
	while (age_s < units[unit].seconds)
		unit++;
	long long count = age_s / units[unit].seconds;
	snprintf(text, FAULT_AGE_MAX, "%lld %s%s", count, units[unit].name, count == 1 ? "" : "s");
}

void fault_serves_text(enum fault_serves serves, long long age_s, char *text, size_t size)
{
	char age[FAULT_AGE_MAX];

	fault_age(age_s, age);
	switch (serves) {
	case FAULT_SERVES_NOTHING:
		snprintf(text, size, "reading it fails until this is repaired");
		break;
	case FAULT_SERVES_RENDERED:
		snprintf(text, size, "the file that was rendered before, if any, stays");
		break;
	case FAULT_SERVES_LAST_GOOD:
		snprintf(text, size, "the version of %s ago is served", age);
		break;
	case FAULT_SERVES_OTHER_LAYERS:
		snprintf(text, size, "the merge of the other layers is served");
		break;
	case FAULT_SERVES_FALLBACK:
		snprintf(text, size, "its values of %s ago stay, all others are the newest", age);
		break;
	case FAULT_SERVES_LOCKED:
		snprintf(text, size, "values with a lock or bound stay, all others are the newest");
		break;
	case FAULT_SERVES_COVERED:
		snprintf(text, size, "the mount there stays");
		break;
	case FAULT_SERVES_SETTINGS:
		snprintf(text, size, "the settings of %s ago are in force", age);
		break;
	case FAULT_SERVES_OTHER_SETTINGS:
		snprintf(text, size, "all other settings are in force");
		break;
	}
}

void fault_time(struct timespec time, char text[FAULT_TIME_MAX])
{
	struct tm tm;

	gmtime_r(&time.tv_sec, &tm);
	strftime(text, FAULT_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

long long fault_age_s(struct timespec time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > time.tv_sec ? now.tv_sec - time.tv_sec : 0;
}

void fault_text(const struct fault *fault, const char *path, char text[FAULT_TEXT_MAX])
{
	char since[FAULT_TIME_MAX], served[FAULT_AGE_MAX + 64];
	char name[PATH_SHOWN_MAX] = "";

	size_t len = problem_format(&fault->problem, text, FAULT_TEXT_MAX);
	if (len >= FAULT_TEXT_MAX)
		len = FAULT_TEXT_MAX - 1;
	fault_time(fault->since, since);
	fault_serves_text(fault->serves, fault_age_s(fault->made), served, sizeof(served));
	if (path)
		shown_tail(name, sizeof(name), path);
	snprintf(text + len, FAULT_TEXT_MAX - len, " (%s%ssince %s; %s)", name, path ? ", " : "",
		since, served);
}
