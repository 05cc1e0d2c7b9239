#!/bin/bash
. "$(dirname "$0")/mount.sh"
# Without plyfs-publish, the daemon has the kernel forget names. It then waits in the kernel for a process that looks a
# name up in the same directory, and that process waits for the daemon's answer. When the daemon gets SIGTERM both end.

need python3 pkill
need_root
cat >looks.py <<'END'
import os, sys, threading, time
end = time.monotonic() + 60
def look(thread):
    number = 0
    while time.monotonic() < end:
        number += 1
        try:
            os.stat(f"mnt/no-{thread}-{number}")
        except FileNotFoundError:
            continue
        except OSError:
            return
# When the mount is gone, a thread that has met no error learns only by time that it is over.
def change():
    global end
    number = 0
    while time.monotonic() < end:
        if os.path.exists("over"):
            end = 0
            return
        number += 1
        with open("next", "w") as file:
            file.write(f"a: {number}\n")
        os.rename("next", "low/app.yaml")
        time.sleep(0.0005)
threads = [threading.Thread(target=look, args=(i,)) for i in range(6)]
for thread in threads:
    thread.start()
threading.Thread(target=change, daemon=True).start()
for thread in threads:
    thread.join()
os._exit(0)
END
for turn in $(seq 4); do
	echo 'a: 1' >low/app.yaml
	start
	cat mnt/app.yaml >/dev/null
	python3 looks.py &
	looks=$!
	sleep 0.2
	pkill -KILL -P "$plyfs_pid" plyfs-publish
	sleep 0.2
	kill "$plyfs_pid"
	ended_cleanly
	! is_mounted mnt || fail "turn $turn: it is still mounted"
	: >over
	eventually has_ended $looks || fail "who looks names up hangs"
	wait $looks
	rm over
done
