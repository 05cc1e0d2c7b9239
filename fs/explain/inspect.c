#include "inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "composition.h"
#include "dropin_name.h"
#include "dropin_unread.h"
#include "glob.h"
#include "path.h"
#include "resolve.h"
#include "scalar.h"
#include "strategy.h"
#include "validity.h"
#include "word.h"

/* Maximum number of references that are searched for: each search reads all sources. */
#define PLACES_MAX 64

/* The state of an inspection of one path. */
struct inspect_job {
	struct inspection *inspection;
	const struct strategy *strategy;
	const struct schema_file *schema; /* NULL: none */
	int result; /* of findings_add(), in a callback that can't return it */
};

int findings_add(struct findings *findings, enum finding_kind kind, const struct problem *problem)
{
	if (findings->count >= FINDINGS_MAX && kind == FINDING_WARNING) {
		findings->left_out++;
		return 0;
	}
	return array_push(findings->items, findings->count, findings->capacity,
		(struct finding){kind, *problem});
}

int findings_add_at(struct findings *findings, enum finding_kind kind, const struct layer *layer,
	const char *path, const char *format, ...)
{
	CLEANUP(freep) char *name = NULL;
	char text[2 * PROBLEM_MESSAGE_MAX]; /* problem_set() cuts it */
	struct problem problem;
	va_list arguments;
	int r = layer_source_name(layer, path, &name);

	if (r < 0)
		return r;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	problem_set(&problem, name, 0, 0, "%s", text);
	return findings_add(findings, kind, &problem);
}

/* Orders by source, line and column; at the same place, errors first. */
static int compare(const void *a, const void *b)
{
	const struct finding *one = a, *other = b;
	const struct problem *x = &one->problem, *y = &other->problem;
	int order = strcmp(x->source, y->source);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	if (order == 0)
		order = (x->column > y->column) - (x->column < y->column);
	if (order == 0)
		order = (one->kind > other->kind) - (one->kind < other->kind);
	return order ? order : strcmp(x->message, y->message);
}

void findings_fini(struct findings *findings)
{
	free(findings->items);
	*findings = (struct findings){0};
}

void inspection_fini(struct inspection *inspection)
{
	findings_fini(&inspection->findings);
	for (size_t i = 0; i < inspection->reference_count; i++) {
		free(inspection->references[i].directory);
		free(inspection->references[i].name);
	}
	free(inspection->references);
	option_uses_fini(&inspection->uses);
	free(inspection->text);
	line_map_freep(&inspection->lines);
	free(inspection->is_matched);
	*inspection = (struct inspection){0};
}

/* Adds an error once: the parser and the merge may report the same one. */
static int add_once(struct inspect_job *look, enum finding_kind kind, const struct problem *problem)
{
	const struct findings *findings = &look->inspection->findings;
	const struct finding error = {kind, *problem};

	for (size_t i = 0; i < findings->count; i++)
		if (compare(&findings->items[i], &error) == 0)
			return 0;
	return findings_add(&look->inspection->findings, kind, problem);
}

static int add_error(struct inspect_job *look, const struct problem *problem)
{
	return add_once(look, FINDING_ERROR, problem);
}

static void add_warning(void *context, const struct problem *warning)
{
	struct inspect_job *look = context;
	int r = findings_add(&look->inspection->findings, FINDING_WARNING, warning);

	if (r < 0)
		look->result = r;
}

/* Notes a source that is left out. */
static void add_skipped(void *context, const struct problem *problem)
{
	struct inspect_job *look = context;
	int r = add_once(look, FINDING_SKIPPED, problem);

	if (r < 0)
		look->result = r;
}

/* Warns of a tag that the strategy does not know, if it resembles one that it knows. */
static void check_tag(struct inspect_job *look, const struct node *node)
{
	const char *tags = look->strategy->tags;
	struct problem warning;
	struct span nearest;

	if (!node->tag || node->tag[0] != '!')
		return;
	const struct span tag = span_of(node->tag);
	if (word_index(tags, tag) >= 0 || !word_nearest(tags, tag, &nearest))
		return;
	problem_at(&warning, node, "the tag %s is left as it is; did you mean %.*s?", node->tag,
		(int)nearest.len, nearest.data);
	add_warning(look, &warning);
}

/* The parser limits the depth of the recursion. An aliased value is reported at its first place. */
static void check_tags(struct inspect_job *look, const struct node *node)
{
	check_tag(look, node);
	for (uint32_t i = 0; i < node_count(node); i++) {
		if (node_is_map(node))
			check_tags(look, node->map.pairs[i].key);
		check_tags(look, *node_entry(node, i));
	}
}

/* Returns whether `a` comes after `b`: in a higher source, or further down. */
static bool is_later(const struct node *a, const struct node *b)
{
	if (a->source != b->source && a->source && b->source)
		return a->source->rank > b->source->rank;
	return a->line > b->line || (a->line == b->line && a->column > b->column);
}

/* Warns of a key that is no string beside a string of its text: programs may read them as one. */
static void check_key(struct inspect_job *look, const struct node *map, const struct node *key)
{
	const struct node text = {
		.kind = NODE_SCALAR, .style = NODE_SINGLE, .weight = 1, .text = key->text};
	const struct pair *other = node_find(map, &text);
	struct problem warning;

	if (!other)
		return;
	const struct node *later = is_later(key, other->key) ? key : other->key;
	const struct node *first = later == key ? other->key : key;
	bool is_text = resolve_plain(key->text, NODE_YAML_1_2) == SCALAR_STRING;

	problem_at(&warning, later,
		"the key '%.64s' is %s here, and %s in %s:%" PRIu32
		", so both stay; write both alike%s",
		key->text.data, scalar_type_name(scalar_type(later)),
		scalar_type_name(scalar_type(first)),
		first->source ? source_shown(first->source) : "", first->line,
		is_text ? ", or set 'yaml: \"1.2\"' if the program reads YAML 1.2" : "");
	int r = add_once(look, FINDING_WARNING, &warning);
	if (r < 0)
		look->result = r;
}

static void check_keys(struct inspect_job *look, const struct node *node)
{
	for (uint32_t i = 0; i < node_count(node); i++) {
		const struct node *key = node_is_map(node) ? node->map.pairs[i].key : NULL;

		if (key && node_is_scalar(key) && key->style == NODE_PLAIN && !key->tag &&
			scalar_type(key) != SCALAR_STRING)
			check_key(look, node, key);
		check_keys(look, *node_entry(node, i));
	}
}

static void check_result_keys(struct inspect_job *look, const struct merge_result *result)
{
	const struct document *whole = result->verbatim;
	size_t count = whole ? whole->count : 0;
	const struct node *const *roots =
		whole ? whole->roots : node_documents(&result->root, &count);

	for (size_t i = 0; i < count && (whole || result->root); i++)
		check_keys(look, roots[i]);
}

/* Returns the first scalar in `node` that is the name of a file without its suffix. */
static const struct node *find_name(const struct node *node, struct span name)
{
	const struct node *found = NULL;

	if (node_is_scalar(node))
		return span_equal(node->text, name) ? node : NULL;
	for (uint32_t i = 0; !found && i < node_count(node); i++)
		found = find_name(*node_entry(node, i), name);
	return found;
}

/* Finds the places of the references; of more than PLACES_MAX, only of the first ones. */
static void place_references(struct inspect_job *look, const struct document *document)
{
	for (size_t i = 0; i < look->inspection->reference_count && i < PLACES_MAX; i++) {
		struct reference *reference = &look->inspection->references[i];
		const char *dot = strrchr(reference->name, '.');
		struct span name = span_of(reference->name);
		const struct node *node = NULL;

		if (dot)
			name.len = (size_t)(dot - reference->name);
		for (size_t j = 0; !node && j < document->count; j++)
			node = find_name(document->roots[j], name);
		if (node)
			problem_at(&reference->place, node, "%s", "");
	}
}

/* Parses a source once more, on its own: the merge stops at its first error. */
static int check_source(struct inspect_job *look, const struct merge_request *request,
	size_t number, const struct loaded *loaded, const struct format *format)
{
	struct read_options options = read_options_for(request, format);
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;

	options.warn = add_warning;
	options.context = look;
	int r = document_read(&loaded->source, loaded->text, &options, &document, &problem);
	if (r == PROBLEM && look->schema && schema_has_secrets(look->schema->schema))
		problem_hide_word(&problem);
	if (r == PROBLEM)
		return add_error(look, &problem);
	if (r < 0 || look->result < 0)
		return r < 0 ? r : look->result;
	for (size_t i = 0; look->strategy->tags && document->has_local_tags && i < document->count;
		i++)
		check_tags(look, document->roots[i]);
	place_references(look, document);
	if (look->result == 0)
		return option_uses_note(&look->inspection->uses, request, number, document);
	return look->result;
}

static int check_sources(struct inspect_job *look, const struct composition *composition)
{
	const struct settings *settings = composition->environment.composer->settings;
	const struct sources *sources = &composition->sources;
	const struct merge_request *request = &composition->request;
	int r = 0;

	if (!strategy_reads_trees(look->strategy))
		return 0;
	for (size_t i = 0; r == 0 && i < sources->count; i++)
		r = check_source(look, request, i, sources->loaded[i],
			settings_source_format(settings, request->path, sources->paths[i]));
	return r;
}

static int take_references(struct inspection *inspection, struct path_list *asked)
{
	inspection->references = calloc(asked->count / 2 + 1, sizeof(*inspection->references));
	if (!inspection->references)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < asked->count; i += 2)
		inspection->references[inspection->reference_count++] = (struct reference){
			.directory = take_ptr(asked->paths[i]),
			.name = take_ptr(asked->paths[i + 1]),
		};
	return 0;
}

int inspect_patterns(struct inspection *ret, const struct settings *settings, const char *path,
	const struct union_lookup *lookup)
{
	const struct virtual_file *file = settings_file(settings, path);

	if (!file)
		return 0;
	ret->is_matched = calloc(file->from_count, sizeof(bool));
	if (!ret->is_matched)
		return -ENOMEM;
	for (size_t i = 0; i < file->from_count; i++)
		for (unsigned j = 0;
			j < lookup->count + lookup->left_out_count && !ret->is_matched[i]; j++)
			ret->is_matched[i] = lookup->found[j].path &&
					     glob_match(file->from[i], lookup->found[j].path);
	return 0;
}

/* Warns of files among the drop-ins that are not drop-ins. Returns 0 or -errno. */
static int warn_of_ignored(struct inspect_job *look, const struct settings *settings,
	const char *path, const struct union_lookup *lookup)
{
	int r = 0;

	for (unsigned i = lookup->count; r == 0 && i < lookup->count + lookup->left_out_count;
		i++) {
		const struct contributor *found = &lookup->found[i];
		CLEANUP(freep) char *why = NULL;

		if (found->why != dropin_not_named)
			continue;
		r = dropin_refusal(settings, path, path_name(found->path), &why);
		if (r == 0)
			r = findings_add_at(&look->inspection->findings, FINDING_WARNING,
				settings->layers[found->layer], found->path, "%s", why);
	}
	return r;
}

/* Warns of a link or directory among the drop-ins. */
static int add_unread(void *context, const struct layer *layer, const char *path, const char *why)
{
	struct inspect_job *look = context;

	return findings_add_at(
		&look->inspection->findings, FINDING_WARNING, layer, path, "%s", why);
}

/* Adds all violations of the schema. Returns 0 or -ENOMEM. */
static int add_invalid(struct inspect_job *look, const struct composer *composer,
	const struct composition *composition)
{
	CLEANUP(validity_fini) struct validity validity = {0};
	struct problem problem;
	int r = validity_check(composer->settings, &composition->request, composition->result,
		&validity, &problem);

	if (r == PROBLEM && validity.count == 0)
		return add_error(look, &problem);
	r = r < 0 ? r : 0;
	for (size_t i = 0; r == 0 && i < validity.count; i++)
		r = add_error(look, &validity.problems[i]);
	if (r == 0 && validity.more) {
		problem_set(&problem, composition->request.path, 0, 0,
			"the file does not match the schema at %" PRIu64
			" more places, which are not shown here",
			validity.more);
		r = add_error(look, &problem);
	}
	return r;
}

static int take_text(struct inspection *inspection, const struct composition *composition)
{
	const struct span text = composition->result->text;

	inspection->text = span_dup(text);
	if (!inspection->text)
		return -ENOMEM;
	inspection->text_size = text.len;
	return line_map_make(&composition->request, composition->result, &inspection->lines);
}

/* No source is left: those that were left out are why the path does not merge. */
static void fail_skipped(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].kind == FINDING_SKIPPED)
			findings->items[i].kind = FINDING_ERROR;
}

static int merge(struct inspect_job *look, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct path_list *asked)
{
	CLEANUP(composition_fini) struct composition composition;
	struct composer listening = *composer;
	struct problem problem = {0};

	listening.warn = add_warning;
	listening.warn_context = look;
	listening.leave_out = add_skipped;
	int r = composition_make(
		&composition, &listening, path, lookup, asked, COMPOSITION_ORIGINS, &problem);
	if (r < 0 || r == COMPOSE_MOVED || r == COMPOSE_UNSETTLED)
		return r;
	look->strategy = composition.request.options->strategy;
	look->schema = settings_rule_for(composer->settings, path)->schema;
	if (r == 0)
		r = add_invalid(look, &listening, &composition);
	if (r < 0)
		return r;
	r = take_references(look->inspection, asked);
	if (r == 0)
		r = check_sources(look, &composition);
	if (r == 0 && composition.result)
		r = option_uses_note_result(
			&look->inspection->uses, &composition.request, composition.result);
	if (r == 0 && composition.result && composition.request.to == &format_yaml)
		check_result_keys(look, composition.result);
	if (r == 0 && composition.result && settings_check(composer->settings, path))
		r = take_text(look->inspection, &composition);
	for (size_t i = 0; r == 0 && composition.result && i < composition.result->refusals.count;
		i++)
		r = add_once(look, FINDING_REFUSED, &composition.result->refusals.items[i]);
	/* With `on_error: skip-layer` the merge may have succeeded without the failed sources. */
	if (!composition.result)
		fail_skipped(&look->inspection->findings);
	if (r == 0 && problem.message[0])
		r = add_once(look, composition.result ? FINDING_SKIPPED : FINDING_ERROR, &problem);
	return r == 0 ? look->result : r;
}

static int take(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct inspect_job look = {.inspection = context};
	struct path_list asked = {0};

	(void)problem;
	inspection_fini(look.inspection);
	int r = inspect_patterns(look.inspection, composer->settings, path, lookup);
	if (r == 0)
		r = warn_of_ignored(&look, composer->settings, path, lookup);
	if (r == 0 && lookup->kind != UNION_NONE)
		r = dropin_unread_each(composer->settings, path, add_unread, &look);
	if (r < 0 || lookup->kind == UNION_LINK || compose_held_source(composer, path, lookup))
		return r;
	r = merge(&look, composer, path, lookup, &asked);
	path_list_fini(&asked);
	return r;
}

int inspect(const struct offline *offline, const char *path, struct inspection *ret)
{
	struct problem problem;

	*ret = (struct inspection){0};
	int r = offline_look_at(offline, path, take, ret, &problem);
	if (r == PROBLEM)
		r = findings_add(&ret->findings, FINDING_ERROR, &problem);
	if (r < 0) {
		inspection_fini(ret);
		return r;
	}
	if (ret->findings.count)
		qsort(ret->findings.items, ret->findings.count, sizeof(*ret->findings.items),
			compare);
	return 0;
}
