"""What a process saves beside tensors has one digest a file, without times."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
import torch

from samebits.check.record.processes.saved_values import SavedValues
from samebits.core.catalog.own_names import OwnNames

STAMP = 1_790_000_000.123
BANK = torch.arange(6.0).reshape(3, 2)


@pytest.fixture
def saved(tmp_path):
    """The digest of what was saved last; "" for none."""

    def save(content, *more):
        values = SavedValues(OwnNames, lambda number: number == STAMP)
        path = str(tmp_path / "w.pt")
        torch.save(1, path)
        for one in (content, *more):
            values.saved(one, path)
        return values.to_json().get(path, [""])[0]

    return save


def test_a_time_does_not_count_and_all_else_does(saved):
    weights = {"weights": BANK, "step": 3}
    timed = saved({**weights, "written": STAMP})
    assert timed
    assert timed != saved({**weights, "step": 4, "written": STAMP})
    assert timed != saved({"weights": BANK + 1, "step": 3, "written": STAMP})
    now = SavedValues(OwnNames, lambda number: True)
    later = SavedValues(OwnNames, lambda number: True)
    for values in (now, later):
        values.saved({**weights, "step": "3", "written": time.time()}, __file__)
    assert now.to_json() == later.to_json() != {}


def test_what_lies_beside_the_storages_of_a_file_counts_where_a_time_is_left_out(saved):
    # The bytes of the tensors in the file are the same: a view of another row is.
    assert saved({"best": BANK[1], "at": STAMP}) != saved({"best": BANK[2], "at": STAMP})
    history = [{"history": np.array([1.0, last]), "at": STAMP} for last in (2.0, 3.0)]
    assert saved(history[0]) != saved(history[1])
    assert saved({"a": 1, "b": 2, "at": STAMP}) != saved({"b": 2, "a": 1, "at": STAMP})


def test_what_has_no_fingerprint_has_no_digest_nor_has_what_it_replaces(saved):
    unknown = {"classes": {frozenset({1}), frozenset({2})}}
    assert saved(unknown) == ""
    assert saved({"step": 1}, unknown) == ""
    assert saved({"step": 1}, {"step": 2}) == saved({"step": 2})


def test_the_digest_goes_with_the_file(tmp_path):
    values = SavedValues(OwnNames, lambda number: False)

    def save(name, step):
        path = tmp_path / name
        path.write_text("saved")
        values.saved({"step": step}, str(path))

    def rename(before, after):
        values.renamed(str(tmp_path / before), str(tmp_path / after))
        (tmp_path / before).replace(tmp_path / after)

    def held():
        return {os.path.relpath(path, tmp_path): d for path, (d, _) in values.to_json().items()}

    save("first", 1)
    save("second", 2)
    one, two = held()["first"], held()["second"]
    rename("first", "last")
    rename("last", "previous")
    rename("second", "last")
    assert held() == {"previous": one, "last": two}
    rename("previous", "last")
    assert held() == {"last": one}
    (tmp_path / "part").mkdir()
    save("part/w", 2)
    rename("part", "done")
    assert held() == {"last": one, "done/w": two}
    values.written(str(tmp_path / "last"))
    assert held() == {"done/w": two}
