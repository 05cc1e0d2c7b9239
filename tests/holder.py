"""Finds the process of a command that has a file open: the command, or the one that it watches."""
import os
import signal
import subprocess


def holder_of(pid, is_held):
    """Returns the process with a descriptor for which is_held(target, fdinfo) is true; 0: there is none yet."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
        pids = [pid, *map(int, children.read().split())]
    for each in pids:
        try:
            for fd in os.listdir(f"/proc/{each}/fd"):
                with open(f"/proc/{each}/fdinfo/{fd}", encoding="utf-8") as info:
                    if is_held(os.readlink(f"/proc/{each}/fd/{fd}"), info.read()):
                        return each
        except (FileNotFoundError, ProcessLookupError):
            pass
    return 0


def start_and_stop(words, is_held, **options):
    """Starts a command, and stops its process that holds the file. Returns both; the process is 0 if it was too fast."""
    command = subprocess.Popen(words, **options)  # pylint: disable=consider-using-with
    holder = 0
    while command.poll() is None and not holder:
        holder = holder_of(command.pid, is_held)
    try:
        if holder:
            os.kill(holder, signal.SIGSTOP)
    except ProcessLookupError:
        holder = 0
    return command, holder
