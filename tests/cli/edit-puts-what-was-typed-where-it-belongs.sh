#!/bin/bash
. "$(dirname "$0")/cli.sh"

mkdir vendor site tmp
printf '{"port": 80, "hosts": ["a", "b"], "tls": true}\n' >vendor/app.json
printf '{"log": "debug"}\n' >site/app.json
export TMPDIR=$PWD/tmp
edit() { EDITOR="$1" "$PLYFS" edit -l vendor:site "${@:2}"; }

runs 0 edit true app.json
says 'nothing was changed'
[ -z "$(ls tmp)" ] || fail 'what nobody typed is kept'

runs 0 edit 'sed -i -e s/80/8080/ -e s/debug/info/' app.json
prints 'site/app.json:1: port: 80 -> 8080 (overrides vendor/app.json:1)
site/app.json:1: log: debug -> info'
[ "$(cat site/app.json)" = '{"log": "info", "port": 8080}' ] || fail "$(cat site/app.json)"

# VISUAL comes before EDITOR. Changes of comments and layout are ignored.
VISUAL='sed -i s/^/\ /' runs 0 edit false app.json
says 'comments and layout'

# If the typed text does not parse, or the change can't be made, the editor opens again with the message on top, and the
# text is not lost.
cat >editor <<'END'
#!/bin/sh
cat "$1" >>seen
[ -e again ] || sed -i 's/"tls": true/"tls": /' "$1"
touch again
END
chmod +x editor
runs 1 edit ./editor app.json
grep -q '^// plyfs: .*app.json:.*a value is missing' seen
grep -q 'the typed text is kept in' err
kept=$(sed -n 's/.*is kept in //p' err)
grep -q '"tls": ,$' "$kept" || fail "it is not kept: $(cat "$kept")"
# The message names the line that the faulty text has below the message, and in the text that is kept.
line=$(sed -n 's/.*app.json:\([0-9]*\):.*/\1/p' err)
[ "$(sed -n "1s/.*app.json:\([0-9]*\):.*/\1/p" "$kept")" = "$line" ] || fail "$(cat err "$kept")"
sed -n "${line}p" "$kept" | grep -q '"tls": ,$' || fail "line $line: $(cat "$kept")"
rm -r tmp/*
cat >editor <<'END'
#!/bin/sh
if grep -q 'has no .!delete' "$1"; then
	sed -i 's/"log": "info"/"log": "warn", "tls": true/' "$1"
else
	sed -i '/tls/d; s/"b"\n  \],/"b"]/; s/"log": "info",*/"log": "info"/' "$1"
fi
END
printf '{"log": "info"}\n' >site/app.json
printf '{"tls": true, "port": 80}\n' >vendor/app.json
runs 0 edit ./editor app.json
[ "$(cat site/app.json)" = '{"log": "warn"}' ] || fail "$(cat site/app.json)"
[ -z "$(ls tmp)" ] || fail 'what was put is kept as well'

# An editor that fails changes nothing.
runs 1 edit false app.json
grep -q "the editor 'false' failed" err
runs 1 edit no-such-editor app.json
grep -q 'there is no such program' err
[ -z "$(ls tmp)" ] || fail 'a text is kept in which nothing was typed'
cat >./typing-and-failing <<'END'
#!/bin/sh
echo '{"log": "half"}' >"$1"
exit 1
END
chmod +x ./typing-and-failing
runs 1 edit ./typing-and-failing app.json
[ "$(cat tmp/*/app.json)" = '{"log": "half"}' ] || fail 'what was typed is lost'
[ "$(cat site/app.json)" = '{"log": "warn"}' ] || fail "it was written: $(cat site/app.json)"
rm -r tmp/*

# A file that is shown whole is edited as a text, in the layer that shows it.
printf 'one\ntwo\n' >vendor/motd
runs 0 edit 'sed -i s/two/2/' motd
[ "$(cat site/motd)" = "$(printf 'one\n2')" ]
runs 1 edit 'sed -i s/one/1/' -L vendor motd
grep -q "because 'last' shows other" err
rm -r tmp/*

# Else a comment that was typed with a value is named, and not lost without a word.
printf '# old\na: 1\nb: "x # y"\n' >vendor/c.yaml
printf 'a: 2\n' >site/c.yaml
runs 0 edit 'sed -i "s/a: 2/a: 3  # why/; s/x # y/x # z/"' c.yaml
grep -q "c.yaml: the comment '# why' is not taken over, as only values are; write it into .*site/c.yaml" err ||
	fail "$(cat err)"
prints 'site/c.yaml:1: a: 2 -> 3
site/c.yaml:2: b: x # y -> x # z (overrides vendor/c.yaml:3)'
# Negative twin: no comment, and the reason of the run before is none.
cat >editor <<'END'
#!/bin/sh
if grep -q '^# plyfs:' "$1"; then sed -i 's/^a: .*/a: 4/' "$1"; else sed -i 's/a: 3/a: [/; s/x # z/x # w/' "$1"; fi
END
runs 0 edit ./editor c.yaml
[ ! -s err ] || fail "$(cat err)"
[ "$(cat site/c.yaml)" = $'a: 4\nb: "x # w"' ] || fail "$(cat site/c.yaml)"
rm vendor/c.yaml site/c.yaml

# The layer's only source is edited with its comments.
printf '// kept\n{"a": 1}\n' >site/only.jsonc
runs 0 edit 'sed -i "s/kept/new/; s/1/2/"' only.jsonc
[ "$(cat site/only.jsonc)" = "$(printf '// new\n{"a": 2}')" ]
