"""What a run made is moved out of the way and back; nothing else is ever touched."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest

from samebits.check.trials import written_files
from samebits.check.trials.written_files import FolderState, SetAside, unwinding_on_signals
from samebits.errors import RecordError


@pytest.fixture
def work(tmp_path):
    """A working folder with a file, a link and an empty folder of the person's."""
    root = tmp_path / "work"
    (root / "data").mkdir(parents=True)
    (root / "data" / "old").write_text("old")
    (root / "empty").mkdir()
    (root / "runs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "last.pt").write_text("old")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    return root


def tree(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_what_a_run_made_is_moved_and_put_back(work):
    before, untouched = FolderState.take(work, work / "runs"), tree(work)
    (work / "ckpt" / "a").mkdir(parents=True)
    (work / "ckpt" / "a" / "new").write_text("new")
    (work / "ckpt" / "latest").symlink_to("a")
    (work / "empty" / "last.pt").write_text("new")
    with_them = tree(work)
    made = [["folder", str(work / "ckpt")], ["folder", str(work / "ckpt" / "a")]]
    made += [["file", str(work / name)] for name in ("ckpt/a/new", "ckpt/latest", "empty/last.pt")]
    aside = SetAside(work, work / "runs", "files-of-straight")
    aside.take(before.own(made))
    journal = (work / "runs" / written_files.MOVED_FILE).read_text().splitlines()
    assert [json.loads(line)["from"] for line in journal] == [
        str(work / name) for name in ("ckpt/a/new", "ckpt/latest", "empty/last.pt")
    ]
    shutil.rmtree(work / "runs" / "unused", ignore_errors=True)
    assert [name for name in tree(work) if not name.startswith("runs/")] == untouched
    assert aside.put_back() == []
    assert [name for name in tree(work) if not name.startswith("runs/")] == with_them
    assert (work / "ckpt" / "a" / "new").read_text() == "new"


def test_only_what_is_new_and_the_runs_own_counts(work, tmp_path):
    before = FolderState.take(work, work / "runs")
    (work / "mine").write_text("new")
    (work / "theirs").write_text("of another process")
    saved = ["mine", "data/old", "linked/last.pt", "runs/rows", ".git/index", "gone"]
    (work / "runs" / "rows").write_text("recorded")
    (work / ".git").mkdir()
    (work / ".git" / "index").write_text("new")
    made = [["saved", str(work / name)] for name in saved]
    made.append(["saved", str(tmp_path / "elsewhere" / "last.pt")])
    assert before.own(made) == [str(work / "mine")]
    after = FolderState.take(work, work / "runs")
    assert after.appeared(before, before.own(made)) == [str(work / "theirs")]


def test_nothing_is_new_in_a_folder_that_was_not_looked_through(work, monkeypatch):
    monkeypatch.setattr(written_files, "MAX_FILES", 2)
    before = FolderState.take(work, work / "runs")
    (work / "mine").write_text("new")
    assert not before.complete
    assert before.own([["file", str(work / "mine")]]) == []
    assert FolderState.take(work, work / "runs").appeared(before, ()) == []


def test_files_below_a_folder_that_could_not_be_read_are_nobodys(work):
    before = FolderState.take(work, work / "runs")
    closed = FolderState(before.root, before.ignore, {}, unread=(str(work / "data"),))
    assert closed.own([["saved", str(work / "data" / "old")]]) == []


def test_what_changed_is_told(work):
    before = FolderState.take(work, work / "runs")
    (work / "data" / "old").write_text("changed")
    assert FolderState.take(work, work / "runs").changed_since(before) == [
        str(work / "data" / "old")
    ]


def test_where_this_commands_output_goes_has_not_changed(work, monkeypatch):
    (work / "out.log").write_text("")
    before = FolderState.take(work, work / "runs")
    (work / "out.log").write_text("samebits: run 1 of 3")
    of_the_log = (work / "out.log").stat()
    monkeypatch.setattr(written_files.os, "fstat", lambda stream: of_the_log)
    assert FolderState.take(work, work / "runs").changed_since(before) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, OSError])
def test_an_interrupted_move_is_undone(work, monkeypatch, error):
    before = FolderState.take(work, work / "runs")
    for name in "abc":
        (work / name).write_text(name)
    there, moves = tree(work), []

    def interrupted(origin, target):
        moves.append(origin)
        if len(moves) == 3:
            raise error
        origin.rename(target)

    monkeypatch.setattr(written_files.shutil, "move", interrupted)
    made = [["file", str(work / name)] for name in "abc"]
    aside = SetAside(work, work / "runs", "files-of-straight")
    with pytest.raises(RecordError if error is OSError else error):
        aside.take(before.own(made))
    assert [name for name in tree(work) if "runs/" not in name] == there


def test_a_place_that_was_taken_meanwhile_keeps_what_is_there(work):
    before = FolderState.take(work, work / "runs")
    (work / "a").write_text("of the run")
    aside = SetAside(work, work / "runs", "files-of-resumed")
    aside.take(before.own([["file", str(work / "a")]]))
    (work / "a").write_text("of somebody else")
    assert aside.put_back() == [str(work / "runs" / "files-of-resumed" / "a")]
    assert (work / "a").read_text() == "of somebody else"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_unwind(number):
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as caught, unwinding_on_signals():
            os.kill(os.getpid(), number)
        assert caught.value.code == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
