"""The native fingerprint equals the readable specification, whatever the memory looks like."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samebits.core import _native
from samebits.core.fingerprint import isa, reference
from samebits.errors import UsageError

ISAS = isa.available()
LENGTHS = [0, 1, 3, 4, 7, 8, 9, 63, 64, 65, 255, 256, 257, 504, 511, 512, 513, 519, 520, 1000, 1024]
BLOCK = 8192


def random_bytes(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


def native_sum(content: np.ndarray, *, first_block: int = 0, threads: int = 1) -> int:
    return _native.sum_words(content.ctypes.data, content.nbytes, first_block, threads)


def native_of(array: np.ndarray, code: int) -> int:
    strides = [stride // array.itemsize for stride in array.strides]
    return _native.fingerprint_view(array.ctypes.data, array.itemsize, array.shape, strides, code)


def expected(array: np.ndarray, code: int) -> int:
    return reference.fingerprint(array.tobytes(), code, array.shape)


@pytest.mark.parametrize("name", ISAS)
@pytest.mark.parametrize("length", [*LENGTHS, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3000])
def test_every_build_sums_as_the_reference(name: str, length: int) -> None:
    content = random_bytes(length, seed=length)
    with isa.using(name):
        assert native_sum(content) == reference.sum_words(content.tobytes())


@settings(max_examples=200, deadline=None)
@given(
    length=st.integers(0, 3 * BLOCK),
    offset=st.integers(0, 64),
    name=st.sampled_from(ISAS),
    seed=st.integers(0, 3),
)
@example(length=BLOCK, offset=1, name=ISAS[0], seed=0)
def test_the_address_does_not_matter(length: int, offset: int, name: str, seed: int) -> None:
    content = random_bytes(length, seed)
    moved = np.empty(length + offset, dtype=np.uint8)[offset:]
    moved[:] = content
    with isa.using(name):
        assert native_sum(moved) == reference.sum_words(content.tobytes())


@pytest.mark.parametrize("name", ISAS)
def test_what_follows_the_end_does_not_count(name: str) -> None:
    content = random_bytes(600)
    with isa.using(name):
        for length in range(520):
            before = native_sum(content[:length])
            content[length:] ^= 0xFF
            assert native_sum(content[:length]) == before


GUARDED = """
import ctypes, mmap, sys
from samebits.core import _native
from samebits.core.fingerprint import isa

page = mmap.PAGESIZE
memory = mmap.mmap(-1, 4 * page)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.mprotect(ctypes.c_void_p(address + 3 * page), page, 0) == 0
for name in isa.available():
    _native.set_isa(name)
    for length in (*range(1, 1100), 8192, 8191, 12288):
        _native.sum_words(address + 3 * page - length, length)
print("read")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect")
def test_the_next_page_may_be_unreadable() -> None:
    # In a process of its own, which a read too far would end.
    run = subprocess.run(
        [sys.executable, "-c", GUARDED], capture_output=True, text=True, timeout=120
    )
    assert (run.returncode, run.stdout) == (0, "read\n"), run.stderr


@settings(max_examples=50, deadline=None)
@given(cut=st.integers(0, 5), length=st.integers(0, 6 * BLOCK))
def test_sums_of_pieces_add_up(cut: int, length: int) -> None:
    content = random_bytes(length)
    first = min(cut * BLOCK, length // BLOCK * BLOCK)
    pieces = native_sum(content[:first]) + native_sum(content[first:], first_block=first // BLOCK)
    assert pieces % 2**64 == native_sum(content)


@st.composite
def strided_arrays(draw: st.DrawFn) -> np.ndarray:
    """Views with transposed, sliced, reversed, expanded and single dimensions, any itemsize."""
    dtype = draw(st.sampled_from(["u1", "u2", "f4", "f8", "c16"]))
    shape = draw(st.lists(st.integers(0, 9), max_size=4))
    whole = [max(size, 1) * draw(st.integers(1, 3)) for size in shape]
    size = int(np.prod(whole, dtype=int)) * np.dtype(dtype).itemsize
    array = random_bytes(size).view(dtype).reshape(whole)
    for axis, length in enumerate(shape):
        step = draw(st.sampled_from([1, 2, -1, -2]))
        part = array[(slice(None),) * axis + (slice(None, None, step),)]
        array = part[(slice(None),) * axis + (slice(0, length),)]
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    if draw(st.booleans()):
        axis = draw(st.integers(0, array.ndim))
        array = np.expand_dims(array, axis)
        repeated = (*array.shape[:axis], draw(st.integers(0, 5)), *array.shape[axis + 1 :])
        array = np.broadcast_to(array, repeated)
    return array


@settings(max_examples=400, deadline=None)
@given(array=strided_arrays(), code=st.integers(1, 255), name=st.sampled_from(ISAS))
def test_strided_views_count_as_their_values(array: np.ndarray, code: int, name: str) -> None:
    with isa.using(name):
        assert native_of(array, code) == expected(array, code)


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "c16"])
@pytest.mark.parametrize(("rows", "columns"), [(33, 100), (200, 65), (7, 5000), (1000, 3)])
def test_large_strided_views(dtype: str, rows: int, columns: int) -> None:
    base = random_bytes(2 * rows * columns * np.dtype(dtype).itemsize).view(dtype)
    base = base.reshape(2, rows, columns)
    for view in (base.transpose(0, 2, 1), base.transpose(2, 1, 0), base[:, ::2, ::-1], base[:, 1:]):
        assert native_of(view, 12) == expected(view, 12)


def test_channels_last() -> None:
    images = random_bytes(3 * 17 * 19 * 6 * 4).view("f4").reshape(3, 17, 19, 6)
    view = images.transpose(0, 3, 1, 2)
    assert native_of(view, 12) == expected(view, 12)


def test_several_views_in_one_call() -> None:
    arrays = [random_bytes(24).view("f4"), random_bytes(64, 1).view("f8").reshape(2, 4).T]
    views = [
        (a.ctypes.data, a.itemsize, a.shape, [s // a.itemsize for s in a.strides], 12)
        for a in arrays
    ]
    assert _native.fingerprint_views(views) == [expected(a, 12) for a in arrays]
    assert _native.fingerprint_views([]) == []


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 4, [3], None, 12),
        (8, 3, [3], None, 12),
        (8, 0, [0], None, 12),
        (8, 4, [-1], None, 12),
        (8, 4, [2, 2], [1], 12),
    ],
)
def test_descriptions_that_cannot_be_read_are_refused(arguments: tuple) -> None:
    with pytest.raises(ValueError, match=r"itemsize|strides|size|address"):
        _native.fingerprint_view(*arguments)


def test_no_elements_need_no_memory() -> None:
    assert _native.fingerprint_view(0, 4, [0, 3], None, 12) == reference.fingerprint(
        b"", 12, [0, 3]
    )


THREADED = """
import os
import numpy as np
import torch
from samebits.core import _native

content = np.arange(1 << 20, dtype=np.int32)
address, size = content.ctypes.data, content.nbytes
serial = _native.sum_words(address, size)
torch.ones(1 << 20).sum()
assert all(_native.sum_words(address, size, 0, n) == serial for n in (2, 3, 8))
odd = _native.sum_words(address, size - 4097)
assert _native.sum_words(address, size - 4097, 0, 2) == odd

child = os.fork()
if child == 0:
    os._exit(0 if _native.sum_words(address, size, 0, 4) == serial else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("same")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_threads_and_forked_children_give_the_same_sum() -> None:
    # In a process of its own: a fork must not meet the test runner's threads.
    run = subprocess.run(
        [sys.executable, "-c", THREADED], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "same\n"


FEWER = """
import os
import torch
from samebits.core import _native

torch.set_num_threads(1)
memory = torch.ones(1 << 20)
before = len(os.listdir("/proc/self/task"))
sums = {_native.sum_words(memory.data_ptr(), memory.nbytes, threads=n) for n in (1, 4)}
assert len(sums) == 1
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_no_more_threads_are_used_than_torch_may_use_by_now() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    command = [sys.executable, "-c", FEWER]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "0\n"


def test_the_environment_chooses_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    with isa.using(_native.isa()):
        monkeypatch.setenv(isa.VARIABLE, "plain")
        isa.apply_environment()
        assert _native.isa() == "plain"
        monkeypatch.setenv(isa.VARIABLE, "sse9")
        choices = "avx512, avx2, neon, plain"
        with pytest.raises(UsageError, match=rf"SAMEBITS_ISA.*'sse9'(?s:.*){choices}"):
            isa.apply_environment()


def test_a_build_that_cannot_run_here_is_refused() -> None:
    absent = [name for name in isa.NAMES if name not in ISAS]
    assert "plain" in ISAS
    for name in absent:
        with pytest.raises(UsageError, match="not available"):
            isa.choose(name)
    assert not _native.set_isa("unknown")
