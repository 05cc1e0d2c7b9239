#!/usr/bin/env python3
"""A new daemon that misbehaves: plyfs hands the mount over to this script, by the protocol of fs/handover/handover.c.

    new_daemon.py PLYFS_SOCKET vanish      asks for the mount, gets the state, and ends
    new_daemon.py PLYFS_SOCKET refuse      answers that it can't take it
    new_daemon.py PLYFS_SOCKET silent      gets the state, and is silent until plyfs no longer waits
    new_daemon.py PLYFS_SOCKET ask         only gets an offer, and prints its words
    new_daemon.py PLYFS_SOCKET foreign     stands between plyfs and a real new daemon, and changes the format of the state
    new_daemon.py PLYFS_SOCKET alone       stands there, and when the new daemon is ready, takes care that it gets no
                                     descriptor any more
    new_daemon.py PLYFS_SOCKET late        stands there, too: plyfs no longer waits for a new daemon that has got everything
"""
import fcntl
import os
import resource
import socket
import struct
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


def connect(path):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(20)
    connection.connect(path)
    return connection


def receive_record(connection):
    """Returns the bytes, and the descriptors."""
    message, files, _, _ = socket.recv_fds(connection, 16, 253)
    kind, count = struct.unpack("<QQ", message)
    assert kind == RECORD and len(files) == 1, (kind, files)
    fds = []
    while len(fds) < count:
        fds += socket.recv_fds(connection, 16, 253)[1]
    return os.pread(files[0], os.fstat(files[0]).st_size, 0), fds


def send_record(connection, data, fds):
    file = os.memfd_create("record", os.MFD_ALLOW_SEALING)
    os.write(file, data)
    fcntl.fcntl(file, 1033, 1 | 2 | 4 | 8)
    socket.send_fds(connection, [struct.pack("<QQ", RECORD, len(fds))], [file])
    socket.send_fds(connection, [struct.pack("<QQ", DESCRIPTORS, len(fds))], fds)


def tell(connection, kind):
    connection.send(struct.pack("<QQ", kind, 0))


def stand_between(path):
    """Returns the connections to plyfs and its heir, and what plyfs offers."""
    os.rename(path, path + ".real")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    heir, _ = listener.accept()
    plyfs = connect(path + ".real")
    os.rename(path + ".real", path)
    return plyfs, heir, *receive_record(plyfs)


def pass_on(heir, data, fds):
    send_record(heir, data, fds)
    for fd in fds:
        os.close(fd)


def make_foreign(path):
    """Passes the real new daemon's messages to plyfs, until one of them ends."""
    plyfs, heir, data, fds = stand_between(path)
    data = data[:24] + struct.pack("<Q", 999) + data[32:-8]
    pass_on(heir, data + struct.pack("<Q", checksum(data)), fds)
    plyfs.send(heir.recv(16))
    assert plyfs.recv(16) == b""
    heir.close()


def be_late(path):
    plyfs, heir, data, fds = stand_between(path)
    pass_on(heir, data, fds)
    plyfs.send(heir.recv(16))
    pass_on(heir, *receive_record(plyfs))
    tell(heir, NO)
    heir.close()
    tell(plyfs, NO)
    assert struct.unpack("<QQ", plyfs.recv(16))[0] == NO


def leave_alone(path):
    plyfs, heir, data, fds = stand_between(path)
    pass_on(heir, data, fds)
    plyfs.send(heir.recv(16))
    pass_on(heir, *receive_record(plyfs))
    ready = heir.recv(16)
    pid = struct.unpack("3i", heir.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))
    plyfs.send(ready)
    heir.send(plyfs.recv(16))


def main():
    path, what = sys.argv[1:]
    if what == "alone":
        leave_alone(path)
        return
    if what in ("foreign", "late"):
        (make_foreign if what == "foreign" else be_late)(path)
        return
    connection = connect(path)
    data, _ = receive_record(connection)
    assert checksum(data[:-8]) == struct.unpack("<Q", data[-8:])[0]
    if what == "ask":
        print(data)
        return
    tell(connection, WANT)
    receive_record(connection)
    if what == "silent":
        print("given", flush=True)
        assert struct.unpack("<QQ", connection.recv(16))[0] == NO
    if what == "refuse":
        tell(connection, NO)
        assert struct.unpack("<QQ", connection.recv(16))[0] == NO


main()
