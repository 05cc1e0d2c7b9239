#include <dlfcn.h>
#include <errno.h>
#include <gmime/gmime.h>
#include <pthread.h>

#include "cleanup.h"
#include "mime.h"

/*
 * GMime, the library that reads MIME messages. After gmime_load() its functions are gmime.NAME(…).
 * GMime's macros can't be used: they call functions that are not linked.
 */
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

static struct gmime {
#define GMIME_FIELD(name) __typeof__(name) *name;
	GMIME_FUNCTIONS(GMIME_FIELD)
#undef GMIME_FIELD
	/* GMime 3.2.15 added the parameter `free_data`. An older GMime ignores the argument. */
	void (*g_mime_parser_options_set_warning_callback)(GMimeParserOptions *options,
		GMimeParserWarningFunc callback, gpointer data, GDestroyNotify free_data);
} gmime;

static bool is_loaded;

static void load(void)
{
	void *library = dlopen("libgmime-3.0.so.0", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
#define FIND(name)                                                                                 \
	gmime.name = (__typeof__(gmime.name))dlsym(library, #name);                                \
	if (!gmime.name)                                                                           \
		return;
	GMIME_FUNCTIONS(FIND)
	FIND(g_mime_parser_options_set_warning_callback)
#undef FIND
	gmime.g_mime_init();
	is_loaded = true;
}

/* Loads GMime once. Any thread may call it. Returns false if GMime is not installed. */
static bool gmime_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded;
}

/* Returns whether `object` has the type `type`, such as gmime.g_mime_part_get_type(). */
static bool gmime_is(void *object, GType type)
{
	return gmime.g_type_check_instance_is_a(object, type);
}

/* Depth of nested containers. */
#define MIME_DEPTH_MAX 32

/*
 * Lines that look like headers, in the whole message. GMime needs a microsecond and a kilobyte for
 * each.
 */
#define MIME_HEADERS_MAX 50000

struct mime_reader {
	const struct source *source;
	struct span text;
	struct arena *arena;
	struct problem *problem;
	struct mime_part *parts;
	uint32_t count;
	uint32_t capacity;
	size_t max;

	/* The first warning of GMime. */
	GMimeParserWarning warning;
	gint64 warning_offset;

	uint32_t line; /* of `at`, starting at 1 */
	size_t at;
};

static void unref(void *place)
{
	GObject *object = *(GObject **)place;

	if (object)
		gmime.g_object_unref(object);
}

/* Returns the line of a byte. Offsets nearly always come in order. */
static uint32_t line_of(struct mime_reader *reader, gint64 offset)
{
	size_t end = offset < 0 ? 0 : (size_t)offset;

	if (end > reader->text.len)
		end = reader->text.len;
	if (end < reader->at) {
		reader->line = 1;
		reader->at = 0;
	}
	for (; reader->at < end; reader->at++)
		reader->line += reader->text.data[reader->at] == '\n';
	return reader->line;
}

static int broken(struct mime_reader *reader, uint32_t line, const char *reason)
{
	return problem_set(
		reader->problem, reader->source->name, line, 0, "broken MIME message: %s", reason);
}

/* Returns NULL for a message that cloud-init also reads. */
static const char *reason_of(GMimeParserWarning warning)
{
	switch (warning) {
	case GMIME_WARN_MALFORMED_MULTIPART:
		return "no part stands between the multipart's boundaries";
	case GMIME_WARN_TRUNCATED_MESSAGE:
		return "it ends before its last boundary";
	case GMIME_CRIT_MULTIPART_WITHOUT_BOUNDARY:
		return "a multipart has no boundary parameter";
	case GMIME_CRIT_INVALID_HEADER_NAME:
		return "a header's name is invalid";
	case GMIME_CRIT_NESTING_OVERFLOW:
		return "multiparts are nested too deep";
	default:
		return NULL;
	}
}

static void on_warning(gint64 offset, GMimeParserWarning warning, const gchar *item, gpointer data)
{
	struct mime_reader *reader = data;

	(void)item;
	if (reader->warning != 0 || !reason_of(warning))
		return;
	reader->warning = warning;
	reader->warning_offset =
		warning == GMIME_WARN_TRUNCATED_MESSAGE ? (gint64)reader->text.len : offset;
}

/* Finds a header by its exact case, as cloud-init does. */
static GMimeHeader *find_header(GMimeHeaderList *headers, const char *name)
{
	int count = gmime.g_mime_header_list_get_count(headers);

	for (int i = 0; i < count; i++) {
		GMimeHeader *header = gmime.g_mime_header_list_get_header_at(headers, i);
		if (strcmp(gmime.g_mime_header_get_name(header), name) == 0)
			return gmime.g_mime_header_list_get_header(headers, name);
	}
	return NULL;
}

static int take_merge_type(struct mime_reader *reader, GMimeObject *object, struct mime_part *part)
{
	static const char *const names[] = {"Merge-Type", "X-Merge-Type"};
	GMimeHeaderList *headers = gmime.g_mime_object_get_header_list(object);

	for (size_t i = 0; i < 2; i++) {
		GMimeHeader *header = find_header(headers, names[i]);
		const char *value = header ? gmime.g_mime_header_get_raw_value(header) : NULL;
		if (!value)
			continue;
		/* Raw: text in parentheses must not be folded. */
		value += strspn(value, " \t");
		size_t len = strlen(value);
		while (len > 0 && (value[len - 1] == '\n' || value[len - 1] == '\r'))
			len--;
		if (len == 0)
			continue;
		part->merge_type = arena_copy(reader->arena, (struct span){value, len});
		part->merge_type_line = line_of(reader, gmime.g_mime_header_get_offset(header));
		return part->merge_type ? 0 : -ENOMEM;
	}
	return 0;
}

static int take_type(struct mime_reader *reader, GMimeObject *object, struct mime_part *part)
{
	char *type = gmime.g_mime_content_type_get_mime_type(
		gmime.g_mime_object_get_content_type(object));
	char *small = arena_copy(reader->arena, span_of(type));

	for (char *at = small; at && *at; at++)
		*at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
	part->type = small;
	/* The parentheses keep g_free from being a macro. */
	(gmime.g_free)(type);
	return small ? 0 : -ENOMEM;
}

static bool is_base64(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '+' ||
	       c == '/';
}

/* GMime skips characters that are no base64, so a damaged part would become a different text. */
static int check_base64(struct mime_reader *reader, size_t start, size_t end)
{
	size_t digits = 0, padding = 0;

	for (size_t i = start; i < end; i++) {
		char c = reader->text.data[i];
		if (c && strchr(" \t\n\f\r", c))
			continue;
		if (c == '=')
			padding++;
		else if (is_base64(c) && padding == 0)
			digits++;
		else
			return broken(reader, line_of(reader, (gint64)i),
				"a part that claims to be base64 is not");
	}
	if (padding > 2 || (digits + padding) % 4 != 0)
		return broken(
			reader, line_of(reader, (gint64)end), "a part in base64 is cut short");
	return 0;
}

static int take_text(struct mime_reader *reader, GMimePart *object, struct mime_part *part)
{
	GMimeDataWrapper *content = gmime.g_mime_part_get_content(object);
	CLEANUP(unref) GMimeStream *decoded = gmime.g_mime_stream_mem_new();
	GMimeContentEncoding encoding;
	GMimeStream *stream;

	part->text = span_of("");
	if (!content)
		return 0;
	encoding = gmime.g_mime_data_wrapper_get_encoding(content);
	stream = gmime.g_mime_data_wrapper_get_stream(content);
	/* The stream is a window on the text, not a copy. */
	size_t start = (size_t)stream->bound_start;
	size_t end = stream->bound_end < 0 ? reader->text.len : (size_t)stream->bound_end;
	bool is_rewritten = encoding == GMIME_CONTENT_ENCODING_BASE64 ||
			    encoding == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE ||
			    encoding == GMIME_CONTENT_ENCODING_UUENCODE;
	uint32_t line = line_of(reader, (gint64)start);

	if (encoding == GMIME_CONTENT_ENCODING_BASE64) {
		int r = check_base64(reader, start, end);
		if (r != 0)
			return r;
	}
	if (gmime.g_mime_data_wrapper_write_to_stream(content, decoded) < 0)
		return broken(reader, line, "a part can't be decoded");
	GByteArray *bytes = gmime.g_mime_stream_mem_get_byte_array((GMimeStreamMem *)decoded);
	part->text = (struct span){(const char *)bytes->data, bytes->len};
	part->text.data = arena_copy(reader->arena, part->text);
	part->place = (struct text_place){.lines = is_rewritten ? line : line - 1,
		.columns = is_rewritten ? 1 : 0,
		.is_rewritten = is_rewritten};
	return part->text.data ? 0 : -ENOMEM;
}

static int take_part(struct mime_reader *reader, GMimeObject *object)
{
	if (reader->count == reader->max)
		return broken(reader, 0, "it has too many parts");
	if (arena_grow(reader->arena, reader->parts, reader->count, reader->capacity) < 0)
		return -ENOMEM;

	struct mime_part *part = &reader->parts[reader->count++];
	*part = (struct mime_part){0};
	int r = take_type(reader, object, part);
	if (r == 0)
		r = take_merge_type(reader, object, part);
	if (r == 0 && gmime_is(object, gmime.g_mime_part_get_type()))
		r = take_text(reader, (GMimePart *)object, part);
	return r;
}

static int take_object(struct mime_reader *reader, GMimeObject *object, unsigned depth)
{
	if (depth > MIME_DEPTH_MAX)
		return broken(reader, 0, "multiparts are nested too deep");
	if (gmime_is(object, gmime.g_mime_multipart_get_type())) {
		GMimeMultipart *multipart = (GMimeMultipart *)object;
		int count = gmime.g_mime_multipart_get_count(multipart), r = 0;
		for (int i = 0; r == 0 && i < count; i++)
			r = take_object(
				reader, gmime.g_mime_multipart_get_part(multipart, i), depth + 1);
		return r;
	}
	if (gmime_is(object, gmime.g_mime_message_part_get_type())) {
		GMimeMessage *message =
			gmime.g_mime_message_part_get_message((GMimeMessagePart *)object);
		GMimeObject *inner = message ? gmime.g_mime_message_get_mime_part(message) : NULL;
		return inner ? take_object(reader, inner, depth + 1) : 0;
	}
	return take_part(reader, object);
}

static bool begins_header(const char *at, const char *end)
{
	const char *start = at;

	while (at<end && * at> ' ' && *at < 0x7F && *at != ':')
		at++;
	return at > start && at < end && *at == ':';
}

static int check_headers(struct mime_reader *reader)
{
	const char *at = reader->text.data, *end = at + reader->text.len;
	size_t count = 0;

	while (at && at < end) {
		if (begins_header(at, end) && ++count > MIME_HEADERS_MAX)
			return broken(reader, line_of(reader, at - reader->text.data),
				"it has too many headers");
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return 0;
}

static GMimeObject *parse(struct mime_reader *reader)
{
	CLEANUP(unref)
	GMimeStream *stream =
		gmime.g_mime_stream_mem_new_with_buffer(reader->text.data, reader->text.len);
	CLEANUP(unref) GMimeParser *parser = gmime.g_mime_parser_new_with_stream(stream);
	GMimeParserOptions *options = gmime.g_mime_parser_options_new();
	bool is_mbox = span_begins(reader->text, "From ");
	GMimeObject *object;

	gmime.g_mime_parser_set_persist_stream(parser, TRUE);
	gmime.g_mime_parser_set_format(parser, is_mbox ? GMIME_FORMAT_MBOX : GMIME_FORMAT_MESSAGE);
	gmime.g_mime_parser_options_set_warning_callback(options, on_warning, reader, NULL);
	object = gmime.g_mime_parser_construct_part(parser, options);
	gmime.g_mime_parser_options_free(options);
	return object;
}

int mime_read(const struct source *source, struct span text, size_t max, struct arena *arena,
	struct mime_part **ret, size_t *count, struct problem *problem)
{
	struct mime_reader reader = {
		.source = source,
		.text = text,
		.arena = arena,
		.problem = problem,
		.max = max,
		.line = 1,
	};

	int r = check_headers(&reader);
	if (r != 0)
		return r;
	if (!gmime_load())
		return problem_set(problem, source->name, 1, 0,
			"a MIME message, which is read with GMime, and that is not installed "
			"(Debian: libgmime-3.0-0), or was not when this mount began: then mount "
			"again");
	CLEANUP(unref) GMimeObject *object = parse(&reader);
	if (!object)
		return broken(&reader, 0, "it has no headers");
	if (reader.warning != 0)
		return broken(&reader, line_of(&reader, reader.warning_offset),
			reason_of(reader.warning));
	r = take_object(&reader, object, 0);
	if (r != 0)
		return r;
	*ret = reader.parts;
	*count = reader.count;
	return 0;
}

void mime_load(void)
{
	gmime_load();
}
