"""Times of files: another reading of the clock, pinned with it."""

# ruff: noqa: PTH116
from __future__ import annotations

import os

from samebits.core.interposition.file_times import FileTimes

_ASKS = """
import os
from pathlib import Path
for name in ("b", "a", "c"):
    Path(name).write_text(name)
    os.utime(name, ns=(SEED + ord(name) * 10**9, SEED + ord(name) * 10**9))
print(sorted("abc", key=os.path.getmtime))
print(int(os.path.getmtime("a") * 1000), os.stat("b").st_mtime_ns, Path("c").stat().st_mtime)
print(os.stat("a").st_size, os.stat in os.supports_fd)
"""


def test_times_of_files_are_the_same_and_keep_their_order(run, tmp_path):
    def asked(seed, *hooks):
        return run(_ASKS.replace("SEED", str(seed)), {name: {} for name in hooks})

    held = asked(10**18, "clock")
    assert held == asked(10**18 + 12_345_678_901, "clock")
    assert held[0] == "['a', 'b', 'c']"
    assert held[2] == "1 True"
    assert asked(10**18) != asked(10**18 + 12_345_678_901)


_PACKS = """
import hashlib, io, os, shutil, tarfile
os.makedirs("packed", exist_ok=True)
open("packed/a", "w").close()
os.utime("packed/a", ns=(SEED, SEED))
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w") as archive:
    archive.add("packed/a")
print(hashlib.sha256(buffer.getvalue()).hexdigest())
made = shutil.make_archive("whole", "zip", "packed")
print(hashlib.sha256(open(made, "rb").read()).hexdigest())
"""


def test_archives_hold_the_times_of_files(run):
    packed = [
        run(_PACKS.replace("SEED", str(seed)), hooks)
        for seed in (10**18, 10**18 + 98_345_678_901)
        for hooks in ({"clock": {}}, {})
    ]
    assert packed[0] == packed[2]
    assert packed[1] != packed[3]


def test_whoever_does_not_speak_of_times_sees_the_real_ones(run):
    (line,) = run(
        """
        import os
        open("a", "w").close()
        found = os.stat("a")
        print(getattr(found, "st_" + "mtime") > 1_710_000_000)
        """,
        {"clock": {}},
    )
    assert line == "True"


def test_a_made_up_time_is_later_where_the_real_one_is():
    times = FileTimes(1000)
    asked = [50, 10, 90, 30, 50, 70, 20]
    given = [times.of(real) for real in asked]
    assert [g for _, g in sorted(zip(asked, given, strict=True))] == sorted(given)
    assert given[0] == given[4]


def test_all_else_that_the_system_says_stays(tmp_path):
    (tmp_path / "a").write_text("text")
    found = os.stat(tmp_path / "a")
    held = FileTimes(10**18).held(found)
    assert held[:7] == found[:7]
    assert (held.st_size, held.st_blocks) == (found.st_size, found.st_blocks)
    assert held.st_mtime_ns == int(held.st_mtime * 10**9) or held.st_mtime_ns > 0
