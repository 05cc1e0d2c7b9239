#!/usr/bin/env python3
"""Holds a process up before its next fstatat(2), once.

    hold_call.py PID SECONDS     writes "ready" when it traces the process
"""
import ctypes
import os
import platform
import sys
import time

SEIZE, INTERRUPT, SYSCALL, DETACH, GET_INFO = 0x4206, 0x4207, 24, 17, 0x420E  # ptrace(2)
TRACE_CALLS = 1
FSTATAT = {"x86_64": 262}.get(platform.machine(), 79)
ENTRY = 1  # struct ptrace_syscall_info

pid, seconds = int(sys.argv[1]), float(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
info = ctypes.create_string_buffer(88)


def trace(request, address=0, data=None):
    if libc.ptrace(request, pid, address, data) < 0:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")


def is_wanted():
    trace(GET_INFO, len(info), ctypes.cast(info, ctypes.c_void_p))
    return info.raw[0] == ENTRY and int.from_bytes(info.raw[24:32], sys.byteorder) == FSTATAT


trace(SEIZE, data=TRACE_CALLS)
trace(INTERRUPT)
print("ready", flush=True)
while True:
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        sys.exit(f"it ended: {status}")
    if is_wanted():
        break
    trace(SYSCALL)
print("held", flush=True)
time.sleep(seconds)
trace(DETACH)
