#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir -p vendor hosts/web1 hosts/web3 roles/db
printf 'port: 80\ntags: [a]\n' >vendor/app.yaml
echo 'x: 1' >vendor/other.yaml
echo 'port: 81' | tee hosts/web1/app.yaml >hosts/web3/app.yaml
echo 'port: 5432' >roles/db/app.yaml
echo 'y: 1' >roles/db/only.yaml
cat >plyfs.yaml <<'END_'
layers:
  - vendor
  - {name: role, path: "roles/%{role}", optional: true}
  - {name: host, path: "hosts/%H", optional: true}
END_
printf '# ours\nweb1 role=web\n  web2\t role=web  # a comment\nweb3 role=web\r\ndb1 role=db\n' >list

# Which hosts have which value.
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml port
prints $'81  host  on web1, web3\n80  vendor  on web2\n5432  role  on db1'
[ ! -s err ] || fail "$(cat err)"
runs 0 "$PLYFS" explain --json -c plyfs.yaml --hosts - app.yaml port <list
python3 - <<'END_' || fail "not this: $(cat out)"
import json
values = json.load(open("out"))["values"]
assert values[0] == {"value": 81, "layer": "host", "layers": ["host"], "hosts": ["web1", "web3"]}, values
assert [v["hosts"] for v in values] == [["web1", "web3"], ["web2"], ["db1"]], values
END_
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml tags
prints '["a"]  vendor  on web1, web2, web3, db1'
# A map or list has the layers that set what is in it.
printf 'net: {port: 1, dns: {a: 1}}\nall: [a]\n' >vendor/map.yaml
printf 'net: {port: 2}\nall: !append [b]\n' >hosts/web1/map.yaml
printf 'net: {port: 2, dns: {a: 2, b: 3}}\n' >roles/db/map.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list map.yaml net
prints '{"port": 2, "dns": {"a": 1}}  vendor:host  on web1
{"port": 1, "dns": {"a": 1}}  vendor  on web2, web3
{"port": 2, "dns": {"a": 2, "b": 3}}  role  on db1'
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list --json map.yaml all
python3 - <<'END_' || fail "not this: $(cat out)"
import json
values = json.load(open("out"))["values"]
assert [(v["value"], v["layer"], v["layers"]) for v in values] == [
    (["a", "b"], None, ["vendor", "host"]), (["a"], "vendor", ["vendor"])], values
END_
rm vendor/map.yaml hosts/web1/map.yaml roles/db/map.yaml
# A joined text has the layers of its parts, and one that the merge made has those of the map around it.
printf '#cloud-config\na: one\nm: {x: 1}\nn: 1\n' >vendor/user-data
printf '#cloud-config\nmerge_how: "dict(recurse_dict,recurse_str)+str(append)"\na: two\n' >hosts/web1/user-data
printf '#cloud-config\nmerge_how: "mine()"\nm: {x: 2}\n' >hosts/web3/user-data
mkdir vendor/mergers
cat >vendor/mergers/m_mine.lua <<'END_'
local M = {}
function M:on_dict(value, with)
  local r = dict(value)
  if r.m then r.m = self.merger:merge(r.m, with.m) else r.x = 'u' .. 'v' end
  return r
end
return M
END_
cp plyfs.yaml cloud.yaml
echo 'rules: [{match: user-data, strategy: cloud-init, options: {mergers_path: mergers}}]' >>cloud.yaml
explain() {
	runs 0 "$PLYFS" explain -c cloud.yaml --fact role=web --hosts - user-data "$@"
}
explain a <<<web1
prints 'onetwo  vendor:host  on web1'
explain --json a <<<web1
grep -qF '"layer": null, "layers": ["vendor", "host"], ' out || fail "it says: $(cat out)"
"$PLYFS" cat -c cloud.yaml --fact role=web -H web3 user-data >out 2>&1 || true
if ! grep -q 'plyfs was built without' out; then
	explain m <<<web3
	prints '{"x": "uv"}  vendor:host  on web3'
	explain --json m.x <<<web3
	grep -qF '"value": "uv", "layer": null, "layers": [], ' out || fail "it says: $(cat out)"
fi
rm -r vendor/user-data hosts/web*/user-data vendor/mergers
# A value that some hosts lack, or all.
echo 'z: 1' >>roles/db/app.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml z
prints $'(no value)  on web1, web2, web3\n1  role  on db1'
runs 1 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml zz
prints '(no value)  on web1, web2, web3, db1'
sed -i '/z: 1/d' roles/db/app.yaml

# How hosts differ: each difference once.
runs 0 "$PLYFS" diff -c plyfs.yaml --hosts list
[ "$(grep '^[#+-]' out)" = '# web1, web3: alike
# web2: against web1
--- a/app.yaml
+++ b/app.yaml
-port: 81
+port: 80
# db1: against web1
--- a/app.yaml
+++ b/app.yaml
-port: 81
+port: 5432
--- /dev/null
+++ b/only.yaml
+y: 1' ] || fail "$(cat out)"
runs 1 "$PLYFS" diff --exit-code -c plyfs.yaml --hosts list app.yaml
runs 0 "$PLYFS" diff --exit-code -c plyfs.yaml --hosts list other.yaml
prints ''
runs 0 "$PLYFS" diff --json -c plyfs.yaml --hosts list app.yaml
python3 - <<'END_' || fail "not this: $(cat out)"
import json
groups = json.load(open("out"))["groups"]
assert [g["hosts"] for g in groups] == [["web1", "web3"], ["web2"], ["db1"]], groups
assert [len(g["differences"]) for g in groups] == [0, 1, 1], groups
assert "+port: 5432" in groups[2]["differences"][0]["diff"], groups
END_
# Facts of a host count for check, too; those of the command line for each host that has none.
runs 0 "$PLYFS" check -c plyfs.yaml --hosts list
runs 1 "$PLYFS" check -c plyfs.yaml --hosts - <<<web1
grep -q "the host 'web1' can't be checked" err
runs 0 "$PLYFS" explain -c plyfs.yaml --fact role=db --hosts - app.yaml port <<<$'web1\nweb9\nweb2 role=web'
prints $'81  host  on web1\n5432  role  on web9\n80  vendor  on web2'

# A host that can't be merged is named, and the others are shown.
echo 'port: [' >hosts/web3/app.yaml
runs 1 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml port
prints $'81  host  on web1\n80  vendor  on web2\n5432  role  on db1'
grep -q "the host 'web3' can't be compared" err
runs 1 "$PLYFS" diff -c plyfs.yaml --hosts list app.yaml
grep -q "the host 'web3' can't be compared" err
! grep -q web3 out || fail "$(cat out)"

# So is a host for which the file is no values: a link, a file without keys, or one that does not parse.
ln -s app.yaml hosts/web1/odd.yaml
echo 'a: [' >roles/db/odd.yaml
mkdir hosts/web2
echo 'port: 1' >hosts/web2/odd.yaml
runs 1 "$PLYFS" explain -c plyfs.yaml --hosts list odd.yaml port
prints $'1  host  on web2\n(no value)  on web3'
grep -q "^plyfs: odd.yaml: is not read as values" err && grep -q "the host 'web1' can't be compared" err || fail "$(cat err)"
grep -q "^plyfs: roles/db/odd.yaml:1:4: " err && grep -q "the host 'db1' can't be compared" err || fail "$(cat err)"

echo 'web1 role' >bad
runs 1 "$PLYFS" diff -c plyfs.yaml --hosts bad
says "bad:1: 'role' is no fact of the host 'web1'"
runs 2 "$PLYFS" explain -c plyfs.yaml --hosts list app.yaml
runs 2 "$PLYFS" explain -c plyfs.yaml -H web1 --hosts list app.yaml port
runs 2 "$PLYFS" explain -l vendor --hosts list app.yaml port
runs 2 "$PLYFS" diff -c plyfs.yaml -c plyfs.yaml --hosts list
runs 2 "$PLYFS" diff --hosts list app.yaml

# A list with a byte order mark, as some editors write it: the first host keeps its name.
printf 'port: 81\n' >hosts/web1/app.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --hosts - app.yaml port < <(printf '\xef\xbb\xbfweb1 role=web\r\nweb2 role=web\r\n')
prints $'81  host  on web1\n80  vendor  on web2'

# A line for each value, which steers no terminal. Values that differ only behind a NUL are two.
printf 'name: "x\\n\\e[31my"\n' >hosts/web1/name.yaml
printf 'name: "x\\0y"\n' >hosts/web2/name.yaml
printf 'name: "x\\0z"\n' >hosts/web3/name.yaml
echo 'name: v' >vendor/name.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --fact role=web --hosts - name.yaml name < <(printf 'web1\nweb2\nweb3\nweb\e9\n')
prints 'x\x0A\x1B[31my  host  on web1
x\x00y  host  on web2
x\x00z  host  on web3
v  vendor  on web\x1B9'

# A text that would be another value without its quotes has them.
printf 'port: "81"\nname: "v"\n' >hosts/web2/app.yaml
runs 0 "$PLYFS" explain -c plyfs.yaml --fact role=web --hosts - app.yaml port <<<$'web1\nweb2'
prints $'81  host  on web1\n"81"  host  on web2'
runs 0 "$PLYFS" explain -c plyfs.yaml --fact role=web --hosts - app.yaml name <<<web2
prints 'v  host  on web2'
rm hosts/web2/app.yaml
# So has one that looks like a value with quotes, a list or a map.
differ() {
	echo "v: $1" >hosts/web1/shape.yaml
	echo "v: $2" >hosts/web2/shape.yaml
	runs 0 "$PLYFS" explain -c plyfs.yaml --fact role=web --hosts - shape.yaml v <<<$'web1\nweb2'
	prints "$3  host  on web1
$4  host  on web2"
}
differ '"81"' "'\"81\"'" '"81"' '"\"81\""'
differ "''" "'\"\"'" '""' '"\"\""'
differ '[1]' "'[1]'" '[1]' '"[1]"'
differ '{a: 1}' "'{\"a\": 1}'" '{"a": 1}' '"{\"a\": 1}"'

# A file that some hosts lack, whichever comes first; and one that all lack.
printf 'web1 role=web\ndb1 role=db\nweb2 role=web\n' >list
mkdir roles/db/sub
echo 'k: 1' >roles/db/sub/in.yaml
for file in only.yaml sub/in.yaml; do
	runs 0 "$PLYFS" diff -c plyfs.yaml --hosts list $file
	[ "$(head -n 2 out)" = $'# web1, web2: alike\n# db1: against web1' ] || fail "$(cat out)"
	runs 0 "$PLYFS" check -c plyfs.yaml --hosts list $file
	prints '3 hosts, 1 file: all merge'
done
runs 0 "$PLYFS" diff -c plyfs.yaml --hosts <(tac list) only.yaml
[ "$(grep '^#' out)" = $'# web2, web1: alike\n# db1: against web2' ] || fail "$(cat out)"
for file in only.yaml:y sub/in.yaml:k; do
	runs 0 "$PLYFS" explain -c plyfs.yaml --hosts list ${file%:*} ${file#*:}
	prints $'(no value)  on web1, web2\n1  role  on db1'
	[ ! -s err ] || fail "$(cat err)"
done
for command in diff check 'explain k'; do
	read -ra words <<<"$command"
	runs 1 "$PLYFS" "${words[0]}" -c plyfs.yaml --hosts list none.yaml ${words[1]:+k}
	says 'none.yaml: no layer has such a file'
done

# A value with a tag is another than the one without it.
mkdir tagged tagged/{a,b}
echo 'x: !foo y' >tagged/a/t.yaml
echo 'x: y' >tagged/b/t.yaml
printf 'layers: [tagged/%%H]\n' >tagged.yaml
runs 0 "$PLYFS" explain -c tagged.yaml --hosts - t.yaml x <<<$'a\nb'
prints $'!foo y  a  on a\ny  b  on b'
runs 0 "$PLYFS" explain --json -c tagged.yaml --hosts - t.yaml x <<<$'a\nb'
grep -qF '{"value": "y", "tag": "!foo", "layer": "a",' out && grep -qF '{"value": "y", "layer": "b",' out || fail "$(cat out)"
# A text that begins like a tag is in quotes. The tag "!" is none, and those of the values in a list do not count.
printf 'layers: [{name: host, path: tagged/%%H}]\n' >tagged.yaml
grouped() {
	echo "x: $1" >tagged/a/t.yaml
	echo "x: $2" >tagged/b/t.yaml
	runs 0 "$PLYFS" explain -c tagged.yaml --hosts - t.yaml x <<<$'a\nb'
	prints "$3"
}
grouped '!foo y' "'!foo y'" $'!foo y  host  on a\n"!foo y"  host  on b'
grouped '! y' y 'y  host  on a, b'
grouped '[!foo y]' '[y]' '["y"]  host  on a, b'
