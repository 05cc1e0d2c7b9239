#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"

need python3 inotifywait
limit_watches

for i in $(seq 10 39); do
	mkdir -p low/$i
	echo "a: $i" >low/$i/app.yaml
done
printf 'layers: [low, high]\noptions: {poll_interval: 100ms}\n' >plyfs.yaml
is_polling() { status polling reason >/dev/null 2>&1; }

echo 15 >$limit
start -c plyfs.yaml mnt
! is_polling || fail "it polls before it needs to"
cat mnt/*/app.yaml >/dev/null
is_polling || fail "the status does not tell that it polls"
[ "$(status polling interval_ms)" -eq 100 ]
[[ $(status watches error) == *max_user_watches* ]] || fail "no remedy: $(status watches)"
"$PLYFS" status mnt | grep -q max_user_watches || fail "plyfs status has no remedy"

for i in 10 38 39; do
	echo "a: new" >low/$i/app.yaml
	echo "b: 1" >low/$i/other.yaml
done
rm low/37/app.yaml
mkdir -p high/36/sub
echo 'c: 1' >high/36/sub/x.yaml
echo 'c: 1' >high/36/app.yaml
for i in 10 38 39; do
	comes_to_show mnt/$i/app.yaml 'a: new'
	comes_to_show mnt/$i/other.yaml 'b: 1'
done
comes_to_vanish mnt/37/app.yaml
comes_to_show mnt/36/app.yaml $'a: 36\nc: 1'
comes_to_show mnt/36/sub/x.yaml 'c: 1'
comes_to_equal_fresh -c plyfs.yaml

# The remedy works, and then the status no longer reports it.
echo 1000 >$limit
watches() { ! is_polling && ! status watches error >/dev/null 2>&1; }
eventually watches || fail "with watches enough, it still says: $(status watches) $(status polling)"
watch mnt/39
echo 'a: newer' >low/39/app.yaml
comes_event 'MOVED_TO app.yaml'
unwatch
stop

# If no inotify instance is left, the mount does not start silently.
echo 0 >/proc/sys/user/max_inotify_instances
fails_with 'max_user_instances' "$PLYFS" mount -f low:high mnt

# The twin: with enough watches, there is no poll.
echo 1000 >/proc/sys/user/max_inotify_instances
echo 1000 >$limit
start -c plyfs.yaml mnt
cat mnt/*/app.yaml >/dev/null
! is_polling || fail "it polls and need not"
