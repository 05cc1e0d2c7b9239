#!/usr/bin/env python3
"""A service manager, which keeps the mount of a plyfs that has ended. It runs `plyfs mount -f` with the arguments.

    manager.py foreign ARGUMENT...  has plyfs leave the mount (SIGUSR1), changes the format of the state, runs plyfs
                                    again, prints its process number, and waits for it
    manager.py older ARGUMENT...    plays the daemon of version 0.2, which gives its mount by a socket; while there is a
                                    file `foreign`, its state has another format
"""
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys

RECORD, DESCRIPTORS, WANT, END, READY, GO, NO = range(7)
MASK = (1 << 64) - 1


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def checksum(data):
    """hash_bytes() of merge/hash.h, with record.c's start."""
    total = 0x9E3779B97F4A7C15
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        total = fold(total ^ struct.unpack_from("<Q", data, at)[0], 0x5851F42D4C957F2D)
    total = fold(total ^ int.from_bytes(data[whole:], "little"), 0x5851F42D4C957F2D)
    return fold(total ^ len(data), 0x5851F42D4C957F2D)


def receive_record(connection):
    """Returns the bytes, and the descriptors."""
    message, files, _, _ = socket.recv_fds(connection, 16, 253)
    kind, count = struct.unpack("<QQ", message)
    assert kind == RECORD and len(files) == 1, (kind, files)
    fds = []
    while len(fds) < count:
        fds += socket.recv_fds(connection, 16, 253)[1]
    data = os.pread(files[0], os.fstat(files[0]).st_size, 0)
    assert checksum(data[:-8]) == struct.unpack("<Q", data[-8:])[0]
    return data, fds, files[0]


def send_record(connection, data, fds):
    file = os.memfd_create("record", os.MFD_ALLOW_SEALING)
    os.write(file, data)
    fcntl.fcntl(file, 1033, 1 | 2 | 4 | 8)
    socket.send_fds(connection, [struct.pack("<QQ", RECORD, len(fds))], [file])
    socket.send_fds(connection, [struct.pack("<QQ", DESCRIPTORS, len(fds))], fds)
    for fd in [file, *fds]:
        os.close(fd)


def make_foreign(stored):
    """Returns a socket with the messages of `stored`, in which the format of the state is another."""
    ours, ret = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    data, fds, file = receive_record(stored)
    os.close(file)
    data = data[:24] + struct.pack("<Q", 999) + data[32:-8]
    send_record(ours, data + struct.pack("<Q", checksum(data)), fds)
    data, fds, file = receive_record(stored)
    os.close(file)
    send_record(ours, data, fds)
    return ret


class Manager:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("notify")
        self.socket.settimeout(100)
        self.command = [os.environ["PLYFS"], "mount", "-f", *sys.argv[2:]]
        self.environment = dict(os.environ, NOTIFY_SOCKET=os.path.abspath("notify"))

    def start(self):
        self.first = subprocess.Popen(self.command, env=self.environment)
        assert self.socket.recv(100) == b"READY=1"
        print("ready", self.first.pid, flush=True)

    def keep(self):
        """Has plyfs end. Returns the socket with its state."""
        self.first.send_signal(signal.SIGUSR1)
        text, stored, _, _ = socket.recv_fds(self.socket, 100, 1)
        assert text.startswith(b"FDSTORE=1"), text
        text, barrier, _, _ = socket.recv_fds(self.socket, 100, 1)
        assert text == b"BARRIER=1", text
        os.close(barrier[0])
        assert self.first.wait() == 0
        return socket.socket(fileno=stored[0])

    def start_again(self, connection):
        def pass_socket():
            os.environ["LISTEN_PID"] = str(os.getpid())
            os.dup2(connection.fileno(), 3)

        os.environ.update(self.environment, LISTEN_FDS="1", LISTEN_FDNAMES="mount")
        second = subprocess.Popen(self.command, preexec_fn=pass_socket, close_fds=False)
        connection.close()
        assert self.socket.recv(100).startswith(b"FDSTOREREMOVE=1")
        assert self.socket.recv(100) == b"READY=1"
        print(second.pid, flush=True)
        return second.wait()


def play_older(manager):
    """Offers the mount until a new daemon wants it."""
    beneath = os.open("mnt", os.O_PATH)
    manager.start()
    device = os.stat("mnt").st_dev
    place = f"/run/plyfs/{os.major(device)}:{os.minor(device)}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(place)
    listener.listen()
    print("listens", flush=True)
    wanted = b""
    while not wanted:
        daemon, _ = listener.accept()
        offered = 999 if os.path.exists("foreign") else 5
        offer = b"plyfs\0\0\0" + struct.pack("<QQQQQ", 1, 24, offered, os.getpid(), 1)
        send_record(daemon, offer + struct.pack("<Q", checksum(offer)), [os.dup(beneath)])
        try:
            wanted = daemon.recv(16)
        except ConnectionResetError:  # it ended without a word
            continue
    assert struct.unpack("<QQ", wanted)[0] == WANT
    os.close(beneath)
    stored = manager.keep()
    for fd in receive_record(stored)[1]:
        os.close(fd)
    data, fds, file = receive_record(stored)
    os.close(file)
    send_record(daemon, data, fds)
    assert struct.unpack("<QQ", daemon.recv(16))[0] == READY
    daemon.send(struct.pack("<QQ", GO, 0))
    os.unlink(place)


def main():
    manager = Manager()
    if sys.argv[1] == "older":
        play_older(manager)
        return 0
    manager.start()
    sys.stdin.readline()
    return manager.start_again(make_foreign(manager.keep()))


sys.exit(main())
