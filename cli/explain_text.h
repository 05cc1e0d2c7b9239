/*
 * An explanation for people: a line for each value, with where it is from, and below it lines for
 * what it overrode or was made of, from the latest to the earliest.
 *
 *      server.port: 9090                       host    /etc/app.d/web/app.yaml:3:9
 *        lost  8080                            site    /etc/app/app.yaml:2:9        the later …
 *        lost  80                              vendor  /usr/share/app/app.yaml:2:9  the later …
 */
#pragma once

#include <stdio.h>

#include "explained_value.h"

/**
 * Writes all of it, or what `only` is about (NULL: all), which `asked` is the KEY of. `out` is
 * nobody else's meanwhile; whether it took everything ferror(3) tells. 0 or -ENOMEM.
 */
int explain_text(const struct explanation *explanation, const struct explained *only,
	const char *asked, bool is_coloured, FILE *out);
