"""Lines that read what has arrived so far."""

from __future__ import annotations

import pytest

from samebits.core.source.short_reads import lines_of_short_reads

UNBUFFERED = "self.p = Popen(command, stdout=PIPE, bufsize=0)\n"
LOOP = "while True:\n    raw = link.recv(1024)\n    "


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (UNBUFFERED + "raw = self.p.stdout.read(self.size)\n", (2,)),
        ("raw = link.recv(1024)\n", (1,)),
        ("raw = os.read(fd, 64)\n", (1,)),
        ("raw = stream.read1(64)\n", (1,)),
        (LOOP + "count += len(raw)\n", (2,)),
        # As much as is asked for, or everything.
        ("self.p = Popen(command, stdout=PIPE)\nraw = self.p.stdout.read(64)\n", ()),
        (UNBUFFERED + "raw = self.p.stdout.read()\n", ()),
        (UNBUFFERED + "raw = file.read(64)\n", ()),
        ("raw = link.recv(1024, socket.MSG_WAITALL)\n", ()),
        ("answer = pipe.recv()\n", ()),
        # Put together until it is enough.
        (LOOP + "parts.append(raw)\n", ()),
        (LOOP + "whole += raw\n", ()),
        ("while len(x) < n:\n    x += link.recv(1024)\n", ()),
        ("while x:\n    part = link.recv(n - len(x))\n", ()),
    ],
)
def test_what_may_come_short_is_found(tmp_path, source, lines):
    file = tmp_path / "feed.py"
    file.write_text(source)
    assert lines_of_short_reads(str(file)) == lines
