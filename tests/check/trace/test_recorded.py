"""Recorded runs are found, measured and removed; nothing else is ever removed."""

from __future__ import annotations

import json

import pytest

from samebits.check.trace.recorded import beyond, recorded_in, remove, runs_of
from samebits.errors import UsageError


@pytest.fixture
def kept(make_run, tmp_path):
    """A folder with three checks of one run each, and something else."""
    parent = tmp_path / "runs"
    for number, verdict in enumerate(("same", "different", None)):
        check = parent / f"check-{number}"
        make_run(
            [{}] * (number + 1),
            folder=check / "run-1",
            created=f"2026-01-0{3 - number}T00:00:00+00:00",
            script={"path": "train.py", "sha256": ""},
            environment={"code": {"commit": "abc"}},
            counts={"ops": number + 1, "steps": 0},
        )
        if verdict:
            (check / "verdict.json").write_text(json.dumps({"verdict": verdict}))
    (parent / "notes").mkdir()
    (parent / "notes" / "mine.txt").write_text("mine")
    return parent


def test_they_are_listed_by_date_with_what_they_came_to(kept):
    found = list(recorded_in(kept))
    assert [one.folder.name for one in found] == ["check-2", "check-1", "check-0"]
    assert [one.verdict for one in found] == ["", "different", "same"]
    assert [one.ops for one in found] == [3, 2, 1]
    assert {one.script for one in found} == {"train.py"}
    assert {one.commit for one in found} == {"abc"}
    assert found[0].size == sum(
        file.stat().st_size for file in (kept / "check-2").rglob("*") if file.is_file()
    )


def test_a_run_folder_lists_itself(kept):
    (one,) = recorded_in(kept / "check-0" / "run-1")
    assert (one.runs, one.verdict) == (1, "")


def test_runs_are_in_the_order_of_their_numbers(kept, make_run):
    for number in (2, 10, 9):
        make_run(folder=kept / "check-0" / f"run-{number}")
    make_run(folder=kept / "check-0" / "closer-3-1")
    names = [place.name for place in runs_of(kept / "check-0")]
    assert names == ["run-1", "run-2", "run-9", "run-10"]


@pytest.mark.parametrize("content", ["", "[]", '{"verdict": "fine"}', '{"verdict": ["same"]}'])
def test_a_damaged_verdict_is_none(kept, content):
    (kept / "check-0" / "verdict.json").write_text(content)
    assert list(recorded_in(kept))[2].verdict == ""


def test_a_check_is_removed_whole(kept):
    before = {one.folder.name: one.size for one in recorded_in(kept)}
    assert remove(kept / "check-1") == before["check-1"]
    assert not (kept / "check-1").exists()
    assert (kept / "notes" / "mine.txt").exists()


@pytest.mark.parametrize("where", ["mine.txt", "attribution/mine.txt"])
def test_a_folder_with_somebody_elses_file_stays(kept, where):
    file = kept / "check-1" / where
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.txt"):
        remove(kept / "check-1")
    assert (kept / "check-1" / "run-1" / "manifest.json").exists()


def test_what_is_no_run_is_not_removed(kept, tmp_path):
    (tmp_path / "link").symlink_to(kept / "check-1")
    for place in (kept / "notes", kept / "nowhere", tmp_path / "link"):
        with pytest.raises(UsageError, match="no recorded run"):
            remove(place)
    assert (kept / "check-1" / "run-1").exists()


def test_the_newest_stay(kept):
    found = list(recorded_in(kept))
    sizes = [one.size for one in found]
    assert beyond(found, keep=None, max_size=None) == []
    assert beyond(found, keep=1, max_size=None) == found[:2]
    assert beyond(found, keep=9, max_size=None) == []
    assert beyond(found, keep=None, max_size=sum(sizes)) == []
    assert beyond(found, keep=None, max_size=sum(sizes) - 1) == found[:1]
    assert beyond(found, keep=1, max_size=0) == found


def test_no_folder_is_a_message(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        list(recorded_in(tmp_path / "nowhere"))


def test_other_programs_write_manifests_too(kept):
    app = kept / "app"
    app.mkdir()
    (app / "manifest.json").write_text('{"name": "my app"}')
    assert "app" not in [one.folder.name for one in recorded_in(kept)]
    with pytest.raises(UsageError, match="no recorded run"):
        remove(app)
    assert (app / "manifest.json").exists()


@pytest.mark.parametrize("where", ["model.pt", "sub/paper.tex"])
def test_a_run_folder_with_somebody_elses_file_stays(kept, where):
    file = kept / "check-1" / "run-1" / where
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    for place in (kept / "check-1", kept / "check-1" / "run-1"):
        with pytest.raises(UsageError, match=file.name):
            remove(place)
        with pytest.raises(UsageError, match=file.name):
            remove(place, dry_run=True)
    assert file.read_text() == "mine"


def test_what_a_recording_writes_is_removed(kept):
    run = kept / "check-1" / "run-1"
    (run / "kept").mkdir()
    (run / "kept" / "step-3.safetensors").write_bytes(b"x")
    (run / "outputs.safetensors").write_bytes(b"x")
    (run / "ops.1.arrow").write_bytes(b"x")
    assert remove(run, dry_run=True) > 0
    assert run.exists()
    remove(run)
    assert not run.exists()
