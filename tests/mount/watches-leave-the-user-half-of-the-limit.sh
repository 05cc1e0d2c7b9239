#!/bin/bash
# A mount takes half of the inotify watches that its user may have, or as many as the option `watches` says. It polls
# the directories beyond that.
. "$(dirname "$0")/mount.sh"

need python3 inotifywait
limit_watches

for i in $(seq 10 49); do
	mkdir -p low/$i
	echo "a: $i" >low/$i/app.yaml
done
settings() { printf 'layers: [low, high]\noptions: {poll_interval: 100ms%s}\n' "$1" | replace plyfs.yaml; }
is_polling() { status polling reason >/dev/null 2>&1; }
has_watches() { ! is_polling && [ "$(status watches count)" -gt "$1" ]; }

settings ''
echo 60 >$limit
start -c plyfs.yaml mnt
cat mnt/*/app.yaml >/dev/null
is_polling || fail "it watches all directories"
[ "$(status watches count)" -eq 30 ] || fail "it has $(status watches count) watches, and not half of 60"
[[ $(status watches error) == *"the option 'watches'"* ]] || fail "no remedy: $(status watches)"
echo 'a: new' >low/49/app.yaml
comes_to_show mnt/49/app.yaml 'a: new'

# Another program of the user has the rest.
watch low/1* low/2*
unwatch

# More are allowed, by the user and then by the kernel.
settings ', watches: 50'
eventually has_watches 40 || fail "the option has no effect: $(status watches)"
settings ''
echo 1000 >$limit
cat mnt/*/app.yaml >/dev/null
eventually has_watches 40 || fail "the kernel's limit has no effect: $(status watches)"
stop

# A smaller number than half.
settings ', watches: 16'
start -c plyfs.yaml mnt
cat mnt/*/app.yaml >/dev/null
has_sixteen() { [ "$(status watches count)" -eq 16 ]; }
eventually has_sixteen || fail "it has $(status watches count) watches, and not 16"
