/*
 * GMime, the library that reads MIME messages. Call gmime_load() first, then GMime's functions as
 * gmime.NAME(…). GMime's macros can't be used: they call functions that are not linked.
 */
#pragma once

#include <gmime/gmime.h>
#include <stdbool.h>

#define GMIME_FUNCTIONS(X)                                                                         \
	X(g_free)                                                                                  \
	X(g_mime_content_type_get_mime_type)                                                       \
	X(g_mime_data_wrapper_get_encoding)                                                        \
	X(g_mime_data_wrapper_get_stream)                                                          \
	X(g_mime_data_wrapper_write_to_stream)                                                     \
	X(g_mime_header_get_name)                                                                  \
	X(g_mime_header_get_offset)                                                                \
	X(g_mime_header_get_raw_value)                                                             \
	X(g_mime_header_list_get_count)                                                            \
	X(g_mime_header_list_get_header)                                                           \
	X(g_mime_header_list_get_header_at)                                                        \
	X(g_mime_init)                                                                             \
	X(g_mime_message_get_mime_part)                                                            \
	X(g_mime_message_part_get_message)                                                         \
	X(g_mime_message_part_get_type)                                                            \
	X(g_mime_multipart_get_count)                                                              \
	X(g_mime_multipart_get_part)                                                               \
	X(g_mime_multipart_get_type)                                                               \
	X(g_mime_object_get_content_type)                                                          \
	X(g_mime_object_get_header_list)                                                           \
	X(g_mime_parser_construct_part)                                                            \
	X(g_mime_parser_new_with_stream)                                                           \
	X(g_mime_parser_options_free)                                                              \
	X(g_mime_parser_options_new)                                                               \
	X(g_mime_parser_set_format)                                                                \
	X(g_mime_parser_set_persist_stream)                                                        \
	X(g_mime_part_get_content)                                                                 \
	X(g_mime_part_get_type)                                                                    \
	X(g_mime_stream_mem_get_byte_array)                                                        \
	X(g_mime_stream_mem_new)                                                                   \
	X(g_mime_stream_mem_new_with_buffer)                                                       \
	X(g_object_unref)                                                                          \
	X(g_type_check_instance_is_a)

struct gmime {
#define GMIME_FIELD(name) __typeof__(name) *name;
	GMIME_FUNCTIONS(GMIME_FIELD)
#undef GMIME_FIELD
	/* GMime 3.2.15 added the parameter `free_data`. An older GMime ignores the argument. */
	void (*g_mime_parser_options_set_warning_callback)(GMimeParserOptions *options,
		GMimeParserWarningFunc callback, gpointer data, GDestroyNotify free_data);
};

extern struct gmime gmime;

/** Loads GMime once. Any thread may call it. Returns false if GMime is not installed. */
bool gmime_load(void);

/** Returns whether `object` has the type `type`, such as gmime.g_mime_part_get_type(). */
static inline bool gmime_is(void *object, GType type)
{
	return gmime.g_type_check_instance_is_a(object, type);
}
