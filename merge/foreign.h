/*
 * Foreign text: text that is not of the file's format, such as the marks of a merge conflict, a
 * template, an HTML page, or the typographic quotes of a word processor. If a file with foreign
 * text does not parse, the problem names that text as the cause. This helps the user more than the
 * place at which the parser stops.
 */
#pragma once

#include "span.h"

struct builder; /* format/builder.h */

/** Returns whether the text is an HTML page, such as a server's error page, instead of the file. */
bool foreign_is_html(struct span text);

/**
 * Reads the text in the builder's format. The text must not begin with a byte order mark. Returns
 * as format.read (format.h). An HTML page is always a problem.
 *
 * The marks of a merge conflict, and a byte order mark that begins a later line, may be part of a
 * value if the format has lists, or quoted text of several lines. In these formats they only
 * explain why a text does not parse. In all other formats they are always problems.
 */
int foreign_read(struct builder *builder, struct span text);
