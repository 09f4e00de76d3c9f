"""ws_client - a WebSocket client in plain Python, for tests: it can also be rude."""
import base64
import hashlib
import json
import os
import socket
import struct


class WS:
    def __init__(self, addr, path, headers=()):
        host, port = addr.rsplit(":", 1)
        self.s = socket.create_connection((host, int(port)))
        self.s.settimeout(20)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", "Host: h", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", *headers]
        self.s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            got = self.s.recv(65536)
            if not got:
                break
            self.data += got
        self.head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.status = int(self.head.split()[1])
        want = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert self.status != 101 or want in self.head, self.head

    def send(self, data, opcode=None):
        if isinstance(data, str):
            data, opcode = data.encode(), opcode or 1
        n = len(data)
        size = bytes([n | 128]) if n < 126 else b"\xfe" + struct.pack(">H", n) if n < 65536 else b"\xff" + struct.pack(">Q", n)
        mask = os.urandom(4)
        self.s.sendall(bytes([128 | (opcode or 2)]) + size + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def json(self, **what):
        self.send(json.dumps(what))

    def read(self, n):
        while len(self.data) < n:
            got = self.s.recv(65536)
            if not got:
                raise EOFError
            self.data += got
        out, self.data = self.data[:n], self.data[n:]
        return out

    def message(self):
        """(opcode, data)"""
        op, size = self.read(2)
        if size == 126:
            size, = struct.unpack(">H", self.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.read(8))
        return op & 15, self.read(size)

    def until(self, text):
        seen = b""
        while text.encode() not in seen:
            op, data = self.message()
            assert op != 8, (data, seen)
            seen += data
        return seen.decode(errors="replace")

    def closed(self):
        """the code that it is closed with"""
        while True:
            op, data = self.message()
            if op == 8:
                return struct.unpack(">H", data[:2])[0]
