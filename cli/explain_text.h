/*
 * An explanation for people: a line for each value, with its place. Below the line of a value stand
 * the values that it has overridden or was made of, the latest first.
 *
 *      server.port: 9090                       host    /etc/app.d/web/app.yaml:3:9
 *        lost  8080                            site    /etc/app/app.yaml:2:9        the later …
 *        lost  80                              vendor  /usr/share/app/app.yaml:2:9  the later …
 */
#pragma once

#include "explained_value.h"

/**
 * Explains the value `only`, whose KEY (assignment.h) is `asked`, on standard output. If `only` is
 * NULL, explains all values. The caller checks ferror(3). Returns 0 or -ENOMEM.
 */
int explain_text(
	const struct explanation *explanation, const struct explained *only, const char *asked);
