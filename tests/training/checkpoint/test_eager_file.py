"""Files that are on their way to the disk while they are written."""

import os

import numpy as np
import pytest

from samebits.training.checkpoint import eager_file
from samebits.training.checkpoint.eager_file import EAGER_BYTES, EagerFile


@pytest.fixture
def opened(tmp_path):
    """A file's path and a descriptor to write it with."""
    path = tmp_path / "file"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    yield path, descriptor
    os.close(descriptor)


def written(opened, content: bytes) -> bytes:
    path, descriptor = opened
    file = EagerFile(descriptor)
    for begin in range(0, len(content), 5_000_001):
        file.write(memoryview(content)[begin : begin + 5_000_001])
    file.force()
    return path.read_bytes()


def test_everything_arrives_in_order(opened):
    content = np.random.default_rng(0).bytes(3 * EAGER_BYTES + 17)
    assert written(opened, content) == content


def test_the_disk_is_told_to_begin_with_every_byte_but_the_last_few(opened, monkeypatch):
    told = []
    monkeypatch.setattr(eager_file, "_start", lambda *range_: told.append(range_[1:]))
    written(opened, bytes(3 * EAGER_BYTES))
    assert [begin for begin, _ in told] == [0, *np.cumsum([size for _, size in told[:-1]]).tolist()]
    assert 3 * EAGER_BYTES - sum(size for _, size in told) < EAGER_BYTES


def test_a_system_that_cannot_begin_early_writes_all_the_same(opened, monkeypatch):
    monkeypatch.setattr(eager_file, "_sync_file_range", lambda: None)
    assert written(opened, bytes(EAGER_BYTES) + b"end") == bytes(EAGER_BYTES) + b"end"


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="sync_file_range is Linux's")
def test_linux_can_begin_early(opened):
    _, descriptor = opened
    os.write(descriptor, b"some bytes")
    call = eager_file._sync_file_range()
    assert call is not None
    assert call(descriptor, 0, 10, 2) == 0
