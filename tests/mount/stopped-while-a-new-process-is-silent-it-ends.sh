#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/take_over.sh"

# A new program that is to say whether it can take the mount over may be silent. Nobody waits for it.
need_root
echo 'a: 1' >low/app.yaml
start_replaceable
shows mnt/app.yaml 'a: 1'
replace_program <<'END'
#!/bin/bash
echo $$ >trial
kill -STOP $$
END
kill -USR2 "$plyfs_pid"
eventually test -s trial || fail "there is no trial"
began=$SECONDS
kill -TERM "$plyfs_pid"
ended_cleanly
[ $((SECONDS - began)) -lt 8 ] || fail "it took $((SECONDS - began)) s"
! is_mounted mnt || fail "the mount stays"
eventually has_ended "$(cat trial)" || fail "the trial goes on"
