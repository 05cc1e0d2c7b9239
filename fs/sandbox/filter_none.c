/* A build without libseccomp. */
#include "filter.h"

int filter_enter(enum sandbox_process process)
{
	(void)process;
	return FILTER_NOT_BUILT;
}

int filter_prepare_worker(void)
{
	return FILTER_NOT_BUILT;
}

int filter_enter_worker(int watches)
{
	(void)watches;
	return FILTER_NOT_BUILT;
}
