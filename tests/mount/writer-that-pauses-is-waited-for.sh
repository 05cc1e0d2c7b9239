#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A writer holds a source open, and has written half of it. A first reader waits for it, and so does one that has read
# it before: for a second.
write_slowly() {
	exec 5>low/app.yaml
	printf 'first: %s\n' "$1" >&5
	sleep 0.6
	printf 'second: %s\n' "$1" >&5
	exec 5>&-
}

echo 'high: 1' >high/app.yaml
write_slowly 1 &
writer=$!
sleep 0.1
start
shows mnt/app.yaml 'first: 1
second: 1
high: 1'
wait $writer

write_slowly 2 &
writer=$!
while kill -0 $writer 2>/dev/null; do
	grep -q '^second' mnt/app.yaml || fail "half of it was shown: $(cat mnt/app.yaml)"
	sleep 0.02
done
wait $writer
comes_to_show mnt/app.yaml 'first: 2
second: 2
high: 1'
stop

# A writer that holds it for longer does not keep the file from readers.
exec 5>low/app.yaml
echo 'first: 3' >&5
start
shows mnt/app.yaml 'first: 3
high: 1'
exec 5>&-
