#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
explains() {
	runs 0 "$PLYFS" explain -l vendor:site "$1" "$2"
	sed -n '/^change\|^take/p' out >last
	[ "$(cat last)" = "$3" ] || fail "it proposes: $(cat last); and not: $3"
}

# The whole file is reset without a KEY.
echo 'port: 80' >vendor/app.yaml
echo 'port: 81' >site/app.yaml
explains app.yaml . 'take it back: plyfs reset -L site -l vendor:site app.yaml
change it: plyfs set -l vendor:site app.yaml . VALUE'

# No single value replaces a section.
printf '[a]\nx=1\n' >vendor/app.ini
explains app.ini a 'change it: plyfs set -l vendor:site app.ini a.NAME VALUE'
explains app.ini . 'change it: plyfs set -l vendor:site app.ini SECTION.NAME VALUE'
echo 'A=1' >vendor/app.env
explains app.env . 'change it: plyfs set -l vendor:site app.env NAME VALUE'

# Keys that a command line could read in another way.
cat >vendor/odd.yaml <<-'end'
	-v: 1
	a=b: 2
	"$(touch made)": 3
	it's: 4
	"line\nline": 5
end
explains odd.yaml a=b "change it: plyfs set -l vendor:site odd.yaml '\"a=b\"' VALUE"
echo 'a=b: !delete' >site/odd.yaml
explains odd.yaml a=b "take it back: plyfs reset -L site -l vendor:site odd.yaml '\"a=b\"'
change it: plyfs set -l vendor:site odd.yaml '\"a=b\"' VALUE"
rm site/odd.yaml
for key in -v '"$(touch made)"' "\"it's\"" '"line\nline"'; do
	runs 0 "$PLYFS" explain -l vendor:site -- odd.yaml "$key"
	grep -q '^change it: plyfs set ' out || fail "$key: $(cat out)"
done
[ ! -e made ] || fail 'a key is run as a command'

# Where no command makes the change, the place is named.
printf 'x: &a\n  k: 1\ny:\n  <<: *a\n' >site/anchor.yaml
explains anchor.yaml x 'change it by hand in site/anchor.yaml:1:4'

# A value that another one around it has replaced: the KEY is that of the value, the reset that of the other.
printf 'm: {x: 1, "a=b": 1}\nl: [1, 2]\ns: {t: {u: 3}}\nd: {e: {f: 1}}\n' >vendor/around.yaml
printf 'm: !replace {y: 2}\nl: [9]\ns: 5\nd: !replace {e: {g: 1}}\n' >site/around.yaml
while read -r key in change; do
	explains around.yaml "$key" "take it back: plyfs reset -L site -l vendor:site around.yaml $in
change $change"
	runs 0 "$PLYFS" explain --json -l vendor:site around.yaml "$key"
	grep -qF "\"gone\": {\"key\": $(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$key"), " out || fail "$key: $(cat out)"
done <<-'end'
	m.x m it: plyfs set -l vendor:site around.yaml m.x VALUE
	m."a=b" m it: plyfs set -l vendor:site around.yaml 'm."a=b"' VALUE
	d.e.f d it: plyfs set -l vendor:site around.yaml d.e.f VALUE
	l[1] l it by hand in site/around.yaml:2:4
	s.t.u s it by hand in site/around.yaml:3:4
end

# A reset is proposed only if the value is there again afterwards: not if a rule, or the strategy, takes it away.
mkdir host
echo 'c: 1' >host/app.yaml
proposes() {
	runs 0 "$PLYFS" explain -c rules.yaml app.yaml "$1"
	[ "$(sed -n 's/ -c rules.*//; /^take/p' out)" = "${2:-}" ] || fail "it proposes: $(cat out)"
	grep -q '^change it' out || fail "it proposes no change: $(cat out)"
}
echo 'layers: [vendor, site, host]
rules: [{match: app.yaml, options: {delete: {host: [port, a.x]}}}]' >rules.yaml
printf 'port: 80\na: {x: 1, y: 2}\nb: 1\n' >vendor/app.yaml
printf 'port: 81\nb: !delete\n' >site/app.yaml
proposes port
proposes a.x
proposes b 'take it back: plyfs reset -L site'
echo 'layers: [vendor, site, host]
rules: [{match: app.yaml, strategy: cloud-init}]' >rules.yaml
printf 'merge_how: dict(allow_delete)+list()+str()\nport:\n' >site/app.yaml
proposes merge_how
proposes port 'take it back: plyfs reset -L site'
printf '#cloud-config-jsonp\n[{"op": "remove", "path": "/port"}]\n' >site/app.yaml
proposes port
echo 'port: 80' >vendor/app.yaml
echo 'port: 81' >site/app.yaml

# A rule's schema and check judge the value that is set later; explain runs no command.
cat >plyfs.yaml <<-end
	layers: [vendor, site]
	rules: [{match: app.yaml, schema: schema.json, check: [sh, -c, "touch $PWD/checked; false", "%f"]}]
end
echo '{"properties": {"port": {"enum": [80, 81]}}}' >schema.json
"$PLYFS" explain -c plyfs.yaml app.yaml port >out
grep -qx 'change it: plyfs set -c plyfs.yaml app.yaml port VALUE' out || fail "$(cat out)"
[ ! -e checked ] || fail 'explain runs the check'

# A change that is none yet, as the value is there already, is no proof that the command works.
echo 'layers: [vendor, site]
rules: [{match: wg.conf, format: wireguard}]' >rules.yaml
for value in 1 x y; do
	printf '[Interface]\nAddress = %s\n' $value >vendor/wg.conf
	printf '[Interface]\nMTU = 5\n' >site/wg.conf
	runs 0 "$PLYFS" explain -c rules.yaml wg.conf Interface.Address
	grep -qx 'change it: plyfs set -L vendor -c rules.yaml wg.conf Interface.Address VALUE' out || fail "it proposes: $(cat out)"
done
