#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site
cat >vendor/prometheus.yaml <<'END'
global: {interval: 15s}
scrape_configs:
- {job_name: node}
alerting: {managers: [a]}
rules: null
tls: !include tls.yaml
service: !service {class: x}
other: !service {class: x}
END
cat >site/prometheus.yaml <<'END'
global: 30s
scrape_configs: {job_name: mine}
alerting: null
rules: [x]
tls: {min: 1.3}
service: {public: true}
other: !replace {public: true}
END
# A directive, or null, shows that the change is intended. Other strategies have rules of their own.
printf 'list: [1]\nmap: {a: 1}\n' | tee vendor/meant.yaml vendor/other.salt.yaml >/dev/null
printf 'list: !replace {a: 1}\nmap: !delete\n' >site/meant.yaml
printf 'list: {a: 1}\n' >site/other.salt.yaml
# A source of several documents, and drop-ins in one layer, are sources as well.
printf 'a: [1]\n---\na: 1\n' >site/documents.yaml
printf 'a: {}\n' >vendor/documents.yaml
# A format without tags can't show that it is intended.
printf '[t]\nb = "x"\n' >vendor/server.toml
printf 't = 3\n' >site/server.toml
cat >plyfs.yaml <<'END'
layers: [vendor, site]
rules: [{match: "*.salt.yaml", strategy: salt}, {match: documents.yaml, options: {documents: merge}}]
END
runs 0 "$PLYFS" check -c plyfs.yaml
prints '5 files: all merge, 6 warnings'
cat >expected <<'END'
plyfs: site/documents.yaml:1:4: warning: 'a' is a list here and replaces a map in vendor/documents.yaml:1:4; write '!replace' if that is meant
plyfs: site/documents.yaml:3:4: warning: 'a' is a scalar here and replaces a list in site/documents.yaml:1:4; write '!replace' if that is meant
plyfs: site/prometheus.yaml:1:9: warning: 'global' is a scalar here and replaces a map in vendor/prometheus.yaml:1:9; write '!replace' if that is meant
plyfs: site/prometheus.yaml:2:17: warning: 'scrape_configs' is a map here and replaces a list in vendor/prometheus.yaml:3:1; write '!replace' if that is meant
plyfs: site/prometheus.yaml:6:10: warning: 'service' has no tag here, and so replaces all of the map with the tag '!service' in vendor/prometheus.yaml:7:10; write that tag, or '!replace' if that is meant
plyfs: site/server.toml:1:5: warning: 't' is a scalar here and replaces a map in vendor/server.toml:1:2; remove it there if that is meant
END
diff expected err >&2 || fail 'not these warnings'
runs 1 "$PLYFS" check -W -c plyfs.yaml

# A rule makes it an error, which names the place and shows the line.
sed -i 's/^rules: \[/&{match: "prom*", options: {kinds: strict}}, /' plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
prints '5 files: 1 does not merge, 3 warnings'
grep -qF "plyfs: site/prometheus.yaml:1:9: 'global' is a scalar here and replaces a map in vendor/prometheus.yaml:1:9" err
grep -qF '    global: 30s' err
runs 1 "$PLYFS" cat -c plyfs.yaml prometheus.yaml
runs 0 "$PLYFS" cat -l vendor:site prometheus.yaml

# A setting of a unit that comes once is a text, and one that comes again is a list: both are one kind. So an empty
# assignment before the new one changes no kind.
mkdir vendor/a.service.d site/a.service.d
printf '[Unit]\nAfter=a\nAfter=b\n[Service]\nExecStart=/a\n' >vendor/a.service
printf '[Unit]\nAfter=c\n[Service]\nExecStart=\nExecStart=/b\n' >site/a.service.d/50-b.conf
cat >plyfs.yaml <<'END'
layers: [vendor, site]
rules: [{match: a.service, dropins: true, options: {kinds: strict, lists: {Unit.After: replace}}}]
END
runs 0 "$PLYFS" check -W -c plyfs.yaml a.service
runs 0 "$PLYFS" explain -c plyfs.yaml a.service Service.ExecStart
! grep -q kind out || fail "$(cat out)"
