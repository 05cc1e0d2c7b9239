#include "mime.h"

int mime_read(const struct source *source, struct span text, size_t max, struct arena *arena,
	struct mime_part **ret, size_t *count, struct problem *problem)
{
	(void)text;
	(void)max;
	(void)arena;
	(void)ret;
	(void)count;
	return problem_set(problem, source->name, 1, 0,
		"a MIME message, and this plyfs was built without GMime; build it with "
		"-Dmime=enabled");
}

void mime_load(void)
{
}
