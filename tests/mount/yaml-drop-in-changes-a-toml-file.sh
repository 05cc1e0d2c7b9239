#!/bin/bash
. "$(dirname "$0")/mount.sh"

need inotifywait getfattr
mkdir -p high/app.toml.d
printf '[server]\nport = 0x50\nhosts = ["a"]\n\n[server.tls]\nmin = 1.2\n' >low/app.toml
printf '[server]\nport = 8080\n' >high/app.toml
printf 'server: {hosts: !append [b], tls: !delete }\n' >high/app.toml.d/50-site.yaml
cat >plyfs.yaml <<-END
	layers: [low, high]
	options: {header: false}
	rules: [{match: "*.toml", dropins: true}]
END
merged=$'[server]\nport = 8080\nhosts = ["a", "b"]'
start -c plyfs.yaml mnt
shows mnt/app.toml "$merged"

# The file is live, with one replacement.
watch mnt
printf '[server]\nport = 9090\n' | replace high/app.toml
comes_to_show mnt/app.toml "${merged/8080/9090}"
unwatch
saw_events 'mnt/ MOVED_TO app.toml'
rm high/app.toml.d/50-site.yaml
merged=$'[server]\nport = 9090\nhosts = ["a"]\n\n[server.tls]\nmin = 1.2'
comes_to_show mnt/app.toml "$merged"

# A drop-in that does not parse, or has a value that TOML can't hold, changes nothing and is reported with its place.
tells() { [[ $(attribute mnt/app.toml user.plyfs.error) == "$1"* ]]; }
printf '[server]\nport = 1\nport = 2\n' | replace high/app.toml
eventually tells "$PWD/high/app.toml:3:1: \"port\" is there already, at line 2, column 1" ||
	fail "the attribute says: $(attribute mnt/app.toml user.plyfs.error)"
shows mnt/app.toml "$merged"
printf '[server]\nport = 9090\n' | replace high/app.toml
eventually tells '' && eventually eval '[ -z "$(attribute mnt/app.toml user.plyfs.error)" ]'
echo 'server: {port: null}' >high/app.toml.d/60-null.yaml
eventually tells "$PWD/high/app.toml.d/60-null.yaml:1:16: TOML has no null" ||
	fail "the attribute says: $(attribute mnt/app.toml user.plyfs.error)"
shows mnt/app.toml "$merged"

# The twin: without the rule a drop-in has no effect.
stop
printf 'layers: [low, high]\noptions: {header: false}\n' >plyfs.yaml
start -c plyfs.yaml mnt
shows mnt/app.toml "$merged"
