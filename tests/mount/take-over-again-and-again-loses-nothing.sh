#!/bin/bash
# STRESS_SECONDS: seconds; in 600 there are about 200 take-overs.
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

need_root
mkdir low/d high/d
start
seconds=${STRESS_SECONDS:-20}
"$MOUNT_TOOLS/stress" $((seconds + 1200)) low high mnt >stress.out 2>&1 &
stress=$!
count=0
least=5
SECONDS=0
# A busy machine may need more time: few take-overs prove little.
while kill -0 $stress 2>/dev/null && { [ $SECONDS -lt "$seconds" ] || [ $count -lt $least ]; }; do
	sleep 0.$((RANDOM % 10))
	renewed
	count=$((count + 1))
done
kill -INT $stress 2>/dev/null || true
wait $stress || fail "at $count: $(cat stress.out)"
[ $count -ge $least ] || fail "it was taken over $count times"
echo "taken over $count times: $(cat stress.out)"
stop
