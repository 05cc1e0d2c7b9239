#include "choice.h"

#include <sys/stat.h>

#include "document.h"
#include "message.h"

struct choice choice_guess(const char *word)
{
	struct stat found;
	bool is_found = stat(word, &found) == 0;

	/* One that is missing is better called a missing file than a missing directory. */
	if (is_found ? !S_ISDIR(found.st_mode) : format_of_name(word) == FORMAT_YAML)
		return (struct choice){.config = word};
	return (struct choice){.layers = word};
}

int choice_open(const struct choice *choice, struct settings **ret)
{
	struct problem problem;
	int r = choice->config ? settings_read(choice->config, ret, &problem)
			       : settings_from_layers(choice->layers, ret, &problem);

	if (r == 0)
		return 0;
	message_result(r, &problem, NULL);
	return -1;
}
