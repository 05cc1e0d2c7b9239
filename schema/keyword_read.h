/* The readers of keywords' values: see keyword_spec.read. Each refuses a value that the drafts
 * don't allow. */
#pragma once

#include "keyword.h"

int read_reference(struct reading *reading, struct keyword *keyword);
int read_recursive_reference(struct reading *reading, struct keyword *keyword);
int read_type(struct reading *reading, struct keyword *keyword);
int read_enum(struct reading *reading, struct keyword *keyword);
int read_number(struct reading *reading, struct keyword *keyword);
int read_exclusive_limit(struct reading *reading, struct keyword *keyword);
int read_factor(struct reading *reading, struct keyword *keyword);
int read_count(struct reading *reading, struct keyword *keyword);
int read_bool(struct reading *reading, struct keyword *keyword);
int read_one_pattern(struct reading *reading, struct keyword *keyword);
int read_format(struct reading *reading, struct keyword *keyword);
int read_one(struct reading *reading, struct keyword *keyword);
int read_list(struct reading *reading, struct keyword *keyword);
int read_map(struct reading *reading, struct keyword *keyword);
int read_items(struct reading *reading, struct keyword *keyword);
int read_patterns(struct reading *reading, struct keyword *keyword);
int read_additional_items(struct reading *reading, struct keyword *keyword);
int read_additional_properties(struct reading *reading, struct keyword *keyword);
int read_contains(struct reading *reading, struct keyword *keyword);
int read_names(struct reading *reading, struct keyword *keyword);
int read_name_lists(struct reading *reading, struct keyword *keyword);
int read_dependencies(struct reading *reading, struct keyword *keyword);
int read_if(struct reading *reading, struct keyword *keyword);
