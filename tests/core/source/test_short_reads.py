"""Lines that read what has arrived so far."""

from __future__ import annotations

import pytest

from samebits.core.source.short_reads import lines_of_short_reads

UNBUFFERED = "self.p = Popen(command, stdout=PIPE, bufsize=0)\n"
SOCKET = "link = socket.create_connection(address)\n"
PIPE = "import os\nfd, other = os.pipe()\n"
LOOP = SOCKET + "while True:\n    raw = link.recv(1024)\n    "


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (UNBUFFERED + "raw = self.p.stdout.read(self.size)\n", (2,)),
        (SOCKET + "raw = link.recv(1024)\n", (2,)),
        ("with socket.socket() as link:\n    raw = link.recv(1024)\n", (2,)),
        ("link, peer = server.accept()\nraw = link.recv(size)\n", (2,)),
        (PIPE + "raw = os.read(fd, 64)\n", (3,)),
        (LOOP + "count += len(raw)\n", (3,)),
        # As much as is asked for, or everything.
        ("self.p = Popen(command, stdout=PIPE)\nraw = self.p.stdout.read(64)\n", ()),
        (UNBUFFERED + "raw = self.p.stdout.read()\n", ()),
        (UNBUFFERED + "raw = file.read(64)\n", ()),
        (SOCKET + "raw = link.recv(1024, socket.MSG_WAITALL)\n", ()),
        (SOCKET + "raw = link.recv(1)\n", ()),
        ("answer = pipe.recv()\n", ()),
        # Other things are called so.
        ("dist.recv(tensor)\nx = dist.recv(tensor, src=1)\n", ()),
        ("x = comm.recv(0)\n", ()),
        ("link = context.socket(zmq.SUB)\nraw = link.recv(zmq.NOBLOCK)\n", ()),
        ("import os\nfd = os.open(path, os.O_RDONLY)\nraw = os.read(fd, 64)\n", ()),
        ("link = socket.socket(type=socket.SOCK_DGRAM)\nraw = link.recv(1024)\n", ()),
        # Put together until it is enough.
        (LOOP + "parts.append(raw)\n", ()),
        (LOOP + "parts += [raw]\n", ()),
        (LOOP + "whole += raw\n", ()),
        (LOOP + "whole = whole + raw\n", ()),
        (LOOP + "digest.update(raw)\n", ()),
        (SOCKET + "while raw := link.recv(1024):\n    parts.append(raw)\n", ()),
        (SOCKET + "while len(x) < n:\n    x += link.recv(1024)\n", ()),
        (SOCKET + "while x:\n    part = link.recv(n - len(x))\n", ()),
    ],
)
def test_what_may_come_short_is_found(tmp_path, source, lines):
    file = tmp_path / "feed.py"
    file.write_text(source)
    assert lines_of_short_reads(str(file)) == lines
