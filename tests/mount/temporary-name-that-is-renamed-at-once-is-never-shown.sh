#!/bin/bash
. "$(dirname "$0")/mount.sh"

# A program writes a file beside the source, and renames it over the source at once: as sed -i and most editors do.
cat >replace.py <<'END'
import os, time

slow = 0
for number in range(40):
    begun = time.monotonic()
    with open("high/app.yaml.new", "w") as file:
        file.write(f"b: {number}\n")
        file.flush()
        closing = time.monotonic()  # not behind it: who waits for the event may run first
    os.rename("high/app.yaml.new", "high/app.yaml")
    # A name that lives for longer than plyfs waits (EVENTS_GONE_MS, EVENTS_QUIET_MS) may be shown.
    slow += closing - begun > 0.04 or time.monotonic() - closing > 0.0015
    time.sleep(0.05)
print(slow)
END

echo 'a: 1' >low/app.yaml
echo 'b: 0' >high/app.yaml
start
shows mnt/app.yaml $'a: 1\nb: 0'
watch mnt
slow=$(python3 replace.py)
comes_to_show mnt/app.yaml $'a: 1\nb: 39'
comes_event 'MOVED_TO app.yaml$'
unwatch
[ "$(grep -c 'MOVED_TO app.yaml.new' events)" -le "$slow" ] || fail "$slow names lived for long, but: $(cat events)"
grep -q 'MOVED_TO app.yaml$' events || fail "no event shows the changes: $(cat events)"

# The twin: a name that stays is shown, and its removal, too.
watch mnt
echo 'b: 1' >high/app.yaml.new
comes_event 'MOVED_TO app.yaml.new$'
mv high/app.yaml.new high/app.yaml
comes_event 'DELETE app.yaml.new$'
unwatch
stop
