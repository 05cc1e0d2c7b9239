#include "report_print.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"

void report_print(const char *text)
{
	const char *end = text + strlen(text);
	char shown[SHOWN_MAX + 1];

	while (text < end)
		/* cppcheck-suppress legacyUninitvar ; shown_put() fills it */
		fwrite(shown, 1, shown_put(&text, end, shown), stdout);
}

void report_put(const struct node *map, const char *template)
{
	for (char path[REPORT_PATH_SIZE];;) {
		size_t len = strcspn(template, "{");

		fwrite(template, 1, len, stdout);
		template += len;
		if (!*template)
			return;
		len = strcspn(template, "}");
		snprintf(path, sizeof(path), "%.*s", (int)len - 1, template + 1);
		if (*path == '#')
			printf("%.0f", report_number(map, path + 1));
		else
			report_print(report_text(map, path));
		template += len + 1;
	}
}

/* The capabilities that a sandbox leaves (fs/sandbox/sandbox.c), with the names of capsh(1). */
static const char *const capability_names[] = {
	[CAP_CHOWN] = "chown",
	[CAP_DAC_OVERRIDE] = "dac_override",
	[CAP_DAC_READ_SEARCH] = "dac_read_search",
	[CAP_FOWNER] = "fowner",
	[CAP_FSETID] = "fsetid",
	[CAP_LEASE] = "lease",
};

/*
 * Prints capabilities from hexadecimal `digits`. A process with other capabilities is in no
 * sandbox: the digits are printed.
 */
static void print_capabilities(const char *digits)
{
	const unsigned count = sizeof(capability_names) / sizeof(*capability_names);
	unsigned long long has = strtoull(digits, NULL, 16);
	unsigned long long unnamed = has;

	for (unsigned i = 0; i < count; i++)
		if (capability_names[i])
			unnamed &= ~(1ull << i);
	printf(", capabilities%s", has ? "" : " none");
	for (unsigned i = 0; !unnamed && i < count; i++)
		if (has >> i & 1)
			printf(" %s", capability_names[i]);
	if (!unnamed)
		return;
	putchar(' ');
	report_print(digits);
}

void report_print_sandbox(int indent, const struct node *sandbox)
{
	bool has_abi = report_number(sandbox, "landlock_abi") > 0;

	if (!sandbox)
		return;
	printf("%-*s", indent, "  sandbox");
	report_put(sandbox,
		has_abi ? "Landlock {landlock} (version {landlock_abi})" : "Landlock {landlock}");
	report_put(sandbox, ", seccomp {seccomp}, no_new_privs ");
	fputs(report_is(sandbox, "no_new_privs", "true") ? "on" : "off", stdout);
	print_capabilities(report_text(sandbox, "capabilities"));
	putchar('\n');
}
