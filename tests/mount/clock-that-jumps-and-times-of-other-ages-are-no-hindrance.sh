#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$0")/fresh.sh"
# Sources may have any time, and the clock may be set. A change shows at once, a replacement is newer than what it
# replaces, and all is as in a fresh mount.

need inotifywait
newer() { [ "$(printf '%s\n' "$1" "$2" | sort -n | tail -1)" = "$2" ] && [ "$1" != "$2" ]; }
time_of() { stat -c %.9Y "$1"; }

# changes TIME...: a source is replaced by one with each of these times.
changes() {
	local number=0 before now time
	for time; do
		number=$((number + 1))
		before=$(time_of mnt/app.yaml)
		echo "b: $time $number" >next
		touch -d "$time" next
		mv next high/app.yaml
		comes_to_show mnt/app.yaml $'a: 1\nb: '"$time $number"
		now=$(time_of mnt/app.yaml)
		newer "$before" "$now" || fail "with a source of $time, its time was $before and is $now"
		touch -d "$time" low/dir high
	done
}

mkdir low/dir
echo 'a: 1' | tee low/app.yaml low/dir/app.yaml >/dev/null
echo 'b: 0' >high/app.yaml
touch -d '1901-12-13 20:45:52 UTC' low/app.yaml low/dir low
start
shows mnt/app.yaml $'a: 1\nb: 0'
shows mnt/dir/app.yaml 'a: 1'
watch mnt
changes '1969-12-31 23:59:59 UTC' '1970-01-01 UTC' '2038-01-19 03:14:08 UTC' '2400-01-01 UTC' '1950-06-01 UTC' '2001-01-01 UTC'
# The same bytes with another time make no event.
unwatch
[ "$(grep -c 'MOVED_TO app.yaml' events)" -eq 6 ] || fail "the events were: $(cat events)"
comes_to_equal_fresh
stop

# The daemon's clock jumps: by a day back and forth, again and again.
library=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -1) || true
if [ -z "$library" ] || grep -qa 'lib[at]san' "$PLYFS"; then
	echo "the clock is not set: libfaketime is missing, or can't be loaded beside a sanitizer"
	exit 0
fi
clock=$directory/clock
set_clock() { echo "$1" >"$clock"; }
set_clock +0
LD_PRELOAD=$library FAKETIME_TIMESTAMP_FILE=$clock FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 start
for jump in +1d -1d +400d -20y +0; do
	set_clock $jump
	changes '2020-01-01 UTC' '2010-01-01 UTC'
	echo "a: 1" >low/dir/new.yaml
	comes_to_show mnt/dir/new.yaml 'a: 1'
	rm low/dir/new.yaml
	comes_to_vanish mnt/dir/new.yaml
	echo 'b: [' >high/app.yaml
	told() { [[ $(status troubles) == *app.yaml* ]]; }
	eventually told || fail "with the clock at $jump, a broken source is not told"
	echo 'b: 0' >high/app.yaml
	mended() { [ "$(status troubles)" = '[]' ]; }
	eventually mended || fail "with the clock at $jump, the trouble stays"
	comes_to_equal_fresh
done
