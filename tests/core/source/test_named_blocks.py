"""Lines that sort blocks of shared memory by names that the system has drawn."""

from __future__ import annotations

import pytest

from samebits.core.source.named_blocks import sorts_blocks_by_name

MADE = "block = SharedMemory(create=True, size=8)\n"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"{MADE}blocks[block.name] = block\nfor n in sorted(blocks):\n    pass\n", 3),
        (f"{MADE}self.blocks[block.name] = block\nfirst = min(self.blocks.items())\n", 3),
        (f"{MADE}names.append(block.name)\nnames.sort()\n", 3),
        (f"{MADE}names = [b.name for b in blocks]\nx = [f(n) for n in sorted(names)]\n", 3),
        (f"{MADE}by_name = {{b.name: b for b in blocks}}\nx = sorted(by_name.keys())\n", 3),
        (f"{MADE}x = sorted(b.name for b in blocks)\n", 2),
        (f"{MADE}x = sorted(blocks, key=lambda b: b.name)\n", 2),
        (f"{MADE}blocks.sort(key=attrgetter('name'))\n", 2),
        (f"{MADE}blocks[block.name] = block\nfor n in blocks:\n    pass\n", None),
        (f"{MADE}blocks[block.name] = block\nx = sorted(others)\n", None),
        (f"{MADE}x = sorted(blocks, key=lambda b: b.size)\n", None),
        (
            "block = SharedMemory(name='tile', create=True)\nx = sorted(b.name for b in blocks)\n",
            None,
        ),
        ("x = sorted(path.name for path in paths)\n", None),
        ("def broken(", None),
    ],
)
def test_the_line_is_found_that_sorts_their_names(tmp_path, source, line):
    script = tmp_path / "tiles.py"
    script.write_text(source)
    assert sorts_blocks_by_name(str(script)) == line


def test_a_file_that_is_not_there_sorts_none(tmp_path):
    assert sorts_blocks_by_name(str(tmp_path / "none.py")) is None
    assert sorts_blocks_by_name(None) is None
