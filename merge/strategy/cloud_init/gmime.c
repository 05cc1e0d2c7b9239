#include "gmime.h"

#include <dlfcn.h>
#include <pthread.h>

struct gmime gmime;

static bool is_loaded;

static void load(void)
{
	void *library = dlopen("libgmime-3.0.so.0", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
#define FIND(name)                                                                                 \
	gmime.name = (__typeof__(gmime.name))dlsym(library, #name);                                \
	if (!gmime.name)                                                                           \
		return;
	GMIME_FUNCTIONS(FIND)
	FIND(g_mime_parser_options_set_warning_callback)
#undef FIND
	gmime.g_mime_init();
	is_loaded = true;
}

bool gmime_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded;
}
