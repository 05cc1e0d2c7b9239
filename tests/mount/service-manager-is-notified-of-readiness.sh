#!/bin/bash
. "$(dirname "$0")/mount.sh"

need python3
cat >manager.py <<'END'
import os, socket, subprocess, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("notify")
manager.settimeout(20)
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
