/* libcurl, loaded by dlopen(3) on demand. Write libcurl.easy_init() for curl_easy_init(). */
#pragma once

/* libcurl's type checks are macros, which would call its functions directly. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#define LIBCURL_FUNCTIONS(X)                                                                       \
	X(easy_cleanup)                                                                            \
	X(easy_getinfo)                                                                            \
	X(easy_init)                                                                               \
	X(easy_setopt)                                                                             \
	X(easy_strerror)                                                                           \
	X(global_init)                                                                             \
	X(multi_add_handle)                                                                        \
	X(multi_cleanup)                                                                           \
	X(multi_info_read)                                                                         \
	X(multi_init)                                                                              \
	X(multi_perform)                                                                           \
	X(multi_poll)                                                                              \
	X(multi_remove_handle)                                                                     \
	X(slist_append)                                                                            \
	X(slist_free_all)

struct libcurl {
#define LIBCURL_FIELD(name) __typeof__(curl_##name) *name;
	LIBCURL_FUNCTIONS(LIBCURL_FIELD)
#undef LIBCURL_FIELD
};

extern struct libcurl libcurl;

/** Loads and initialises libcurl. False: libcurl is missing, too old, or fails. */
bool libcurl_load(void);
