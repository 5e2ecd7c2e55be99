"""Files that a dataset holds open, or has mapped, while a loader forks its workers."""

from __future__ import annotations

import io
import multiprocessing

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class Held(Dataset):
    """Four samples, and whatever it is given to hold."""

    def __init__(self, **held):
        vars(self).update(held)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(index)


@pytest.fixture
def shared(watch):
    """The rows of a loader over a dataset, as (event, detail, amount)."""

    def rows(dataset, **loader):
        settings = {"num_workers": 2, "multiprocessing_context": "fork", **loader}

        def load():
            for _ in DataLoader(dataset, **settings):
                pass

        found = watch(load).trace.ledger()
        return [
            (row.event, row.detail, row.amount, row.site.function.rpartition(".")[2])
            for row in found
            if row.source == "shared-file"
        ]

    return rows


@pytest.fixture
def file(tmp_path):
    """A file of some bytes that is open."""
    path = tmp_path / "pings.bin"
    path.write_bytes(bytes(64))
    with path.open("rb") as stream:
        yield stream


@pytest.mark.parametrize(
    "wrap",
    [
        lambda file: {"stream": file},
        lambda file: {"stream": [{"deeper": file}]},
    ],
    ids=["itself", "in containers"],
)
def test_an_open_file_is_noted_where_the_loader_starts_its_workers(shared, file, wrap):
    assert shared(Held(**wrap(file))) == [("read", "Held.stream", 2, "load")]


def test_one_that_a_dataset_inside_another_holds_goes_by_that_one(shared, file):
    assert shared(Subset(Held(stream=file), [0, 1])) == [("read", "Held.stream", 2, "load")]


@pytest.mark.parametrize(("mode", "noted"), [("r+", True), ("r", False), ("c", False)])
def test_a_map_that_may_be_written_to_is_noted(shared, tmp_path, mode, noted):
    path = tmp_path / "trace.npy"
    np.save(path, np.zeros(8))
    trace = np.load(path, mmap_mode=mode)
    assert shared(Held(trace=trace)) == ([("write", "Held.trace", 2, "load")] if noted else [])


def test_what_nobody_shares_is_not(shared, file):
    assert shared(Held(stream=file), num_workers=1) == []
    assert shared(Held(stream=file), num_workers=0, multiprocessing_context=None) == []
    assert shared(Held(buffer=io.BytesIO(b"x"), text=io.StringIO("x"), path=file.name)) == []
    file.close()
    assert shared(Held(stream=file)) == []


def test_where_a_lock_goes_with_it_they_may_take_turns(shared, file):
    assert shared(Held(stream=file, lock=multiprocessing.Lock())) == []


def test_nothing_of_the_scripts_is_called_for_it(shared, file):
    asked = []

    class Drawing(dict):
        def values(self):
            asked.append("values")
            return super().values()

    class Lazy:
        @property
        def __class__(self):
            asked.append("class")
            raise RuntimeError

        def __getattr__(self, name):
            asked.append(name)
            raise OSError(name)

    held = Held(drawing=Drawing(a=1), lazy=Lazy(), stream=file)
    assert shared(held) == [("read", "Held.stream", 2, "load")]
    assert asked == []


def test_what_has_no_name_is_left_out(shared, file):
    assert shared([file, file], collate_fn=lambda files: len(files)) == []
