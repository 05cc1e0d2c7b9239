/*
 * A user, as the system knows it (passwd(5)).
 *
 * One thread may fork a process while another thread reads settings. So user_find() does not call
 * getpwuid(3), as the forked process may need the lock that getpwuid(3) holds in the other thread.
 */
#pragma once

#include <pwd.h>

/* The result of user_find() if the system knows no such user, or can't tell. */
#define USER_UNKNOWN 1

/**
 * Finds the user `name`; NULL: our own. Returns 0 with *ret, whose texts live as long as *text, for
 * free(3); USER_UNKNOWN; or the -errno of a shortage (layer_is_shortage()).
 */
int user_find(const char *name, struct passwd *ret, char **text);
