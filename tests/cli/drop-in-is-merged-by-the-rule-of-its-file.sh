#!/bin/bash
# A drop-in is a file of the tree, too. A tag in it may need the rule of the file that it belongs to.
. "$(dirname "$0")/cli.sh"

mkdir -p v/a.yaml.d s/a.yaml.d
printf 'jobs: [{name: a, x: 1}, {name: b}]\nhosts: [x, y]\n' >v/a.yaml
printf 'jobs: [!delete {name: a}]\nhosts: [!delete x, z]\n' >s/a.yaml.d/10.yaml
cat >plyfs.yaml <<'EOF'
layers: [v, s]
rules:
  - match: a.yaml
    dropins: layers
    options: {lists: {jobs: {by: name}, hosts: unique}}
    lock: {v: hosts}
EOF
sed '/lock/d' plyfs.yaml >bare.yaml
runs 0 "$PLYFS" check --strict -c bare.yaml
runs 0 "$PLYFS" cat -c bare.yaml a.yaml
grep -qx 'hosts: \[y, z\]' out || fail "it is: $(cat out)"
runs 0 "$PLYFS" cat -c bare.yaml a.yaml.d/10.yaml
grep -qx 'hosts: \[z\]' out || fail "it is: $(cat out)"

# The file's lock and bounds are for the file: an attempt is reported once.
runs 1 "$PLYFS" check -c plyfs.yaml
prints '2 files: all merge, 1 error'

# A rule for the drop-in itself counts.
sed '/rules:/a\  - {match: "*.d/*", strategy: last}' bare.yaml >own.yaml
runs 0 "$PLYFS" cat -c own.yaml a.yaml.d/10.yaml
grep -q '!delete x' out || fail "it is: $(cat out)"

# So do the options of a virtual file.
printf 'files: [{path: a.yaml.d/all.yaml, from: "parts/*.yaml", options: {lists: append}}]\n' >>bare.yaml
mkdir v/parts s/parts
echo 'hosts: [x]' | tee v/parts/1.yaml >s/parts/2.yaml
runs 0 "$PLYFS" cat -c bare.yaml a.yaml.d/all.yaml
grep -qx 'hosts: \[x, x\]' out || fail "it is: $(cat out)"
