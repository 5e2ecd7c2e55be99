"""Where a class stores an attribute."""

from __future__ import annotations

import pytest

from samebits.core.source.attributes import line_that_stores, reads_at_its_position, writes_into

SOURCE = """\
class Pings:
    def __init__(self, path):
        self.stream = open(path)
        self.count: int = 3
        self.other = self.again = 1

    def reset(self):
        self.again = 2


class Others:
    def __init__(self):
        self.stream = None
"""


@pytest.mark.parametrize(
    ("kind", "attribute", "line"),
    [
        ("Pings", "stream", 3),
        ("Pings", "count", 4),
        ("Pings", "other", 5),
        ("Pings", "again", None),
        ("Pings", "missing", None),
        ("Others", "stream", 13),
        ("Nobody", "stream", None),
    ],
)
def test_the_one_line_is_found(tmp_path, kind, attribute, line):
    file = tmp_path / "pings.py"
    file.write_text(SOURCE)
    assert line_that_stores(str(file), kind, attribute) == line


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("return self.stream.read(4)", True),
        ("self.stream.seek(8)", True),
        ("return np.fromfile(self.stream, count=3)", True),
        ("return [line for line in self.stream]", True),
        ("return os.pread(self.stream.fileno(), 4, 8)", False),
        ("return self.other.read(4)", False),
        ("return self.stream", False),
    ],
)
def test_what_goes_by_the_position_of_a_file(tmp_path, line, reads):
    file = tmp_path / "pings.py"
    made = "self.stream = open(p); self.n = self.stream.seek(0, 2)"
    made = f"    def __init__(self):\n        {made}\n"
    file.write_text(f"class Pings:\n{made}    def __getitem__(self, i):\n        {line}\n")
    assert reads_at_its_position(str(file), "Pings", "stream") == reads
    assert not reads_at_its_position(str(file), "Others", "stream")


@pytest.mark.parametrize(
    ("lines", "writes"),
    [
        ("self.trace[i] = 0", True),
        ("self.trace[i] += 1", True),
        ("part = np.asarray(self.trace[i]); part -= part.mean()", True),
        ("part = self.trace[i]; part[:] = 0", True),
        ("self.trace.fill(0)", True),
        ("part = self.trace[i]; part = part - part.mean()", False),
        ("part = np.array(self.trace[i]); part -= part.mean()", False),
        ("part = self.trace[i].copy(); part -= part.mean()", False),
        ("part = torch.from_numpy(self.trace[i]).view(-1); part += 1", True),
        ("return self.trace[i]", False),
        ("self.other[i] = 0", False),
    ],
)
def test_what_changes_an_array_that_is_held(tmp_path, lines, writes):
    file = tmp_path / "trace.py"
    file.write_text(f"class Windows:\n    def __getitem__(self, i):\n        {lines}\n")
    assert writes_into(str(file), "Windows", "trace") == writes
