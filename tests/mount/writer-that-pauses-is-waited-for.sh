#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A writer holds a source open, and has written half of it. A first reader waits for it, and so does one that has read
# it before: for a second. On a busy machine the writer may take longer than that: then it proves nothing, and is tried
# again.
write_slowly() {
	local begun
	begun=$(date +%s%N)
	exec 5>low/app.yaml
	printf 'first: %s\n' "$1" >&5
	touch is-half
	sleep 0.6
	printf 'second: %s\n' "$1" >&5
	exec 5>&-
	took=$((($(date +%s%N) - begun) / 1000000))
	echo $took >took
}
begin_to_write() {
	rm -f is-half
	write_slowly "$1" &
	writer=$!
	eventually test -e is-half
}
has_second() { grep -q '^second' mnt/app.yaml; }
# half_was_shown: a reader has seen the half. That is a failure if the writer took less than a second.
half_was_shown() {
	local text
	text=$(cat mnt/app.yaml)
	wait $writer
	[ "$(cat took)" -ge 950 ] || fail "half of it was shown: $text"
	tries=$((tries + 1))
	[ $tries -lt 20 ] || fail "the writer takes $(cat took) ms, again and again"
}

echo 'high: 1' >high/app.yaml
tries=0
is_waited_for_at_first() {
	local is_whole=yes
	begin_to_write 1
	start
	has_second || is_whole=
	if [ -n "$is_whole" ]; then
		shows mnt/app.yaml $'first: 1\nsecond: 1\nhigh: 1'
		wait $writer
		return
	fi
	half_was_shown
	stop
	return 1
}
until is_waited_for_at_first; do :; done

is_waited_for_again() {
	begin_to_write 2
	while kill -0 $writer 2>/dev/null; do
		has_second || { half_was_shown && return 1; }
		sleep 0.02
	done
	wait $writer
}
until is_waited_for_again; do :; done
comes_to_show mnt/app.yaml $'first: 2\nsecond: 2\nhigh: 1'
stop

# A writer that holds it for longer does not keep the file from readers.
exec 5>low/app.yaml
echo 'first: 3' >&5
start
shows mnt/app.yaml 'first: 3
high: 1'
exec 5>&-
