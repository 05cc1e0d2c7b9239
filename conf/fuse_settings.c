#include "fuse_settings.h"

#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"

bool fuse_settings_allow_others(void)
{
	CLEANUP(fclosep) FILE *file = fopen(FUSE_SETTINGS, "re");
	bool is_allowed = false;
	char line[256], word[sizeof(line)], rest;

	while (file && !is_allowed && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "#")] = '\0';
		is_allowed = sscanf(line, " %255s %c", word, &rest) == 1 &&
			     strcmp(word, "user_allow_other") == 0;
	}
	return is_allowed;
}
