"""Lines that sort blocks of shared memory by names that the system has drawn."""

from __future__ import annotations

import pytest

from samebits.core.source.named_blocks import sorts_blocks_by_name

ONE = "block = SharedMemory(create=True, size=8)\n"
ALL = "blocks = [shared_memory.SharedMemory(create=True, size=8) for _ in tiles]\n"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"{ONE}blocks[block.name] = block\nfor n in sorted(blocks):\n    use(n)\n", 3),
        (f"{ONE}self.blocks[block.name] = block\nfirst = min(self.blocks.items())\n", 3),
        (f"{ONE}names.append(block.name)\nnames.sort()\n", 3),
        (f"{ONE}blocks.append(block)\nx = sorted(blocks, key=lambda b: b.name)\n", 3),
        (f"{ALL}names = [b.name for b in blocks]\nx = [f(n) for n in sorted(names)]\n", 3),
        (f"{ALL}by_name = {{b.name: b for b in blocks}}\nx = sorted(by_name.keys())\n", 3),
        (
            f"for n in range(3):\n    {ONE}    blocks.append(block)\n"
            "names = [b.name for b in blocks]\nnames.sort()\n",
            5,
        ),
        (f"{ALL}x = sorted(b.name for b in blocks)\n", 2),
        (f"{ALL}blocks.sort(key=attrgetter('name'))\n", 2),
        ("block = SharedMemory(None, True, 8)\nnames.add(block.name)\nx = sorted(names)\n", 3),
    ],
)
def test_the_line_is_found_that_sorts_their_names(tmp_path, source, line):
    script = tmp_path / "tiles.py"
    script.write_text(source)
    assert sorts_blocks_by_name(str(script)) == line


@pytest.mark.parametrize(
    "source",
    [
        f"{ONE}blocks[block.name] = block\nfor n in blocks:\n    use(n)\n",
        f"{ONE}blocks[block.name] = block\nfor n in sorted(blocks):\n    blocks[n].close()\n",
        f"{ONE}blocks[block.name] = block\nx = sorted(others)\n",
        f"{ONE}paths = sorted(folder.iterdir(), key=lambda p: p.name)\n",
        f"{ONE}x = sorted(path.name for path in paths)\n",
        f"{ALL}x = sorted(blocks, key=lambda b: b.size)\n",
        "block = SharedMemory(name='tile', create=True)\nn.append(block.name)\nx = sorted(n)\n",
        "block = SharedMemory('tile', True, 8)\nnames.append(block.name)\nx = sorted(names)\n",
        "def f():\n    " + ALL + "    names = [b.name for b in blocks]\n"
        "def g(names):\n    return sorted(names)\n",
        "x = sorted(path.name for path in paths)\n",
        "def broken(",
    ],
    ids=[
        *("not sorted", "closed alone", "others", "files", "files' names", "by size"),
        *("named", "named by position", "another function", "no block", "broken"),
    ],
)
def test_nothing_else_is_taken_for_that(tmp_path, source):
    script = tmp_path / "tiles.py"
    script.write_text(source)
    assert sorts_blocks_by_name(str(script)) is None


def test_a_file_that_is_not_there_sorts_none(tmp_path):
    assert sorts_blocks_by_name(str(tmp_path / "none.py")) is None
    assert sorts_blocks_by_name(None) is None
