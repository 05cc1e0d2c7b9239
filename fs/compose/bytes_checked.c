/* The memory of files' bytes, for sanitizers. */
#include "bytes.h"

#include <stdlib.h>

char *bytes_new(size_t size)
{
	return malloc(size);
}

char *bytes_dup(struct span text)
{
	return span_dup(text);
}

char *bytes_resize(char *bytes, size_t size)
{
	return realloc(bytes, size);
}

void bytes_free(char *bytes)
{
	free(bytes);
}

void bytes_freep(char **bytes)
{
	free(*bytes);
}

void bytes_trim(void)
{
}

int bytes_hide(struct span map)
{
	(void)map;
	return 0;
}
