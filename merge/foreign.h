/*
 * Foreign text: text in a file that belongs to no format, such as the marks of a merge conflict, a
 * template, an HTML page, or the typographic quotes of a word processor. If a file with such a text
 * does not parse, the problem names the text as the cause. That says more than the place at which
 * the parser gives up.
 */
#pragma once

#include "span.h"

struct builder;

/** Returns whether the text is an HTML page, such as a server's error page, instead of the file. */
bool foreign_is_html(struct span text);

/**
 * Reads the text, which has no byte order mark at its beginning, in the builder's format. Returns
 * as format.read, with a foreign text as the problem if there is one.
 */
int foreign_read(struct builder *builder, struct span text);
