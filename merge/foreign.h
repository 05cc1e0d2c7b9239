/*
 * Foreign text: text that is not of the file's format, such as the marks of a merge conflict, a
 * template, an HTML page, or the typographic quotes of a word processor. If a file with foreign
 * text does not parse, the problem names that text as the cause. This helps the user more than the
 * place at which the parser stops.
 */
#pragma once

#include "span.h"

struct builder;

/** Returns whether the text is an HTML page, such as a server's error page, instead of the file. */
bool foreign_is_html(struct span text);

/**
 * Reads the text, which has no byte order mark at its beginning, in the builder's format. Returns
 * as format.read. An HTML page is always a problem. A conflict's marks and a byte order mark are
 * problems in formats with neither lists nor quotes over several lines.
 */
int foreign_read(struct builder *builder, struct span text);
