#include "report.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalar.h"
#include "shown.h"

const struct node *report_get(const struct node *map, const char *name, const char *inner)
{
	const struct node *value = map && node_is_map(map) ? node_get(map, name) : NULL;

	return value && inner ? report_get(value, inner, NULL) : value;
}

const char *report_text(const struct node *node)
{
	return node && node_is_scalar(node) && !scalar_is_null(node) ? node->text.data : "";
}

double report_number(const struct node *node)
{
	bool is_number = node && node_is_scalar(node) &&
			 (scalar_type(node) == SCALAR_INT || scalar_type(node) == SCALAR_FLOAT);

	return is_number ? scalar_number(node) : 0;
}

uint32_t report_count(const struct node *list)
{
	return list && node_is_sequence(list) ? list->seq.count : 0;
}

void report_print(const char *text)
{
	const char *end = text + strlen(text);
	char shown[SHOWN_MAX + 1];

	while (text < end)
		/* cppcheck-suppress legacyUninitvar ; shown_put() fills it */
		fwrite(shown, 1, shown_put(&text, end, shown), stdout);
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
	double abi = report_number(report_get(sandbox, "landlock_abi", NULL));
	bool is_bound = strcmp(report_text(report_get(sandbox, "no_new_privs", NULL)), "true") == 0;

	if (!sandbox)
		return;
	printf("%-*sLandlock ", indent, "  sandbox");
	report_print(report_text(report_get(sandbox, "landlock", NULL)));
	if (abi > 0)
		printf(" (version %.0f)", abi);
	printf(", seccomp ");
	report_print(report_text(report_get(sandbox, "seccomp", NULL)));
	printf(", no_new_privs %s", is_bound ? "on" : "off");
	print_capabilities(report_text(report_get(sandbox, "capabilities", NULL)));
	putchar('\n');
}
