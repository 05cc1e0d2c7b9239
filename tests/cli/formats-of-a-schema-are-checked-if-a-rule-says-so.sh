#!/bin/bash
. "$(dirname "$0")/cli.sh"

cat >s.json <<'END'
{"properties": {"at": {"format": "date-time"}, "ip": {"format": "ipv4"}, "odd": {"format": "colour"}},
 "propertyNames": {"format": "hostname"}}
END
printf 'at: 2026-13-01T00:00:00Z\nip: 010.0.0.1\nodd: x\n' >a.yaml

# A format is a note, unless it is asked for.
runs 0 "$PLYFS" merge --schema s.json a.yaml
runs 1 "$PLYFS" merge --schema s.json --validate-formats a.yaml
grep -q "^plyfs: a.yaml:1:5: at must have the format 'date-time', but is '2026-13-01T00:00:00Z' (s.json#/properties/at/format)" err || fail "$(cat err)"
grep -q "^plyfs: a.yaml:2:5: ip must have the format 'ipv4', but is '010.0.0.1'" err || fail "$(cat err)"
! grep -q odd: err || fail "$(cat err)"
printf 'at: 2026-12-01T00:00:00Z\nip: 10.0.0.1\n' >a.yaml
runs 0 "$PLYFS" merge --schema s.json --validate-formats a.yaml
echo '-a: 1' >a.yaml
runs 1 "$PLYFS" merge --schema s.json --validate-formats a.yaml
grep -q "must have the format 'hostname'" err || fail "$(cat err)"

# Two rules may name one schema, one with its formats.
mkdir low
echo 'ip: x' | tee low/a.yaml >low/b.yaml
cat >plyfs.yaml <<'END'
layers: [low]
rules: [{match: a.yaml, schema: s.json}, {match: b.yaml, schema: s.json, validate_formats: true}]
END
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "b.yaml:1:5: ip must have the format 'ipv4'" err || fail "$(cat err)"
! grep -q a.yaml err || fail "$(cat err)"
printf 'layers: [low]\nrules: [{match: a.yaml, validate_formats: true}]\n' >plyfs.yaml
runs 1 "$PLYFS" check -c plyfs.yaml
grep -q "plyfs.yaml:2:43: 'validate_formats' has no 'schema' beside it" err || fail "$(cat err)"
