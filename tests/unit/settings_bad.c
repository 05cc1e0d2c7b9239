/*
 * The message about a plyfs.yaml that can't be used: one line, with the place, the mistake and what
 * is allowed. Each row is a test, named by the rule that it protects.
 */
#include "settings.h"
#include <fcntl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "test.h"

/* Fits any problem with its place. */
#define TEXT_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64)

struct bad {
	const char *rule;
	const char *text;
	const char *expected; /* behind "plyfs.yaml:"; "…" at the end: any text follows */
};

static const struct bad table[] = {
	/* The whole file */
	{"an empty file has no layers", "",
		" is empty; give 'layers: [DIRECTORY, ...]', lowest precedence first"},
	{"a file of comments has no layers", "# layers: [a]\n",
		" is empty; give 'layers: [DIRECTORY, ...]', lowest precedence first"},
	{"layers are required", "rules: []\n",
		"1:1: there are no layers; give 'layers: [DIRECTORY, ...]', lowest precedence "
		"first"},
	{"no layers are too few", "layers: []\n",
		"1:9: there are no layers; give 'layers: [DIRECTORY, ...]', lowest precedence "
		"first"},
	{"an empty key is as if not there", "layers:\n",
		"1:8: there are no layers; give 'layers: [DIRECTORY, ...]', lowest precedence "
		"first"},
	{"settings are a map", "[a, b]\n",
		"1:1: plyfs.yaml must be a map with the keys layers, facts, presets, schemas, "
		"rules, "
		"files, "
		"options, and "
		"this is a list"},
	{"settings are one document", "layers: [a]\n---\nlayers: [b]\n",
		"3:1: a second document begins here; settings are one document"},
	{"YAML that does not parse", "layers: [a\n", "1:9: the '[' is not closed; …"},
	{"text that is not UTF-8", "layers: [\xff]\n", "1:10: is not UTF-8 …"},
	{"a home directory as a shell has it", "layers: [a, ~/b]\n",
		"1:13: only a shell replaces '~' with the home directory; write %h/b, or ./~/b for "
		"a "
		"directory of that name"},
	{"an alias to nothing", "layers: *a\n", "1:9: \"*a\" is an alias…"},
	{"a key must not come twice", "layers: [a]\nrules: []\nlayers: [b]\n",
		"3:1: the key layers comes again, first in line 1; only the last one counts; "
		"remove one of them"},
	{"an unknown key", "layers: [a]\ncolour: red\n",
		"2:1: unknown key 'colour' (allowed: layers, facts, presets, schemas, rules, "
		"files, "
		"options)"},
	{"a slip in a key is mended", "layer: [a]\n",
		"1:1: unknown key 'layer', did you mean 'layers'? (allowed: layers, facts, "
		"presets, "
		"schemas, "
		"rules, "
		"files, options)"},
	{"a key is a word", "? [a]\n: b\n",
		"1:3: a key must be one of layers, facts, presets, schemas, rules, files, options, "
		"and "
		"this is a "
		"list"},
	{"a key's control characters are shown harmless", "\"a\\e[31m\": b\n",
		"1:1: unknown key 'a\\x1B[31m' (allowed: layers, facts, presets, schemas, rules, "
		"files, "
		"options)"},

	/* Facts */
	{"a fact needs a file or an option", "layers: ['a/%{role}']\n",
		"1:10: the fact 'role' has no value: give the map of facts, as in 'facts: "
		"facts.yaml', or --fact role=VALUE"},
	{"the file of facts exists", "layers: [a]\nfacts: none.yaml\n",
		"2:8: the facts 'none.yaml': can't be opened: …"},
	{"facts are a path", "layers: [a]\nfacts: [a]\n",
		"2:8: facts must be a text, and this is a list"},
	{"a fact in a rule is known", "layers: [a]\nrules: [{match: '%{role}.d/*'}]\n",
		"2:17: the fact 'role' has no value: …"},
	{"a fact in a command is known",
		"layers: [a]\nrules: [{match: x, check: [a, '%{role}', '%f']}]\n",
		"2:31: the fact 'role' has no value: …"},
	{"a fact in a virtual file is known", "layers: [a]\nfiles: [{path: '%{a}', from: x}]\n",
		"2:16: the fact 'a' has no value: …"},
	{"a percent sign and a brace in a command",
		"layers: [a]\nrules: [{match: x, check: [a, '%{a b}', '%f']}]\n",
		"2:31: '%{' in '%{a b}' means nothing; …"},

	/* Layers */
	{"layers are a list", "layers: {a: b}\n", "1:9: layers must be a list, and this is a map"},
	{"layers are no text", "layers: a:b\n", "1:9: layers must be a list, and this is a scalar"},
	{"a layer is a map or a path", "layers: [[a]]\n",
		"1:10: a layer must be a map with the keys name, path, optional, required, follow, "
		"exclude, etcd, git, and this is a list"},
	{"a layer is not empty", "layers:\n  -\n",
		"2:4: a layer must be a map with the keys name, path, optional, required, follow, "
		"exclude, etcd, git, and this is a scalar"},
	{"a layer has a path", "layers: [{name: a}]\n",
		"1:10: the layer has no 'path'; give its directory, or 'etcd' or 'git'"},
	{"a layer's path is not empty", "layers: ['']\n", "1:10: a layer must not be empty"},
	{"a layer's path is a text", "layers: [{path: [a]}]\n",
		"1:17: path must be a text, and this is a list"},
	{"a layer's path has no NUL byte", "layers: [\"a\\0b\"]\n",
		"1:10: a layer must not have a NUL byte"},
	{"a tag means nothing", "layers: [!home a]\n",
		"1:10: the tag !home means nothing here; remove it"},
	{"an option of a strategy stands in 'options'",
		"layers: [a]\nrules: [{match: x, lists: repeat}]\n",
		"2:20: 'lists' is an option of the strategy deep: write 'options: {lists: ...}'"},
	{"an unknown key of a layer", "layers: [{path: a, optinal: true}]\n",
		"1:20: unknown key 'optinal', did you mean 'optional'? (allowed: name, path, "
		"optional, required, follow, exclude, etcd, git)"},
	{"an excluded pattern is not empty", "layers: [{path: a, exclude: [x, '']}]\n",
		"1:33: exclude must not be empty"},
	{"an excluded pattern is well formed", "layers: [{path: a, exclude: 'x{a'}]\n",
		"1:29: the pattern 'x{a' can't be used: a { has no }; write \\{ for the character "
		"itself"},
	{"what is excluded is no map", "layers: [{path: a, exclude: {x: y}}]\n",
		"1:29: exclude must be a text, and this is a map"},
	{"a switch is true or false", "layers: [{path: a, optional: maybe}]\n",
		"1:30: optional must be true or false, not 'maybe'"},
	{"a quoted true is a text", "layers: [{path: a, follow: 'true'}]\n",
		"1:28: follow must be true or false, not 'true'"},
	{"a switch is no list", "layers: [{path: a, follow: [true]}]\n",
		"1:28: follow must be true or false, and this is a list"},
	{"a layer's name has no slash", "layers: [{path: a, name: x/y}]\n",
		"1:26: a layer's name can't have a slash or a control character; give it another"},
	{"a layer's name is one line", "layers: [{path: a, name: \"x\\ny\"}]\n",
		"1:26: a layer's name can't have a slash or a control character; give it another"},
	{"two layers have two names",
		"layers:\n  - {path: a, name: x}\n  - c\n  - {path: b, name: x}\n",
		"4:12: the layer name 'x' is taken by the layer in line 2; give each layer a name "
		"of its own"},
	{"an unknown percent letter", "layers: ['a/%q']\n",
		"1:10: unknown '%q' in a layer's path (allowed: %H host name, %l its first "
		"part, %d its domain, %m machine id, %h home, %u user, %o ID and %w VERSION_ID "
		"of os-release, %{NAME} a fact, %% a percent sign)"},
	{"a percent sign at the end", "layers: ['a%']\n",
		"1:10: unknown '%' in a layer's path (allowed: %H host name, %l its first "
		"part, %d its domain, %m machine id, %h home, %u user, %o ID and %w VERSION_ID "
		"of os-release, %{NAME} a fact, %% a percent sign)"},
	{"a missing layer", "layers: [a, none]\n",
		"1:13: the layer directory 'none' does not exist; create it, or mark the layer "
		"'optional: true'"},
	{"a missing layer with a place", "layers:\n  - a\n  - name: x\n    path: none/%%\n",
		"4:11: the layer directory 'none/%' does not exist; create it, or mark the layer "
		"'optional: true'"},
	{"a file is no layer", "layers: [a, file]\n",
		"1:13: the layer 'file' is not a directory; a layer is a directory of "
		"configuration files"},
	{"a layer is optional or required", "layers: [{path: a, optional: true, required: true}]\n",
		"1:46: a layer can't be both optional and required; keep one of the two"},
	{"a required layer is not missing", "layers: [{path: nowhere, required: true}]\n",
		"1:17: the layer directory 'nowhere' does not exist; create it; the layer is "
		"required"},
	{"a required layer is not empty", "layers: [{path: a, required: true}]\n",
		"1:17: the directory 'a' of a required layer is empty; mount its file system, "
		"or put the layer's files there"},
	{"a file is no layer, even an optional one", "layers: [{path: file, optional: true}]\n",
		"1:17: the layer 'file' is not a directory; a layer is a directory of "
		"configuration files"},
	{"a path through a file is no layer", "layers: [file/x]\n",
		"1:10: the layer 'file/x' is not a directory; a layer is a directory of "
		"configuration files"},

	/* Layers out of stores */
	{"a layer is in one place", "layers: [{path: a, git: {url: b}}]\n",
		"1:25: a layer is in one place, and this one has 'path' already; make it two "
		"layers"},
	{"a store is a map", "layers: [{etcd: 'http://h:1'}]\n",
		"1:17: etcd must be a map with the keys endpoints, prefix, cacert, cert, key, "
		"user-file, compare, mode, max-delete, state, user, wait, and this is a scalar"},
	{"an unknown key of etcd", "layers: [{etcd: {endpoint: x}}]\n",
		"1:18: unknown key 'endpoint', did you mean 'endpoints'? (allowed: endpoints, "
		"prefix, cacert, cert, key, user-file, compare, mode, max-delete, state, user, "
		"wait)"},
	{"an unknown key of git", "layers: [{git: {rev: x}}]\n",
		"1:17: unknown key 'rev', did you mean 'ref'? (allowed: url, ref, path, verify, "
		"interval, mode, max-delete, state, user, wait)"},
	{"etcd has endpoints", "layers: [{etcd: {prefix: /p/}}]\n",
		"1:17: etcd has no 'endpoints'; give it"},
	{"etcd has a prefix", "layers: [{etcd: {endpoints: 'http://h:1'}}]\n",
		"1:17: etcd has no 'prefix'; give it"},
	{"git has a URL", "layers: [{git: {ref: main}}]\n", "1:16: git has no 'url'; give it"},
	{"there is an endpoint", "layers: [{etcd: {endpoints: [], prefix: /p/}}]\n",
		"1:29: there is no endpoint; one is like https://HOST:2379"},
	{"an endpoint is a URL", "layers: [{etcd: {endpoints: [h], prefix: /p/}}]\n",
		"1:30: an endpoint is like https://HOST:2379 and nothing else; user and password "
		"stand in a file, see user-file"},
	{"a password of an endpoint is not shown",
		"layers: [{etcd: {endpoints: ['http://u:secret@h:1'], prefix: /p/}}]\n",
		"1:30: an endpoint is like https://HOST:2379 and nothing else; user and password "
		"stand in a file, see user-file"},
	{"an endpoint is one",
		"layers: [{etcd: {endpoints: ['http://h:1,http://i:1'], prefix: /p/}}]\n",
		"1:30: an endpoint is like https://HOST:2379 and nothing else; user and password "
		"stand in a file, see user-file"},
	{"a mode is octal",
		"layers: [{etcd: {endpoints: ['http://h:1'], prefix: /p/, mode: 888}}]\n",
		"1:64: '888' is no mode; give a number from 0400 to 0777"},
	{"percent are at most a hundred",
		"layers: [{etcd: {endpoints: ['http://h:1'], prefix: /p/, max-delete: 101}}]\n",
		"1:70: max-delete must be a number from 0 to 100, not '101'"},
	{"a comparison needs a time",
		"layers: [{etcd: {endpoints: ['http://h:1'], prefix: /p/, compare: 5}}]\n",
		"1:67: compare must be a time with its unit, from 1s to 1440m, not '5'"},
	{"a store's files have no unknown percent letter",
		"layers: [{etcd: {endpoints: ['http://h:1'], prefix: /p/, cert: '%q'}}]\n",
		"1:64: unknown '%q' in a layer's path (allowed: %H host name, %l its first "
		"part, %d its domain, %m machine id, %h home, %u user, %o ID and %w VERSION_ID "
		"of os-release, %{NAME} a fact, %% a percent sign)"},
	{"a password of a repository is not shown",
		"layers: [{git: {url: 'https://u:secret@h/x'}}]\n",
		"1:22: a user or a password does not belong here, where every user can read it; "
		"put it "
		"into .netrc in the home directory of the mirror's user"},
	{"nor one of ssh", "layers: [{git: {url: 'ssh://u:secret@h/x'}}]\n",
		"1:22: a user or a password does not belong here, where every user can read it; "
		"put it "
		"into .netrc in the home directory of the mirror's user"},
	{"a repository is no option of git", "layers: [{git: {url: '--upload-pack=id'}}]\n",
		"1:22: this is no URL of a repository; one is like https://HOST/PATH"},
	{"a repository is no command", "layers: [{git: {url: 'ext::sh -c id'}}]\n",
		"1:22: this is no URL of a repository; one is like https://HOST/PATH"},
	{"a layer that never was here",
		"layers: [{name: x, git: {url: 'https://h/x', state: none}}]\n",
		"1:25: the layer 'x' has no state on this machine yet …"},

	/* Rules */
	{"rules are a list", "layers: [a]\nrules: {match: x}\n",
		"2:8: rules must be a list, and this is a map"},
	{"a rule is a map", "layers: [a]\nrules: ['*.yaml']\n",
		"2:9: a rule must be a map with the keys match, strategy, options, format, yaml, "
		"toml, "
		"dropins, dropin_suffixes, lock, bounds, schema, validate_formats, check, "
		"on_change, user, "
		"timeout, and "
		"this is a scalar"},
	{"a rule is not empty", "layers: [a]\nrules: [~]\n",
		"2:9: a rule must be a map with the keys match, strategy, options, format, yaml, "
		"toml, "
		"dropins, dropin_suffixes, lock, bounds, schema, validate_formats, check, "
		"on_change, user, "
		"timeout, and "
		"this is a scalar"},
	{"a rule matches something", "layers: [a]\nrules: [{strategy: deep}]\n",
		"2:9: the rule has no 'match'; give a pattern or a list of patterns"},
	{"a rule's patterns are not empty", "layers: [a]\nrules: [{match: []}]\n",
		"2:17: 'match' is empty; give a pattern"},
	{"a pattern is a text", "layers: [a]\nrules: [{match: [a, {b: c}]}]\n",
		"2:21: match must be a text, and this is a map"},
	{"a pattern is not null", "layers: [a]\nrules: [{match: [a, ~]}]\n",
		"2:21: match must be a pattern, such as '*.yaml'"},
	{"a bad pattern", "layers: [a]\nrules: [{match: '*.{yaml'}]\n",
		"2:17: the pattern '*.{yaml' can't be used: a { has no }; write \\{ for the "
		"character itself"},
	{"a bad pattern in a list", "layers: [a]\nrules:\n - match:\n    - b\n    - /c\n",
		"5:7: the pattern '/c' can't be used: it begins with a slash; paths are relative "
		"to the mount's root"},
	{"an unknown key of a rule", "layers: [a]\nrules: [{match: x, stategy: deep}]\n",
		"2:20: unknown key 'stategy', did you mean 'strategy'? (allowed: match, strategy, "
		"options, format, yaml, toml, dropins, dropin_suffixes, lock, bounds, schema, "
		"validate_formats, check, "
		"on_change, "
		"user, timeout)"},
	{"bounds are a map", "layers: [a]\nrules: [{match: x, bounds: [a]}]\n",
		"2:28: 'bounds' is a map of places to bounds, …"},
	{"an unknown bound", "layers: [a]\nrules: [{match: x, bounds: {a: inter}}]\n",
		"2:32: there is no bound 'inter'; the bounds are union, intersect, max, min, "
		"at_most, and, or"},
	{"a scale is written", "layers: [a]\nrules: [{match: x, bounds: {a: at_most}}]\n",
		"2:32: a scale is {at_most: [off, ask, allow]}: …"},
	{"a scale has words",
		"layers: [a]\nrules: [{match: x, bounds: {a: {at_most: [b, [c]]}}}]\n",
		"2:32: a scale is {at_most: [off, ask, allow]}: …"},
	{"a word is once on a scale",
		"layers: [a]\nrules: [{match: x, bounds: {a: {at_most: [b, c, b]}}}]\n",
		"2:49: 'b' is twice on the scale; remove one"},
	{"a bound has a place", "layers: [a]\nrules: [{match: x, bounds: {a..b: max}}]\n",
		"2:29: 'a..b' is no place: …"},
	{"two bounds for one place",
		"layers: [a]\nrules: [{match: x, bounds: {a.*: max, a.b: min}}]\n",
		"2:39: 'a.b' is bounded by min here, and 'a.*' by max at 2:29, though one value "
		"can be at both places; bound it once"},
	{"two scales for one place",
		"layers: [a]\nfiles: [{path: x, from: x, bounds: {a: {at_most: [b, c]}, '*': "
		"{at_most: [c, "
		"b]}}}]\n",
		"2:59: '*' is bounded by at_most here, and 'a' by at_most at 2:37, …"},
	{"a lock and a bound",
		"layers: [a]\nrules: [{match: x, lock: {a: [b.*, a.*]}, bounds: {a.c.d: max}}]\n",
		"2:52: 'a.c.d' is bounded here, and locked by the layer 'a' at 2:36; bound it or "
		"lock it"},
	{"bounds are for values",
		"layers: [a]\nrules: [{match: x, strategy: concat, bounds: {a: max}}]\n",
		"2:46: 'bounds' is for values, and the strategy 'concat' merges whole files or "
		"lines only; …"},
	{"an unknown strategy", "layers: [a]\nrules: [{match: x, strategy: zip}]\n",
		"2:30: unknown strategy 'zip' (allowed: deep, …"},
	{"a slip in a strategy", "layers: [a]\nrules: [{match: x, strategy: Deap}]\n",
		"2:30: unknown strategy 'Deap', did you mean 'deep'? (allowed: deep, …"},
	{"a strategy is a text", "layers: [a]\nrules: [{match: x, strategy: [deep]}]\n",
		"2:30: strategy must be a text, and this is a list"},
	{"options of a strategy without any",
		"layers: [a]\nrules: [{match: x, strategy: last, options: {a: b}}]\n",
		"2:46: the strategy 'last' takes no options; leave them out"},
	{"a slip in a strategy's option",
		"layers: [a]\nrules: [{match: x, strategy: concat, options: {seperator: b}}]\n",
		"2:48: unknown option 'seperator', did you mean 'separator'? (allowed: separator, "
		"order, blocks)"},
	{"an unknown option of a strategy",
		"layers: [a]\nrules: [{match: x, strategy: concat, options: {colour: b}}]\n",
		"2:48: the strategy 'concat' has no option 'colour'; it has: separator, order, "
		"blocks"},
	{"a strategy's option of the wrong type",
		"layers: [a]\nrules: [{match: x, strategy: concat, options: {separator: []}}]\n",
		"2:59: the option 'separator' is a text, and this is a list; write a text"},
	{"a strategy's options are a map",
		"layers: [a]\nrules: [{match: x, strategy: concat, options: [b]}]\n",
		"2:47: options are a map, and this is a list"},
	{"a layer that deletes is one of the layers",
		"layers: [a]\nrules: [{match: x, options: {delete: {b: c}}}]\n",
		"2:39: there is no layer 'b'; 'delete' is a map of layers' names to places"},
	{"a schema is a path", "layers: [a]\nrules: [{match: x, schema: [y]}]\n", "2:28: …"},
	{"a schema is not a map", "layers: [a]\nfiles: [{path: x, from: y, schema: {}}]\n",
		"2:36: …"},
	{"dropins is one of a few words", "layers: [a]\nrules: [{match: x, dropins: 1}]\n",
		"2:29: unknown dropins '1' (allowed: layers, uapi, true, false)"},
	{"suffixes of drop-ins need drop-ins",
		"layers: [a]\nrules: [{match: x, dropin_suffixes: conf}]\n",
		"2:37: 'dropin_suffixes' has no effect without drop-ins; add 'dropins: layers' or "
		"'dropins: uapi'"},
	{"a suffix of drop-ins is the end of a name",
		"layers: [a]\nrules: [{match: x, dropins: uapi, dropin_suffixes: [a, b/c]}]\n",
		"2:56: a suffix of 'dropin_suffixes' must be the end of a name, such as 'conf'"},
	{"a suffix of drop-ins is not null",
		"layers: [a]\nrules: [{match: x, dropins: uapi, dropin_suffixes: [a, null]}]\n",
		"2:56: a suffix of 'dropin_suffixes' must be the end of a name, such as 'conf'"},
	{"there is some suffix of drop-ins",
		"layers: [a]\nrules: [{match: x, dropins: uapi, dropin_suffixes: []}]\n",
		"2:52: 'dropin_suffixes' is empty; give a suffix, such as 'conf'"},

	/* Virtual files */
	{"files are a list", "layers: [a]\nfiles: x\n",
		"2:8: files must be a list, and this is a scalar"},
	{"a virtual file has a path", "layers: [a]\nfiles: [{from: x}]\n",
		"2:9: the virtual file has no 'path'; give the path it appears at"},
	{"a virtual file has sources", "layers: [a]\nfiles: [{path: x}]\n",
		"2:9: the virtual file has no 'from'; give a pattern or a list of patterns"},
	{"a virtual file has a pattern", "layers: [a]\nfiles: [{path: x, from: []}]\n",
		"2:25: 'from' is empty; give a pattern"},
	{"a virtual file's path does not begin with a slash",
		"layers: [a]\nfiles: [{path: /x, from: y}]\n",
		"2:16: '/x' can't be a virtual file's path; write it relative to the mount's root, "
		"as in 'dir/app.yaml', with no '.', '..' or double slash"},
	{"a virtual file's path does not lead up",
		"layers: [a]\nfiles: [{path: x/../../y, from: y}]\n",
		"2:16: 'x/../../y' can't be a virtual file's path; write it relative to the "
		"mount's root, as in 'dir/app.yaml', with no '.', '..' or double slash"},
	{"a virtual file is no directory", "layers: [a]\nfiles: [{path: x/, from: y}]\n",
		"2:16: 'x/' can't be a virtual file's path; write it relative to the mount's root, "
		"as in 'dir/app.yaml', with no '.', '..' or double slash"},
	{"plyfs's own directory is no virtual file",
		"layers: [a]\nfiles: [{path: .plyfs/status, from: y}]\n",
		"2:16: '.plyfs' at the root is plyfs's own; choose another path"},
	{"a pattern of sources does not lead up",
		"layers: [a]\nfiles: [{path: x, from: [y, 'a/{b,..}/c']}]\n",
		"2:29: the pattern 'a/{b,..}/c' leads up with '..'; write it relative to the "
		"layer's directory"},
	{"a pattern of sources does not begin with a slash",
		"layers: [a]\nfiles: [{path: x, from: /y}]\n",
		"2:25: the pattern '/y' can't be used: it begins with a slash; paths are relative "
		"to the mount's root"},
	{"a virtual file comes once",
		"layers: [a]\nfiles:\n - {path: x, from: y}\n - {path: w, from: y}\n"
		" - {path: x, from: z}\n",
		"5:11: the virtual file 'x' is there already, in line 3; put all its patterns in "
		"one 'from'"},
	{"a virtual file is in no other",
		"layers: [a]\nfiles:\n - {path: x/y/z, from: y}\n - {path: x-, from: y}\n"
		" - {path: x, from: z}\n",
		"3:11: 'x/y/z' can't be in 'x', which is a virtual file (line 5); give one of "
		"them another path"},

	/* Programs */
	{"a check is a list", "layers: [a]\nrules: [{match: x, check: promtool}]\n",
		"2:27: check must be a list, and this is a scalar"},
	{"a check has a word", "layers: [a]\nrules: [{match: x, check: []}]\n",
		"2:27: check must be a list of 1 to 64 words, the program and its arguments"},
	{"a check's words are texts", "layers: [a]\nrules: [{match: x, check: [a, [b], '%f']}]\n",
		"2:31: check must be a text, and this is a list"},
	{"no word of a check is missing", "layers: [a]\nrules: [{match: x, check: [a, ~, '%f']}]\n",
		"2:31: a word of check is missing; write the program and its arguments, each as a "
		"word of the list"},
	{"a check names the file", "layers: [a]\nrules: [{match: x, check: [a, '%%f']}]\n",
		"2:28: the check has no word with '%f', where the path of the file to be checked "
		"goes; add it, as in [visudo, -cf, \"%f\"]"},
	{"a percent sign means something", "layers: [a]\nrules: [{match: x, check: [a, '%f%x']}]\n",
		"2:31: '%x' in '%f%x' means nothing; %f is the file's path, and %% a percent sign"},
	{"a percent sign is not the last", "layers: [a]\nrules: [{match: x, check: [a, '%f%']}]\n",
		"2:31: '%' in '%f%' means nothing; %f is the file's path, and %% a percent sign"},
	{"the program is not the file", "layers: [a]\nrules: [{match: x, check: ['%f']}]\n",
		"2:28: the program '%f' can't have a percent sign in its name; rename it"},
	{"a program is not relative",
		"layers: [a]\nfiles: [{path: x, from: y, check: [a/b, '%f']}]\n",
		"2:36: the program 'a/b' is neither a name nor an absolute path; write one of "
		"them, as in /usr/local/bin/check"},
	{"a command as a map has the command", "layers: [a]\noptions: {on_change: {user: x}}\n",
		"2:22: on_change has no 'run'; give the program and its arguments as a list"},
	{"an unknown key of a command", "layers: [a]\noptions: {on_change: {rum: x}}\n",
		"2:23: unknown key 'rum', did you mean 'run'? (allowed: run, user, timeout)"},
	{"a time limit is not too short", "layers: [a]\nrules: [{match: x, timeout: 99ms}]\n",
		"2:29: timeout must be a time with its unit, from 100ms to 60m, not '99ms'"},
	{"a user is a text", "layers: [a]\nfiles: [{path: x, from: y, user: []}]\n",
		"2:34: user must be a text, and this is a list"},

	/* Options */
	{"options are a map", "layers: [a]\noptions: [x]\n",
		"2:10: options must be a map with the keys coherence, on_error, state, header, "
		"yaml, schema, "
		"poll_interval, answer_timeout, cache_mib, watches, on_change, limits, and this is "
		"a list"},
	{"an unknown option", "layers: [a]\noptions: {colour: red}\n",
		"2:11: unknown key 'colour' (allowed: coherence, on_error, state, header, yaml, "
		"schema, "
		"poll_interval, answer_timeout, cache_mib, watches, on_change, limits)"},
	{"a slip in an option", "layers: [a]\noptions: {coherance: strict}\n",
		"2:11: unknown key 'coherance', did you mean 'coherence'? (allowed: coherence, "
		"on_error, state, header, yaml, schema, poll_interval, answer_timeout, cache_mib, "
		"watches, "
		"on_change, "
		"limits)"},
	{"an unknown coherence", "layers: [a]\noptions: {coherence: lazy}\n",
		"2:22: unknown coherence 'lazy' (allowed: cached, strict)"},
	{"a slip in a word", "layers: [a]\noptions: {on_error: lastgood}\n",
		"2:21: unknown on_error 'lastgood', did you mean 'last-good'? (allowed: last-good, "
		"skip-layer, fail)"},
	{"a state is the same from everywhere", "layers: [a]\noptions: {state: var/state}\n",
		"2:18: state must be an absolute path, not 'var/state'"},
	{"an unknown schema", "layers: [a]\noptions: {schema: 1.3}\n",
		"2:19: unknown schema '1.3', did you mean '1.1'? (allowed: 1.1, 1.2)"},
	{"a word that is too short for two slips is not guessed",
		"layers: [a]\noptions: {schema: 3.4}\n",
		"2:19: unknown schema '3.4' (allowed: 1.1, 1.2)"},
	{"two letters swapped are one slip", "layers: [{ptahs: a}]\n",
		"1:11: unknown key 'ptahs', did you mean 'path'? (allowed: name, path, optional, "
		"required, follow, exclude, etcd, git)"},
	{"a timeout is not too short", "layers: [a]\noptions: {answer_timeout: 999ms}\n",
		"2:27: answer_timeout must be a time with its unit, from 1s to 60m, not '999ms'"},
	{"a time needs a unit", "layers: [a]\noptions: {poll_interval: 5}\n",
		"2:26: poll_interval must be a time with its unit, from 10ms to 60m, not '5'"},
	{"a time has a whole number", "layers: [a]\noptions: {poll_interval: 1.5s}\n",
		"2:26: poll_interval must be a time with its unit, from 10ms to 60m, not '1.5s'"},
	{"an interval has whole seconds", "layers: [a, {git: {url: u, interval: 1500ms}}]\n",
		"1:38: interval must be whole seconds"},
	{"a time is not too short", "layers: [a]\noptions: {poll_interval: 9ms}\n",
		"2:26: poll_interval must be a time with its unit, from 10ms to 60m, not '9ms'"},
	{"a time is not too long", "layers: [a]\noptions: {poll_interval: 61m}\n",
		"2:26: poll_interval must be a time with its unit, from 10ms to 60m, not '61m'"},
	{"a number is not negative", "layers: [a]\noptions: {cache_mib: -1}\n",
		"2:22: cache_mib must be a number from 0 to 1048576, not '-1'"},
	{"a number has no leading zero", "layers: [a]\noptions: {cache_mib: 010}\n",
		"2:22: cache_mib must be a number from 0 to 1048576, not '010'"},
	{"a number may be too large for any machine",
		"layers: [a]\noptions: {cache_mib: 99999999999999999999999}\n",
		"2:22: cache_mib must be a number from 0 to 1048576, not "
		"'99999999999999999999999'"},
	{"limits are a map", "layers: [a]\noptions: {limits: 16M}\n",
		"2:19: limits must be a map with the keys source, result, depth, nodes, time, "
		"and this is a scalar"},
	{"an unknown limit", "layers: [a]\noptions: {limits: {node: 1}}\n",
		"2:20: unknown key 'node', did you mean 'nodes'? (allowed: source, result, depth, "
		"nodes, time)"},
	{"a size is not zero", "layers: [a]\noptions: {limits: {source: 0}}\n",
		"2:28: source must be a size from 1 to 1G, not '0'"},
	{"a size has a unit that is known", "layers: [a]\noptions: {limits: {source: 1T}}\n",
		"2:28: source must be a size from 1 to 1G, not '1T'"},
	{"a size is not too large", "layers: [a]\noptions: {limits: {result: 1025M}}\n",
		"2:28: result must be a size from 1 to 1G, not '1025M'"},
	{"a limit of time has a unit", "layers: [a]\noptions: {limits: {time: 5}}\n",
		"2:26: time must be a time with its unit, from 1ms to 60m, not '5'"},
	{"a depth is not too large", "layers: [a]\noptions: {limits: {depth: 1001}}\n",
		"2:27: depth must be a number from 1 to 1000, not '1001'"},

	/* The first mistake */
	{"no layer is opened while a rule is wrong", "layers: [none]\nrules: [{match: '['}]\n",
		"2:17: the pattern '[' can't be used: a [ has no ]; write \\[ for the character "
		"itself"},
};

#define COUNT (sizeof(table) / sizeof(table[0]))

static int make_tree(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir a b c; touch file");
	return 0;
}

static void is_refused(void **state)
{
	const struct bad *bad = *state;
	struct settings *settings = NULL;
	struct problem problem = {0};
	char text[TEXT_MAX], expected[TEXT_MAX], *open;
	int r;

	write_file("plyfs.yaml", bad->text);
	/* What was written just now may be half of it, and would be read again. */
	assert_int_equal(utimensat(AT_FDCWD, "plyfs.yaml", (struct timespec[2]){{1}, {1}}, 0), 0);
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	(void)problem_format(&problem, text, sizeof(text));
	(void)snprintf(expected, sizeof(expected), "plyfs.yaml:%s", bad->expected);
	open = strstr(expected, "…");
	if (open) {
		*open = '\0';
		text[strnlen(text, (size_t)(open - expected))] = '\0';
	}
	if (r != PROBLEM || strcmp(text, expected) != 0)
		fail_msg("%d\n     got: %s\nexpected: %s", r, text, expected);
	assert_null(settings);
}

int main(void)
{
	struct CMUnitTest tests[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		struct bad *bad = (struct bad *)(uintptr_t)&table[i];

		tests[i] = (struct CMUnitTest){
			.name = bad->rule, .test_func = is_refused, .initial_state = bad};
	}
	return cmocka_run_group_tests(tests, make_tree, leave_place);
}
