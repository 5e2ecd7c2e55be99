"""A recorded process keeps the memory that it frees, unless a variable says otherwise."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc's allocator can be told"
)

FAULTS_OF_LATER_ROUNDS = """
import resource
from samebits.core import _native

def step():
    pieces = [bytearray(b"x") * (4 << 20) for _ in range(16)]

kept = _native.keep_freed_memory() if {keep} else False
for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    step()
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(keep: bool, **variables: str) -> tuple[int, int]:
    """Whether memory is kept, and page faults of four rounds that use 64 MiB each."""
    others = {name: x for name, x in os.environ.items() if "MALLOC" not in name}
    ran = subprocess.run(
        [sys.executable, "-c", FAULTS_OF_LATER_ROUNDS.format(keep=keep)],
        env={**others, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    kept, count = ran.stdout.split()
    return int(kept), int(count)


def test_freed_memory_is_used_again_without_asking_the_system():
    kept, count = faults(keep=True)
    assert kept
    assert count < 4000  # 64 MiB are 16,384 pages
    assert faults(keep=False)[1] > 4 * 8000


@pytest.mark.parametrize(
    "variable", ["MALLOC_TRIM_THRESHOLD_=1", "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=65536"]
)
def test_what_somebody_set_is_left_alone(variable):
    name, _, setting = variable.partition("=")
    assert faults(keep=True, **{name: setting})[0] == 0
