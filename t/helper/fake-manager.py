#!/usr/bin/python3
"""A service manager that speaks just enough D-Bus for one StartTransientUnit, or answers with something hostile.

usage: fake-manager.py SOCKET RECORD MODE [UID]

Listens at SOCKET, serves connections one after the other, appends a line of JSON for each call to RECORD. MODE:
good, or the name of a way to be bad (see `bad`). UID: listens as that user. A strict reader: what it cannot decode is a line {"error": ...}.
"""
import json
import os
import socket
import struct
import sys
import time

JOB = "/org/freedesktop/systemd1/job/1"


class Reader:
    """Unmarshals by signature, with the alignment of the message's start."""

    sizes = {"y": (1, "<B"), "b": (4, "<I"), "u": (4, "<I"), "t": (8, "<Q")}

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def align(self, n):
        while self.at % n:
            if self.data[self.at]:
                raise ValueError("padding is not zero")
            self.at += 1

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def fixed(self, kind):
        size, form = self.sizes[kind]
        self.align(size)
        return struct.unpack(form, self.take(size))[0]

    def text(self, length):
        text = self.take(length + 1)
        if text[-1] or 0 in text[:-1]:
            raise ValueError("not a string")
        return text[:-1].decode()

    def value(self, kind):
        if kind in self.sizes:
            return self.fixed(kind)
        if kind in "so":
            return self.text(self.fixed("u"))
        if kind == "g":
            return self.text(self.fixed("y"))
        if kind == "v":
            return self.value(self.value("g"))
        if kind[0] == "a":
            return self.array(kind[1:])
        if kind[0] == "(":
            self.align(8)
            return [self.value(k) for k in split(kind[1:-1])]
        raise ValueError("type " + kind)

    def array(self, kind):
        length = self.fixed("u")
        self.align(8 if kind[0] in "(t" else 4)
        end, out = self.at + length, []
        while self.at < end:
            out.append(self.value(kind))
        if self.at != end:
            raise ValueError("an array ends within an element")
        return out


def split(signature):
    """The single types of a signature."""
    out, at = [], 0
    while at < len(signature):
        end = at
        while signature[end] == "a":
            end += 1
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(signature[end], 0)
            end += 1
            if depth == 0:
                break
        out.append(signature[at:end])
        at = end
    return out


def pad(data, n):
    return data + bytes(-len(data) % n)


def string(s):
    return struct.pack("<I", len(s)) + s.encode() + b"\0"


def message(kind, fields, body=b""):
    """fields: (code, type, value)."""
    head = b""
    for code, sig, value in fields:
        head = pad(head, 8) + bytes([code, 1]) + sig.encode() + b"\0"
        if sig == "u":
            head = pad(head, 4) + struct.pack("<I", value)
        elif sig == "g":
            head += bytes([len(value)]) + value.encode() + b"\0"
        else:
            head = pad(head, 4) + string(value)
    return pad(struct.pack("<BBBBIII", ord("l"), kind, 0, 1, len(body), 7, len(head)) + head, 8) + body


def reply(serial):
    return message(2, [(5, "u", serial), (8, "g", "o")], string(JOB))


def removed(unit, result="done", job=JOB):
    body = struct.pack("<I", 1) + string(job)
    for s in (unit, result):
        body = pad(body, 4) + string(s)
    return message(4, [(1, "o", "/org/freedesktop/systemd1"), (2, "s", "org.freedesktop.systemd1.Manager"),
                       (3, "s", "JobRemoved"), (8, "g", "uoss")], body)


def other_signal():
    return message(4, [(3, "s", "UnitNew"), (8, "g", "so")], pad(string("x.service"), 4) + string("/x"))


def bad(mode, serial, unit):
    good = reply(serial)
    return {
        "truncated": [good[:-3]],
        "truncated-head": [good[:9]],
        "huge-body": [good[:4] + b"\xff\xff\xff\x7f" + good[8:]],
        "huge-fields": [good[:12] + b"\xff\xff\xff\xff" + good[16:]],
        "huge-string": [good[:-len(string(JOB))] + b"\xff\xff\xff\xff" + good[-len(string(JOB)) + 4:]],
        "huge-signature": [good[:16] + b"\x05\xff" + good[18:]],
        "big-endian": [b"B" + good[1:]],
        "wrong-serial": [reply(serial + 1), removed(unit)],
        "no-job": [removed(unit)],
        "other-job": [good, removed(unit, job=JOB + "2")],
        "failed": [good, removed(unit, "failed\x1b[31m")],
        "refused": [message(3, [(5, "u", serial), (4, "s", "org.freedesktop.DBus.Error.AccessDenied"),
                                (8, "g", "s")], string("Access \x1b[31mdenied"))],
        "twice": [good, good],
        "noise": [os.urandom(4096)],
        "silence": [],
    }[mode]


def read_until(conn, have, done):
    while not done(have):
        data = conn.recv(65536)
        if not data:
            raise ValueError("hung up")
        have += data
    return have


def read_call(conn, have):
    have = read_until(conn, have, lambda b: len(b) >= 16)
    body, serial, fields = struct.unpack("<III", have[4:16])
    start = 16 + (fields + 7) // 8 * 8
    have = read_until(conn, have, lambda b: len(b) >= start + body)
    head = {code: value for code, value in Reader(have[:16 + fields], 12).array("(yv)")}
    reader = Reader(have[start:])
    args = [reader.value(k) for k in split(head[8])]
    if reader.at != body or len(have) != start + body:
        raise ValueError("trailing bytes")
    return serial, head, args


def serve(conn, mode, record):
    have = read_until(conn, b"", lambda b: b"\r\n" in b)
    uid = str(struct.unpack("iII", conn.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
    if have != b"\0AUTH EXTERNAL " + uid.encode().hex().encode() + b"\r\n":
        raise ValueError("handshake: %r" % have)
    if mode == "rejected":
        conn.sendall(b"REJECTED EXTERNAL\r\n")
        return
    if mode == "endless-greeting":
        conn.sendall(b"OK " + b"x" * 100000)
        return
    conn.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
    have = read_until(conn, b"", lambda b: b"\r\n" in b)
    if not have.startswith(b"BEGIN\r\n"):
        raise ValueError("handshake: %r" % have)
    serial, head, args = read_call(conn, have[7:])
    record({"member": head[3], "path": head[1], "interface": head[2], "unit": args[0], "mode": args[1],
            "properties": dict(args[2]), "aux": args[3]})
    if mode != "good":
        for part in bad(mode, serial, args[0]):
            conn.sendall(part)
        if mode in ("silence", "wrong-serial", "no-job", "other-job"):
            conn.recv(1)  # until the client gives up
        return
    whole = other_signal() + reply(serial) + removed("x.scope", job=JOB + "9") + removed(args[0])
    for i in range(0, len(whole), 37):  # cut anywhere
        conn.sendall(whole[i:i + 37])
        time.sleep(0.001)


def main():
    path, record_path, mode = sys.argv[1:4]
    if len(sys.argv) > 4:
        os.setuid(int(sys.argv[4]))

    def record(what):
        with open(record_path, "a") as f:
            f.write(json.dumps(what) + "\n")

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o666)
    listener.listen(8)
    while True:
        conn, _ = listener.accept()
        with conn:
            try:
                serve(conn, mode, record)
            except (ValueError, OSError, KeyError, struct.error) as e:
                record({"error": str(e)})


main()
