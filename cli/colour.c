#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "span.h"
#include "word.h"

enum colour_mode { COLOUR_ALWAYS, COLOUR_AUTO, COLOUR_NEVER }; /* as in COLOUR_WORDS */

static enum colour_mode mode = COLOUR_AUTO;

int colour_set(const char *word)
{
	int number = word_index(COLOUR_WORDS, span_of(word));

	if (number < 0)
		return -1;
	mode = (enum colour_mode)number;
	return 0;
}

bool colour_use(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (mode != COLOUR_AUTO)
		return mode == COLOUR_ALWAYS;
	return (!no_color || !*no_color) && (!terminal || strcmp(terminal, "dumb") != 0) &&
	       isatty(fd);
}
