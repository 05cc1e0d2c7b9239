/* A user of the system (passwd(5)). */
#pragma once

#include <pwd.h>

/* The result of user_find() if the system knows no such user, or fails to find out. */
#define USER_UNKNOWN 1

/**
 * Finds the user `name`, or our own user if `name` is NULL. Returns 0 with *ret, whose texts lie in
 * *text, for free(3); USER_UNKNOWN; or the -errno of a shortage (layer_is_shortage()).
 */
int user_find(const char *name, struct passwd *ret, char **text);
