#!/bin/bash
. "$(dirname "$0")/cli.sh"

need python3
chmod 711 .
mkdir vendor site
has() { python3 -c 'import json, sys; found = json.load(open("out")); sys.exit(0 if eval(sys.argv[1]) else print(found) or 1)' "$1"; }

# A program that reports errors like promtool, and the same through a shell.
mkdir bin
cat >bin/judge <<'SH'
#!/bin/sh
line=$(grep -n bad "$1" | head -n 1 | cut -d : -f 1)
[ "$line" ] || exit 0
echo "Checking $1"
echo "  FAILED:"
echo "$1: $line:11: group \"x\", rule 1: could not parse expression"
exit 1
SH
chmod 755 bin bin/judge
cat >plyfs.yaml <<YAML
layers: [vendor, site]
rules:
  - {match: "base.yml", check: [sh, -c, 'exec $PWD/bin/judge "\$1"', sh, "%f"]}
  - {match: "*.conf", strategy: last, check: [sh, -c, 'grep -n bad "\$1" >/dev/null || exit 0; echo "tool: [emerg] unknown directive in \$1:2"; exit 1', sh, "%f"]}
YAML
printf 'groups:\n  a: 1\n  b:\n    c: 2\n' >vendor/base.yml
printf '# The site has\n# its own.\ngroups:\n  b:\n    e: x bad\n' >site/base.yml
printf 'x\nbad\n' >site/all.conf
runs 1 "$PLYFS" check -c plyfs.yaml
grep -qx 'plyfs: judge: site/base.yml:5:11: group "x", rule 1: could not parse expression' err || fail "$(cat err)"
grep -q '^ *e: x bad$' err || fail "the line is not shown: $(cat err)"
grep -q 'site/all.conf:2: .*\[emerg\] unknown directive' err || fail "$(cat err)"
! grep -q '/run' err || fail "it tells of the copy: $(cat err)"
runs 1 "$PLYFS" check --json -c plyfs.yaml base.yml
has '[found["findings"][0][key] for key in ("path", "source", "line", "column", "program")] == ["base.yml", "site/base.yml", 5, 11, "judge"]'

# render, set and edit.
runs 1 "$PLYFS" render -c plyfs.yaml tree
grep -q '^plyfs: judge: .*site/base.yml:5:11: group "x", rule 1: could not parse expression (base.yml, ' err || fail "$(cat err)"
printf '# The site has\n# its own.\ngroups:\n  b:\n    e: x\n' >site/base.yml
runs 0 "$PLYFS" check -c plyfs.yaml base.yml
runs 1 "$PLYFS" set -c plyfs.yaml base.yml groups.b.e 'x bad'
says 'base.yml: nothing is written, as judge: site/base.yml:5:11: group "x", rule 1: could not parse expression'

# The real program, if it is installed.
if command -v promtool >/dev/null; then
	cat >plyfs.yaml <<'YAML'
layers: [vendor, site]
rules:
  - match: rules.yml
    options: {lists: append}
    check: {run: [sh, -c, 'promtool check rules "$1"', sh, "%f"], timeout: 60s}
YAML
	printf 'groups:\n  - name: vendor\n    rules:\n      - record: a\n        expr: b\n' >vendor/rules.yml
	printf '# The site has\ngroups:\n  - name: site\n    rules:\n      - record: a\n        expr: b +\n' >site/rules.yml
	runs 1 "$PLYFS" check -c plyfs.yaml rules.yml
	grep -q '^plyfs: promtool: site/rules.yml:6:15: .*could not parse expression' err || fail "$(cat err)"
fi
