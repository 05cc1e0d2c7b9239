#include "etcd.h"
#include "etcd_client.h"

#define NO_ETCD                                                                                    \
	"this plyfs was built without libcurl, and can't reach etcd; build it with "               \
	"-Dmirror=enabled"

int etcd_mirror(const struct etcd_options *options, const struct mirror_options *mirror,
	struct problem *problem)
{
	(void)options;
	return problem_set(problem, mirror->replica.directory, 0, 0, NO_ETCD);
}

int etcd_client_new(const struct etcd_client_options *options, struct etcd_client **ret,
	struct problem *problem)
{
	(void)options;
	(void)ret;
	return problem_set(problem, NULL, 0, 0, NO_ETCD);
}

/* Never called with a client, as none can be made. */
void etcd_client_freep(struct etcd_client **client)
{
	(void)client;
}

int etcd_client_read(struct etcd_client *client, struct span key, struct arena *arena,
	struct etcd_value *ret, struct problem *problem)
{
	(void)client;
	(void)key;
	(void)arena;
	(void)ret;
	return problem_set(problem, NULL, 0, 0, NO_ETCD);
}

int etcd_client_swap(struct etcd_client *client, struct span key, uint64_t old, struct span text,
	uint64_t *ret, struct problem *problem)
{
	(void)client;
	(void)key;
	(void)old;
	(void)text;
	(void)ret;
	return problem_set(problem, NULL, 0, 0, NO_ETCD);
}
