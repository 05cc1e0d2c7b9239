#!/bin/bash
# %H, %l, %d, %o and %w in a rule stand for the same values as in a layer's path.
. "$(dirname "$0")/cli.sh"

mkdir low high
names=(web1.example.org.yaml web1.yaml example.org.yaml '%H.yaml' '100%.yaml' 'a%f.yaml' db1.yaml)
for name in "${names[@]}"; do
	echo 'a: 1' >"low/$name"
	echo 'b: 2' >"high/$name"
done
whole() {
	printf "layers: [low, high]\nrules: [{match: '%s', strategy: last}]\noptions: {header: false}\n" "$1" >plyfs.yaml
	runs 0 "$PLYFS" cat -c plyfs.yaml -H web1.example.org "$2"
	prints 'b: 2'
	says '-H web1.example.org chooses no layer'
}
whole %H.yaml web1.example.org.yaml
whole %l.yaml web1.yaml
whole %d.yaml example.org.yaml
whole '%%H.yaml' %H.yaml
whole '100%.yaml' 100%.yaml
whole 'a%f.yaml' a%f.yaml
# Negative twin: another host has another rule.
whole %l.yaml web1.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml -H db1.example.org web1.yaml
prints $'a: 1\nb: 2'
runs 0 "$PLYFS" cat -c plyfs.yaml -H db1.example.org db1.yaml
prints 'b: 2'

# In the path of a virtual file, and in what it is made from.
cat >plyfs.yaml <<'END_'
layers: [low, high]
files: [{path: "all-%l.yaml", from: "%l.*", dropins: layers}]
options: {header: false}
END_
runs 0 "$PLYFS" cat -c plyfs.yaml -H db1 all-db1.yaml
prints $'a: 1\nb: 2'

# A value that this machine lacks. A wildcard in a host's name is none.
printf "layers: [low]\nrules: [{match: '%%d.yaml', strategy: last}]\n" >plyfs.yaml
runs 1 "$PLYFS" cat -c plyfs.yaml -H db1 db1.yaml
grep -q "plyfs.yaml:2:17: '%d' has no value that can be a file's name: this machine has no such domain" err
printf "layers: [low, high]\nrules: [{match: '%%H.yaml', strategy: last}]\noptions: {header: false}\n" >plyfs.yaml
runs 0 "$PLYFS" cat -c plyfs.yaml -H '*' db1.yaml
prints $'a: 1\nb: 2'
