#!/bin/bash
. "$(dirname "$0")/mount.sh"

cat >low/app.yaml <<-END
	# a comment
	server:
	  port: 80   # the default
	  mode: 0644
	  hosts: [a, 'b']
	log: {level: info, file: "/var/log/a"}
END
cat >high/app.yaml <<-END
	server:
	  port: 8080
	  tls: no
	log:
	  level: debug
END
echo '{"a": 1, "b": {"c": [1, 2]}}' >low/app.json
echo '{"b": {"d": 1.10}}' >high/app.json
mount_options=header
start

for name in app.yaml app.json; do
	"$PLYFS" merge --header "$PWD/low/$name" "$PWD/high/$name" >wanted
	cmp wanted mnt/$name || fail "mnt/$name is: $(cat mnt/$name)"
	"$PLYFS" cat -l low:high $name | cmp - wanted
	"$PLYFS" cat mnt/$name | cmp - wanted
	[ "$(stat -c %s mnt/$name)" -eq "$(stat -c %s wanted)" ] || fail "stat tells another size"
done
grep -q 'mode: 0644' mnt/app.yaml || fail "a scalar has lost its text"
