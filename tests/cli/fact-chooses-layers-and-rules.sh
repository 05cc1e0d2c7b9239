#!/bin/bash
. "$(dirname "$0")/cli.sh"

# %{NAME} is a fact of the file that `facts` names. --fact overrules the file in each command.
mkdir -p conf/vendor conf/roles/web conf/roles/db
echo 'port: 80' | tee conf/vendor/app.yaml conf/vendor/web.yaml >/dev/null
echo 'tls: true' | tee conf/roles/web/app.yaml conf/roles/web/web.yaml >/dev/null
echo 'port: 5432' >conf/roles/db/app.yaml
cat >conf/plyfs.yaml <<'END_'
facts: facts.yaml
layers: [vendor, {name: role, path: "roles/%{role}", optional: true}]
rules:
  - {match: "%{role}.*", strategy: last}
options: {header: false}
END_
printf 'role: web\nunused: a/b\nzone: eu\n' >conf/facts.yaml
here=(-c conf/plyfs.yaml)

runs 0 "$PLYFS" cat "${here[@]}" app.yaml
prints $'port: 80\ntls: true'
runs 0 "$PLYFS" cat "${here[@]}" web.yaml
prints 'tls: true'
# Negative twin: another role.
runs 0 "$PLYFS" cat "${here[@]}" --fact role=db web.yaml
prints 'port: 80'
runs 0 "$PLYFS" cat "${here[@]}" --fact role=web --fact role=db app.yaml
prints 'port: 5432'
runs 0 "$PLYFS" cat "${here[@]}" --fact role=db --fact other=x app.yaml
prints 'port: 5432'
runs 0 "$PLYFS" get "${here[@]}" --fact=role=db app.yaml port
prints 5432
runs 0 "$PLYFS" diff --fact role=web "${here[@]}" "${here[@]}" --fact role=db app.yaml
grep -qx -- '-tls: true' out && grep -qx '+port: 5432' out
runs 0 "$PLYFS" explain "${here[@]}" --fact role=db app.yaml port
grep -q '^port: 5432 .*roles/db/app.yaml:1:7' out
runs 0 "$PLYFS" check "${here[@]}" --fact role=db
runs 0 "$PLYFS" render -q "${here[@]}" --fact role=db tree
[ "$(cat tree/app.yaml)" = 'port: 5432' ]
runs 0 "$PLYFS" set "${here[@]}" --fact role=db app.yaml port 5433
[ "$(cat conf/roles/db/app.yaml)" = 'port: 5433' ]

# A value for which no layer exists, and a change that would go to the layer of all.
runs 0 "$PLYFS" cat "${here[@]}" --fact role=wbe app.yaml
grep -q "no layer of the fact 'wbe' exists: there is no .*conf/roles/wbe; the nearest fact that exists is 'web'" err
runs 1 "$PLYFS" set "${here[@]}" --fact role=wbe app.yaml port 1
grep -q "the layer 'role' does not exist for the fact wbe" err
[ "$(cat conf/vendor/app.yaml)" = 'port: 80' ]
# Of several facts, the one in the layer's path.
runs 1 "$PLYFS" set "${here[@]}" --fact role=wbe --fact zone=eu app.yaml port 1
says "the layer 'role' does not exist for the fact wbe"
says "the nearest fact that exists is 'web'"
for facts in 'role=wbe zone=' 'zone=be role=wbe' 'role=wbe zone=be' 'role=x role=wbe'; do
	read -r first second <<<"$facts"
	runs 1 "$PLYFS" set "${here[@]}" --fact "$first" --fact "$second" app.yaml port 1
	says "the layer 'role' does not exist for the fact wbe"
	says "the nearest fact that exists is 'web'"
done
# If no layer depends on a fact, the last counts that has a value.
printf 'facts: facts.yaml\nlayers: [vendor]\nrules: [{match: "%%{role}", strategy: last}]\n' >conf/rules.yaml
runs 1 "$PLYFS" set -c conf/rules.yaml --fact role=db --fact role=wbe --fact zone= app.yaml port 1
says "not for the fact 'wbe' alone"
# A fact that only rules use, or nothing.
runs 0 "$PLYFS" cat "${here[@]}" --fact unused=x app.yaml
prints $'port: 80\ntls: true'
[ ! -s err ] || fail "$(cat err)"
# One that neither plyfs.yaml nor the file of facts has is most likely misspelt.
runs 0 "$PLYFS" cat "${here[@]}" --fact rloe=db app.yaml
prints $'port: 80\ntls: true'
says "conf/plyfs.yaml: warning: no layer or rule uses the fact 'rloe' of --fact; did you mean 'role'?"
sed 1d conf/rules.yaml >conf/none.yaml
runs 0 "$PLYFS" cat -c conf/none.yaml --fact role=db --fact zone=eu app.yaml
says "conf/none.yaml: warning: no layer or rule uses the fact 'zone' of --fact"

runs 1 "$PLYFS" cat "${here[@]}" --fact role=../vendor app.yaml
grep -q "conf/plyfs.yaml:4:13: the fact 'role' is '../vendor', and it has a slash" err
echo 'role: ../vendor' >conf/facts.yaml
runs 1 "$PLYFS" cat "${here[@]}" app.yaml
grep -q "conf/facts.yaml:1:7: the fact 'role' is '../vendor', and it has a slash" err
# A machine without a role has no layer of it.
sed -i '/match/d; s/rules:/rules: []/' conf/plyfs.yaml
echo 'role:' >conf/facts.yaml
runs 0 "$PLYFS" cat "${here[@]}" app.yaml
prints 'port: 80'
sed -i 's/, optional: true//' conf/plyfs.yaml
runs 1 "$PLYFS" cat "${here[@]}" app.yaml
grep -q "conf/plyfs.yaml:2:[0-9]*: the fact 'role' has no value on this machine; give it one" err
for fact in role =web 'a b=c' ''; do
	runs 2 "$PLYFS" cat "${here[@]}" --fact "$fact" app.yaml
done
runs 2 "$PLYFS" cat -l conf/vendor --fact role=web app.yaml
says 'layers given with -l have none'
