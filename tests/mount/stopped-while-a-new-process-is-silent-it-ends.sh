#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# A new program that is to say whether it can take the mount over may be silent. Nobody waits for it. After 10 s it would
# be killed. A busy machine is slow: then it is tried again.
need_root
echo 'a: 1' >low/app.yaml

ends_at_once() {
	local began
	rm -f trial
	start_replaceable
	shows mnt/app.yaml 'a: 1'
	replace_program <<'END_OF_PROGRAM'
#!/bin/bash
echo $$ >trial
kill -STOP $$
END_OF_PROGRAM
	kill -USR2 "$plyfs_pid"
	eventually test -s trial || fail "there is no trial"
	began=$SECONDS
	kill -TERM "$plyfs_pid"
	ended_cleanly
	took=$((SECONDS - began))
	! is_mounted mnt || fail "the mount stays"
	eventually has_ended "$(cat trial)" || fail "the trial goes on"
	[ $took -lt 8 ]
}
tries=1
until ends_at_once; do
	tries=$((tries + 1))
	[ $tries -lt 8 ] || fail "the end took $took s"
done
