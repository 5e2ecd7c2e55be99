"""Fixes that are no seeds keep what the line is for, too: everything listed, walked, awaited."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix
from samebits.check.trials.attribution.walked_sets import WalkedSet

HEAD = """
import asyncio, glob, os, zlib
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool
from pathlib import Path
import numpy as np
import torch
class Block:
    def __init__(self, name):
        self.name = name
def square(x):
    return x * x
names = ["pear", "apple", "fig", "apple", "kiwi"]
blocks = [Block(name) for name in names]
result = []
"""

CASES = {
    "listing": ("file-order", "result = os.listdir('data')"),
    "globbed": ("file-order", "result = [os.path.basename(p) for p in glob.glob('data/*')]"),
    "iterdir": ("file-order", "result = [p.name for p in Path('data').iterdir()]"),
    "scanned": ("file-order", "result = [e.name for e in os.scandir('data')]"),
    "the next of a listing": ("file-order", "result = [next(Path('data').iterdir()).name]"),
    "a listing that is stepped through": (
        "file-order",
        "files = Path('data').iterdir()\nresult = [next(files).name] + [p.name for p in files]",
    ),
    "walked folders": (
        "file-order",
        "for root, dirs, files in os.walk('data'):\n    result += files",
    ),
    "a loop over words": ("hash-order", "for name in set(names):\n    result.append(name)"),
    "a numbering": ("hash-order", "result = [name for _, name in enumerate(set(names))]"),
    "the next of a set": ("hash-order", "result = [next(iter(set(names)))]"),
    "constants that cannot be compared": ("hash-order", "result = list({'a', 1, None, 'b'})"),
    "a bucket": ("hash-order", "result = [hash(name) % 97 for name in names]"),
    "objects": ("address-order", "result = [b.name for b in set(blocks)]"),
    "objects in a loop": ("address-order", "for b in set(blocks):\n    result.append(b.name)"),
    "a literal of objects": (
        "address-order",
        "result = [b.name for b in {blocks[0], blocks[1], blocks[4]}]",
    ),
    "a comprehension of objects": (
        "address-order",
        "result = [b.name for b in {b for b in blocks if b.name != 'fig'}]",
    ),
    "futures": (
        "thread-timing",
        "with ThreadPoolExecutor() as pool:\n"
        "    futures = [pool.submit(square, n) for n in range(9)]\n"
        "    for future in as_completed(futures):\n"
        "        result.append(future.result())",
    ),
    "futures of keys": (
        "thread-timing",
        "with ThreadPoolExecutor() as pool:\n"
        "    futures = {pool.submit(square, n): n for n in range(9)}\n"
        "    for future in as_completed(futures):\n"
        "        result.append((futures[future], future.result()))",
    ),
    "futures in a set": (
        "thread-timing",
        "with ThreadPoolExecutor() as pool:\n"
        "    for future in as_completed({pool.submit(square, n) for n in range(9)}):\n"
        "        result.append(future.result())",
    ),
    "futures as they are made": (
        "thread-timing",
        "with ThreadPoolExecutor() as pool:\n"
        "    for future in as_completed(pool.submit(square, n) for n in range(9)):\n"
        "        result.append(future.result())",
    ),
    "a pool": (
        "thread-timing",
        "with ThreadPool(2) as pool:\n    result = list(pool.imap_unordered(square, range(9)))",
    ),
    "coroutines": (
        "thread-timing",
        "async def one(n):\n    return n\n"
        "async def main():\n"
        "    for c in asyncio.as_completed([one(n) for n in range(5)]):\n"
        "        result.append(await c)\n"
        "asyncio.run(main())",
    ),
    "memory of torch": ("uninitialized-memory", "result = torch.empty(3, 4).tolist()"),
    "memory in a format": (
        "uninitialized-memory",
        "result = torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).tolist()",
    ),
    "pinned memory": ("uninitialized-memory", "result = torch.empty(2, pin_memory=False).tolist()"),
    "memory like another": (
        "uninitialized-memory",
        "result = torch.empty_like(torch.ones(2), memory_format=torch.preserve_format).tolist()",
    ),
    "memory of NumPy": ("uninitialized-memory", "result = np.empty((2, 2), dtype=int).tolist()"),
}


def blamed(line):
    for mark in ("as_completed(", "imap_unordered(", "os.walk(", "iterdir()", "set("):
        for number, text in enumerate(line.splitlines(), 1):
            if mark in text:
                return number
    return 1


def run(program, folder):
    space = {}
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(compile(program, "<pasted>", "exec"), space)
    finally:
        os.chdir(before)
    return space["result"]


def mended(code, line, tmp_path, **place):
    """The program with its fix, which must be code and no sentence."""
    program = HEAD + line + "\n"
    script = tmp_path / "script.py"
    script.write_text(program)
    number = HEAD.count("\n") + blamed(line)
    written = fix(code, Culprit(file=str(script), line=number, **place), frozenset())
    lines = program.splitlines()
    old = lines[number - 1]
    indent = old[: len(old) - len(old.lstrip())]
    kept = [one for one in written.splitlines() if not one.startswith("#")]
    lines[number - 1 : number] = [indent + one for one in kept]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data" / "deep").mkdir(parents=True)
    for name in ("c", "a", "b", "deep/z", "deep/y"):
        (tmp_path / "data" / name).touch()
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_pasted_everything_is_there_and_in_one_order(name, folder):
    code, line = CASES[name]
    program = mended(code, line, folder)
    before, after = run(HEAD + line + "\n", folder), run(program, folder)
    assert after == run(program, folder), program
    assert len(after) == len(before), program
    if name == "a bucket":
        assert len(set(after)) > 1
    elif "next" not in name and code != "uninitialized-memory":
        assert sorted(map(repr, after)) == sorted(map(repr, before)), program
    if code == "file-order":
        top = [one for one in after if one not in ("y", "z")]
        assert top == sorted(top), program


@pytest.mark.parametrize("line", ["w = torch.nn.Parameter(torch.empty(4, 3))"])
def test_weights_that_were_never_filled_do_not_become_zeros(line, tmp_path):
    torch.manual_seed(0)
    program = mended("uninitialized-memory", line, tmp_path) + "result = w.tolist()\n"
    weights = torch.tensor(run(program, tmp_path))
    assert weights.shape == (4, 3)
    assert len(weights.unique()) == 12
    bias = mended("uninitialized-memory", "w = torch.nn.Parameter(torch.empty(3))", tmp_path)
    assert "torch.zeros(3)" in bias


def test_objects_that_a_run_has_met_are_not_sorted(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("order = [x for x in self.things]\n")
    met = WalkedSet(file=str(script), line=1, goes_by="identity", ordered=False)
    told = fix("hash-order", Culprit(file=str(script), line=1, walked=met), frozenset())
    assert "sorted(self.things, key=...)" in told
    assert "dict" in told


def test_what_a_run_has_compared_is_sorted_without_a_warning(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("order = [x for x in self.things]\n")
    met = WalkedSet(file=str(script), line=1, goes_by="string", ordered=True)
    told = fix("hash-order", Culprit(file=str(script), line=1, walked=met), frozenset())
    assert told == "order = [x for x in sorted(self.things)]"
