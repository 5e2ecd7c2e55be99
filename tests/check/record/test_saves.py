"""What a script saves is fingerprinted as tensors; what it reads and writes otherwise as bytes."""

from __future__ import annotations

from typing import Any

import pytest

from samebits.check.record.saved_values import order_of
from samebits.check.record.saves import Saves
from samebits.check.trace.reader import Trace

SAVING = """
    import io, pathlib
    import numpy as np
    import torch
    from safetensors.torch import save_file

    state = {"w": torch.arange(4.0), "step": 3}
    torch.save(state, "by-path.pt")
    torch.save(obj=state, f=pathlib.Path("by-keyword.pt"))
    with open("by-file.pt", "wb") as file:
        torch.save(state, file)
    torch.save(state, io.BytesIO())
    save_file({"w": torch.arange(4.0)}, "plain.safetensors")
    torch.save({"f": len}, "strange.pt")
    np.save("array.npy", np.arange(3))
    pathlib.Path("input.txt").read_text()
    pathlib.Path("gone.txt").write_text("x")
    pathlib.Path("gone.txt").unlink()
    open("/dev/null", "w").close()
"""


@pytest.fixture
def manifest(scripts):
    (scripts.folder / "input.txt").write_text("read\n")
    scripts.write(SAVING)
    recorded, result = scripts.recorded("script.py")
    assert (recorded.code, recorded.stderr) == (0, b"")
    return Trace.open(result.folder).manifest


def test_files_of_a_run(manifest, scripts):
    files = {
        file["path"].removeprefix(f"{scripts.folder}/"): file
        for file in manifest.files
        if file["kind"] != "values"
    }
    tensors = {name for name, file in files.items() if file["kind"] == "tensors"}
    assert tensors == {"by-path.pt", "by-keyword.pt", "by-file.pt", "plain.safetensors"}
    # One content, saved by different names: the bytes differ, the tensors do not.
    saved = {files[name]["digest"] for name in tensors if name.startswith("by-")}
    assert len(saved) == 1
    assert {name for name, file in files.items() if file["kind"] == "arrays"} == {"array.npy"}
    assert not any(file["kind"] in ("bytes", "text") for file in files.values())
    # A function goes by its name.
    assert [f for f in manifest.files if f["path"].endswith("strange.pt")]
    assert not [note for note in manifest.notes if "strange.pt" in note]
    inputs = {entry["path"].removeprefix(f"{scripts.folder}/") for entry in manifest.inputs}
    assert inputs == {"input.txt"}


FINDING = """
    import os
    import torch

    torch.load("latest.pt")
    torch.save({"step": 2}, "latest.pt")
    torch.save({"step": 2}, "new.pt")
    torch.load("new.pt")
    open("log", "a").write("more")
    open("grown", "a").write("more")
    open("grown").read()
    open("report", "w").write("anew")
    open("report").read()
    open("config").read()
    with open("table.tmp", "w") as file:
        file.write("anew")
    os.replace("table.tmp", "table")
"""


def test_files_that_a_run_changes_and_had_looked_at_as_it_found_them(scripts):
    import torch

    torch.save({"step": 1}, scripts.folder / "latest.pt")
    for name in ("log", "grown", "report", "config", "table"):
        (scripts.folder / name).write_text("old")
    scripts.write(FINDING)
    recorded, result = scripts.recorded("script.py")
    assert (recorded.code, recorded.stderr) == (0, b"")
    changed = Trace.open(result.folder).manifest.extra["changed"]

    def names(kind):
        return [path.removeprefix(f"{scripts.folder}/") for path in changed[kind]]

    assert names("found") == ["grown", "latest.pt", "log"]
    assert names("added") == ["log"]


def test_content_that_contains_itself_is_not_walked_for_dates(tmp_path):
    """Twice inside itself, it would be walked as often as there are ways through it."""
    cycle: list[Any] = ["2026-11-26"]
    cycle += [cycle, cycle]
    native: Any = None
    saves = Saves(native, lambda: 0)
    saves._note(cycle, tmp_path / "cycle.pt")
    assert [file["kind"] for file in saves.files] == ["values"]
    assert saves.notes == []


def test_files_come_in_the_order_in_which_they_were_written(manifest, scripts):
    names = [file["path"].removeprefix(f"{scripts.folder}/") for file in manifest.files]
    assert list(dict.fromkeys(names)) == [
        "by-path.pt",
        "by-keyword.pt",
        "by-file.pt",
        "plain.safetensors",
        "strange.pt",
        "array.npy",
    ]


def test_the_order_of_a_dict_is_noted_beside_what_it_holds(tmp_path):
    native: Any = None

    def saved(content):
        saves = Saves(native, lambda: 0)
        saves._note(content, tmp_path / "state.pt")
        return saves.files[-1]

    one, other = {"a": 1, "b": {"c": 2.0, "d": 3}}, {"a": 1, "b": {"d": 3, "c": 2.0}}
    assert saved(one)["digest"] == saved(other)["digest"]
    assert saved(one)["order"] == saved(dict(one))["order"] != saved(other)["order"]
    assert "order" not in saved([{"a": 1}])


def test_the_order_of_a_dict_is_none_of_the_sets_among_its_keys():
    """How a set shows itself goes by the hash seed."""
    one, other = ({(frozenset(key), 1): 0, "b": 1} for key in ("ab", "xyz"))
    assert order_of(one) == order_of(other) != order_of({"b": 1, (frozenset("ab"), 1): 0})


class History(list[float]):
    best = 0.0


def test_what_lies_beside_the_items_of_a_list_counts(tmp_path):
    native: Any = None

    def digest(best):
        saves = Saves(native, lambda: 0)
        history = History([1.0])
        history.best = best
        saves._note({"history": history}, tmp_path / "state.pt")
        return [file["digest"] for file in saves.files]

    assert digest(0.5) == digest(0.5) != digest(0.25)
