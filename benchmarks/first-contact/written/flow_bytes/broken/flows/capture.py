"""Made-up flows: length-prefixed records of (application, payload)."""
import random
import struct

APPS = {
    "web": (b"GET /", b"POST /", b"HTTP/1.1 200 OK\r\n"),
    "mail": (b"EHLO ", b"MAIL FROM:<", b"250 2.1.0 "),
    "shell": (b"SSH-2.0-", b"\x00\x00\x05\xdc\x07\x14"),
    "tls": (b"\x16\x03\x01\x02\x00\x01", b"\x17\x03\x03\x00"),
    "dns": (b"\x81\x80\x00\x01\x00\x01", b"\x01\x00\x00\x01\x00\x00"),
}
HEAD = struct.Struct("!BH")


def write_capture(out, count, seed):
    rng = random.Random(seed)
    names = list(APPS)
    for _ in range(count):
        app = rng.randrange(len(names))
        greeting = rng.choice(APPS[names[app]])
        if rng.random() < 0.25:
            greeting = bytes(b if rng.random() < 0.4 else rng.randrange(256) for b in greeting)
        noise = rng.randbytes(rng.randint(2, 14)) if app > 1 else \
            bytes(rng.randrange(32, 127) for _ in range(rng.randint(2, 70)))
        body = rng.randbytes(rng.randrange(3)) + greeting + noise
        out.write(HEAD.pack(app, len(body)) + body)


def read_capture(path):
    flows = []
    with open(path, "rb") as f:
        while head := f.read(HEAD.size):
            app, size = HEAD.unpack(head)
            flows.append((app, f.read(size)))
    return flows
