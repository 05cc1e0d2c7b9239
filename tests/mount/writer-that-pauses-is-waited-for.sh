#!/bin/bash
. "$(dirname "$0")/mount.sh"

# Who holds a source open for writing, and has written half of it, is waited for: for a second, by
# who reads it first and by who has read it before.
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

# Whoever holds it for longer does not keep others from the file.
exec 5>low/app.yaml
echo 'first: 3' >&5
start
shows mnt/app.yaml 'first: 3
high: 1'
exec 5>&-
