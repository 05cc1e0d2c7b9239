#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
head -c 100000 /dev/zero | tr '\0' x >low/motd
echo 'high: 1' >high/app.yaml
echo 'version: 00000000' >low/app.yaml
start
cat mnt/motd mnt/app.yaml >/dev/null
"$MOUNT_TOOLS/lockstep" 1000 low/app.yaml mnt/app.yaml >/dev/null
few_versions() { [ "$(status versions count)" -le "$1" ]; }
# Two files, this status, and the statuses that were read before it, which are freed with the next reads.
eventually few_versions 8 || fail "$(status versions) after 1000 versions"
[ "$(status versions bytes)" -lt 150000 ] || fail "they take: $(status versions)"

# The twin: a version that a reader has open is kept, and no longer than that.
held=()
for i in $(seq 20); do
	head -c $((100000 + i)) /dev/zero | tr '\0' x | replace low/motd
	size_is() { [ "$(stat -c %s mnt/motd)" -eq $((100000 + i)) ]; }
	eventually size_is || fail "a version does not come"
	exec {descriptor}<mnt/motd
	held+=("$descriptor")
done
[ "$(status versions count)" -ge 20 ] || fail "versions that are open are freed: $(status versions)"
[ "$(status versions bytes)" -ge 2000000 ]
for i in $(seq 20); do
	descriptor=${held[$((i - 1))]}
	[ "$(wc -c <&"$descriptor")" -eq $((100000 + i)) ] || fail "an open version has changed"
	exec {descriptor}<&-
done
eventually few_versions 8 || fail "versions that nobody has open are kept: $(status versions)"
