/*
 * Reads many plyfs.yaml, right and wrong ones, and validates by many schemas, without memory. A
 * shortage is never taken for something that is missing, wrong or does not match. It works in a
 * directory of its own that it makes. Prints TAP.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "schema.h"
#include "settings.h"
#include "trial.h"

/* Each has two layers in front, if it has none itself. */
static const char *const settings_texts[] = {
	"layers: [low, {path: 'of-%o-%w', optional: true}, {path: '%l-%m', optional: true}]",
	"rules: [{match: a.yaml, schema: main.json}]",
	"rules: [{match: a.yaml, schema: main.json, validate_formats: true}, {match: b.yaml, "
	"schema: main.json}]",
	"schemas: [far/listed.json]\nrules: [{match: a.yaml, schema: distant.json}]",
	"schemas: [far/listed.json, far/twice.json]",
	"rules: [{match: a.yaml, schema: outside.json}]",
	"rules: [{match: a.yaml, schema: fetched.json}]",
	"rules: [{match: a.yaml, schema: missing.json}]",
	"rules: [{match: a.yaml, schema: broken.json}]",
	"rules: [{match: a.yaml, schema: pattern.json}]",
	"rules: [{match: a.yaml, validate_formats: true}]",
	"presets: [docker, mariadb, php, systemd, netplan]",
	"presets: [dokcer]",
	"presets: [nothing-like-it]",
	"rules: [{match: '*.yaml', lock: {low: [a.b, 'c[0]']}}]",
	"rules: [{match: '*.yaml', lock: {lwo: [a.b]}}]",
	"rules: [{match: '*.yaml', lock: {low: a}, bounds: {b.*: max, c: {at_most: [d, e]}}}]",
	"rules: [{match: '*.yaml', bounds: {b.*: max, '**.c': min}}]",
	"rules: [{match: '*.yaml', options: {lists: {'a.*': {by: [x, y]}, b: unique}, delete: "
	"[c]}}]",
	"rules: [{match: '*.yaml', options: {lsits: append}}]",
	"rules: [{match: '*.yaml', options: {lists: {'a[': append}}}]",
	"rules: [{match: ['{a,b}.{x,y}', 'c/**/d'], strategy: pillar, options: {data_path: "
	"low}}]",
	"rules: [{match: '*', strategy: dep}]",
	"rules: [{match: '*', check: [prog, '%f'], on_change: {run: [other], user: root}}]",
	"rules: [{match: '*', check: [prog]}]",
	"rules: [{match: '*', format: ymal}]",
	"rules: [{match: '*', format: ini, dialect: mysql, dropins: layers}]",
	"rules: [{match: '*', yaml: '1.2', documents: {by: [kind, metadata.name]}}]",
	"files: [{path: v.yaml, from: ['c.d/*.yaml', 'd/{a,b}.yaml'], strategy: deep}]",
	"files: [{path: ../v.yaml, from: x}]",
	"files: [{path: v.yaml}]",
	"options: {state: /tmp/s, coherence: strict, on_change: [prog], limits: {source: 1MiB}}",
	"options: {coherence: srtict}",
	"facts: facts.yaml\nlayers: [low, {path: '%{role}-%{none}', optional: true}]\n"
	"rules: [{match: 'a/%{role}.{b,c}', check: [prog, '%{role}', '%f']}]",
	"facts: facts.yaml\nlayers: [low, {path: '%{rloe}', optional: true}]",
	"facts: bad-facts.yaml",
	"facts: missing.yaml",
	"options: {poll_interval: never}",
	"rlues: []",
	"rules: [",
	"a: 1\na: 2",
};

static const char *const files[][2] = {
	{"main.json", "{\"$ref\": \"beside.json#/$defs/a\", \"properties\": {\"b\": {\"$ref\": "
		      "\"sub/below.json\"}, \"c\": {\"format\": \"hostname\"}}}"},
	{"beside.json", "{\"$defs\": {\"a\": {\"type\": \"object\", \"pattern\": \"^a+$\"}}}"},
	{"sub/below.json", "{\"$ref\": \"../beside.json\"}"},
	{"distant.json", "{\"$id\": \"http://example.com/s/main.json\", \"allOf\": [{\"$ref\": "
			 "\"listed.json\"}, {\"$ref\": \"http://example.com/s/near.json\"}]}"},
	{"far/listed.json", "{\"$id\": \"http://example.com/s/listed.json\", \"$ref\": "
			    "\"near.json\"}"},
	{"far/near.json", "{\"enum\": [1, \"x\", {\"a\": [1.5]}]}"},
	{"far/twice.json", "{\"$id\": \"http://example.com/s/listed.json\"}"},
	{"near.json", "{\"type\": \"string\"}"},
	{"outside.json", "{\"$ref\": \"file:///nowhere/x.json\"}"},
	{"fetched.json", "{\"$ref\": \"http://example.com/y.json\"}"},
	{"broken.json", "{\"type\": 3}"},
	{"facts.yaml", "{role: 'w*b', none: ~}"},
	{"bad-facts.yaml", "role: [a]"},
	{"pattern.json", "{\"pattern\": \"(\"}"},
};

/* A schema, and what it validates. */
static const char *const validated[][2] = {
	{"{format: regex}", "'('"},
	{"{format: regex}", "'^(a|b)[c-d]+\\p{L}$'"},
	{"{format: hostname}", "xn--bcher-kva.example"},
	{"{format: hostname}", "xn--X"},
	{"{format: idn-hostname}", "bücher。example"},
	{"{format: idn-hostname}", "〮한국"},
	{"{format: idn-email}", "dörte@sörensen.example"},
	{"{format: email}", "a@xn--bcher-kva.example"},
	{"{format: idn-email}", "a@〮한국"},
	{"{properties: {a: {format: uri}, b: {format: uri-template}, c: {format: date}}}",
		"{a: 'http://x/%zz', b: '{x', c: 2001-02-30}"},
	{"{pattern: '^(a+)+$'}", "aaaaaaaaab"},
	{"{pattern: '^(?:(a)|b|[^c]{2,})*\\d$'}", "abababab7"},
	{"{not: {pattern: '^a'}}", "abc"},
	{"{if: {pattern: '^a'}, then: {minLength: 9}, else: {maxLength: 1}}", "abc"},
	{"{anyOf: [{pattern: '^b'}, {pattern: '^c'}, {type: object, required: [x]}]}", "abc"},
	{"{oneOf: [{pattern: '^a'}, {pattern: 'c$'}, {type: integer}]}", "abc"},
	{"{uniqueItems: true}", "[1, 2, 3, 4, [5], {a: 6}, {a: 6.0}]"},
	{"{contains: {pattern: '^x'}, maxContains: 1}", "[a, x1, b, x2]"},
	{"{patternProperties: {'^a': {type: integer}}, additionalProperties: false}",
		"{a1: x, b: 1, a2: 2}"},
	{"{propertyNames: {pattern: '^[a-c]$'}, dependentRequired: {a: [z]}}", "{a: 1, dd: 2}"},
	{"{allOf: [{properties: {a: true}}, {patternProperties: {'^b': true}}], "
	 "unevaluatedProperties: false}",
		"{a: 1, bb: 2, c: 3}"},
	{"{prefixItems: [{type: string}], items: {enum: [1, 2]}, unevaluatedItems: false}",
		"[1, 2, 3]"},
	{"{$ref: '#/$defs/n', $defs: {n: {properties: {n: {$ref: '#/$defs/n'}, v: {type: "
	 "integer}}}}}",
		"{n: {n: {n: {v: x}, v: y}}}"},
	{"{$dynamicRef: '#m', $defs: {x: {$dynamicAnchor: m, type: [string, 'null'], multipleOf: "
	 "0.1}}}",
		"1.25"},
	{"{$schema: 'http://json-schema.org/draft-07/schema#', definitions: {a: {$id: '#foo', "
	 "const: {k: [1]}}}, items: {$ref: '#foo'}}",
		"[{k: [1.0]}, {k: [2]}]"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char directory[] = "/tmp/plyfs-memory-XXXXXX";

static void write_file(const char *path, const char *first, const char *rest)
{
	FILE *stream = fopen(path, "we");

	if (!stream || fputs(first, stream) < 0 || fputs(rest, stream) < 0 || fclose(stream) != 0)
		abort();
}

static void give_text(const char *text, struct outcome *ret)
{
	ret->text = strdup(text);
	if (!ret->text)
		ret->r = -ENOMEM;
}

/* Gives all paths: no shortage may look like a value that this machine does not have. */
static void give_layers(const struct settings *settings, struct outcome *ret)
{
	char text[4096] = "";

	for (size_t i = 0; i < settings->layer_count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
			settings->layers[i]->path);
	give_text(text, ret);
}

static void read_settings(void *context, struct outcome *ret)
{
	static const struct settings_environment around = {
		.host = "web1", .machine_id = "0123456789abcdef0123456789abcdef", .user = "root"};
	CLEANUP(settings_unrefp) struct settings *settings = NULL, *again = NULL;
	struct problem problem = {0};

	(void)context;
	ret->r = settings_read(&around, "plyfs.yaml", &settings, &problem);
	if (ret->r == 0)
		ret->r = settings_again(settings, 0, NULL, &again, &problem);
	if (ret->r == PROBLEM)
		give_text(problem.message, ret);
	else if (ret->r == 0)
		give_layers(settings, ret);
}

static void read_layers(void *context, struct outcome *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct problem problem = {0};

	ret->r = settings_from_layers(NULL, context, &settings, &problem);
	if (ret->r == PROBLEM)
		give_text(problem.message, ret);
}

/* Gives the text of all faults. */
static void give_faults(const struct faults *faults, struct outcome *ret)
{
	char text[4096] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < faults->count && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s (%s)",
			faults->items[i].key, faults->items[i].message, faults->items[i].rule);
	give_text(text, ret);
}

static void validate(void *context, struct outcome *ret)
{
	const char *const *row = context;
	const struct schema_library library = {.validates_formats = true};
	const struct schema_text text = {
		.source = {.name = "s.yaml", .layer = ""}, .text = span_of(row[0])};
	const struct source source = {.name = "i.yaml", .layer = ""};
	const struct read_options options = {.format = &format_yaml, .schema = NODE_YAML_1_2};
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(schema_freep) struct schema *schema = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct problem problem = {0};
	struct faults faults = {0};

	ret->r = schema_read(&text, &library, &schema, &problem);
	if (ret->r == 0)
		ret->r = document_read(&source, span_of(row[1]), &options, &document, &problem);
	if (ret->r == 0)
		ret->r = arena_new(&arena);
	if (ret->r == 0)
		ret->r = schema_validate(schema, document->roots[0], arena, &faults, &problem);
	if (ret->r == 0)
		give_faults(&faults, ret);
	else if (ret->r == PROBLEM)
		give_text(problem.message, ret);
}

static void make_files(void)
{
	umask(022);
	if (!mkdtemp(directory) || chdir(directory) < 0 || mkdir("low", 0755) < 0 ||
		mkdir("high", 0755) < 0 || mkdir("far", 0755) < 0 || mkdir("sub", 0755) < 0)
		abort();
	for (size_t i = 0; i < COUNT(files); i++)
		write_file(files[i][0], files[i][1], "");
	/* Copies: in the source tree a group may have write access. */
	if (system("cp -R \"$PLYFS_PRESETS\" presets && chmod -R go-w presets") != 0 ||
		setenv("PLYFS_PRESETS", "presets", 1) < 0)
		abort();
}

int main(void)
{
	static const char *const layers[] = {
		"low:high", "low:missing", "low:b=high", "%H:low", ":"};
	char command[64];

	make_files();
	for (size_t i = 0; i < COUNT(settings_texts); i++) {
		bool has_layers = span_begins(span_of(settings_texts[i]), "layers:");
		write_file(
			"plyfs.yaml", has_layers ? "" : "layers: [low, high]\n", settings_texts[i]);
		trial_run(&(struct trial){.name = settings_texts[i], .run = read_settings});
	}
	for (size_t i = 0; i < COUNT(layers); i++)
		trial_run(&(struct trial){
			.name = layers[i], .run = read_layers, .context = (void *)layers[i]});
	for (size_t i = 0; i < COUNT(validated); i++)
		trial_run(&(struct trial){
			.name = validated[i][0], .run = validate, .context = (void *)validated[i]});
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return chdir("/") < 0 || system(command) != 0 || trial_end();
}
