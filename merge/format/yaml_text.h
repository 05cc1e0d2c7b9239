/*
 * YAML's reader and writer, for the entry in the table of formats.
 */
#pragma once

#include "builder.h"
#include "output.h"

int yaml_read(struct builder *builder, struct span text);
int yaml_write(struct writer *writer, const struct node *root);
