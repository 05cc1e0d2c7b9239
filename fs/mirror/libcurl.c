#include "libcurl.h"

#include <dlfcn.h>

struct libcurl libcurl;

bool libcurl_load(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
#define FIND(name)                                                                                 \
	libcurl.name = (__typeof__(libcurl.name))dlsym(library, "curl_" #name);                    \
	if (!libcurl.name)                                                                         \
		return false;
	LIBCURL_FUNCTIONS(FIND)
#undef FIND
	return libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}
