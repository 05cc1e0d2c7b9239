#!/bin/bash
# A rule that Prometheus would refuse, in one of three layers, is never shown to it: mounted and rendered.
. "$(dirname "$0")/mount.sh"
need prometheus promtool python3

export PLYFS_PRESETS
PLYFS_PRESETS=$(realpath "$(dirname "$test_file")/../../data/presets")
chmod 755 .
rule() { printf 'groups:\n  - name: %s\n    rules:\n      - {alert: %sDown, expr: "%s"}\n' "$1" "$1" "$2"; }
mkdir -p vendor/rules site/rules host/rules
cat >vendor/prometheus.yml <<YAML
global: {evaluation_interval: 1s}
rule_files: ["rules/*.yml"]
YAML
rule vendor 'up == 0' >vendor/rules/app.yml
rule site 'up == 0' >site/rules/app.yml
rule host 'up == 0' >host/rules/app.yml

# Prints the rules of the running Prometheus: "host,site,vendor".
rules() {
	python3 - "$port" <<'END'
import json, sys, urllib.request
url = f"http://127.0.0.1:{sys.argv[1]}/api/v1/rules"
groups = json.load(urllib.request.urlopen(url, timeout=5))["data"]["groups"]
print(",".join(sorted(group["name"] for group in groups)))
END
}
has_rules() { [ "$(rules 2>/dev/null)" = "$1" ]; }
comes_to_have() { eventually has_rules "$1" || fail "Prometheus has '$(rules)', not '$1': $(tail -3 prometheus.log)"; }
reload() { kill -HUP "$prometheus"; }
prometheus=
end_prometheus() {
	rm -f pid
	[ -z "$prometheus" ] || kill "$prometheus" 2>/dev/null || true
	wait "$prometheus" 2>/dev/null || true
	prometheus=
}

# The test itself: $1 is the tree.
try() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	prometheus --config.file="$1/prometheus.yml" --storage.tsdb.path="data-$1" \
		--web.listen-address="127.0.0.1:$port" >prometheus.log 2>&1 &
	prometheus=$!
	# Until it has its handler, SIGHUP ends it: on_change must not know it before.
	comes_to_have host,site,vendor
	echo $prometheus >pid

	# It is YAML, but no rule; then it is not even YAML.
	for broken in "$(rule site 'sum(')" 'groups: ['; do
		echo "$broken" | replace site/rules/app.yml
		told() { "$PLYFS" status "$1" | grep -q 'rules/app.yml'; }
		eventually told "$1" || fail "the status tells nothing of it: $("$PLYFS" status "$1")"
		promtool check rules "$1/rules/app.yml" >/dev/null || fail "a bad rule is shown"
		reload
		sleep 1
		has_rules host,site,vendor || fail "Prometheus has lost rules: $(rules)"
	done

	# Prometheus learns of the next good version by itself.
	rule newsite 'up == 0' | replace site/rules/app.yml
	comes_to_have host,newsite,vendor
	told() { "$PLYFS" status "$1" | grep -q 'on_change .*ended well'; }
	eventually told "$1" || fail "the status does not tell of the reload: $("$PLYFS" status "$1")"
	kill -0 $prometheus
	rule site 'up == 0' | replace site/rules/app.yml
	comes_to_have host,site,vendor
	end_prometheus
}

cat >plyfs.yaml <<YAML
layers: [vendor, site, host]
presets: [prometheus]
options: {on_change: [sh, -c, '[ ! -e $directory/pid ] || kill -HUP "\$(cat $directory/pid)"']}
YAML
start -c plyfs.yaml mnt
try mnt
stop

mkdir out
"$PLYFS" render --watch -c plyfs.yaml out 2>log &
plyfs_pid=$!
eventually test -e out/rules/app.yml
try out
kill $plyfs_pid
wait $plyfs_pid
plyfs_pid=

# The twin: without the preset nothing keeps it out.
sed -i '/presets/d' plyfs.yaml
rule host 'sum(' >host/rules/app.yml
start -c plyfs.yaml mnt
! promtool check rules mnt/rules/app.yml >/dev/null 2>&1 || fail "the rule is not broken"
