#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
cat >manager.py <<'END'
import os, socket, subprocess, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("notify")
manager.settimeout(100)
environment = dict(os.environ, NOTIFY_SOCKET=os.path.abspath("notify"))
service = subprocess.Popen([os.environ["PLYFS"], "mount", "-f", "low:high", "mnt"], env=environment)
try:
    told = manager.recv(100)
    assert told == b"READY=1", told
    assert os.path.ismount("mnt")
finally:
    service.terminate()
assert service.wait() == 0
END
python3 manager.py 2>log

# A manager that does not read holds up no reader.
cat >silent.py <<'END'
import os, socket, subprocess, time
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("silent")
other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
other.setblocking(False)
try:
    while True:
        other.sendto(b"STATUS=full", "silent")
except BlockingIOError:
    pass
environment = dict(os.environ, NOTIFY_SOCKET=os.path.abspath("silent"))
service = subprocess.Popen([os.environ["PLYFS"], "mount", "-f", "low:high", "mnt"], env=environment)
try:
    while not os.path.ismount("mnt"):
        time.sleep(0.02)
    subprocess.run(["ls", "mnt"], timeout=60, check=True)
finally:
    service.kill()
service.wait()
END
timeout 200 python3 silent.py || fail "it waits for the manager"
