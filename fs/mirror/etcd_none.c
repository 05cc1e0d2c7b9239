#include "etcd.h"

int etcd_mirror(const struct etcd_options *options, const struct mirror_options *mirror,
	struct problem *problem)
{
	(void)options;
	return problem_set(problem, mirror->replica.directory, 0, 0,
		"this plyfs was built without libcurl, and has no way to etcd; build it with "
		"-Dmirror=enabled");
}
