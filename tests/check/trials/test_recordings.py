"""Runs that are there already are taken again, exactly where nothing has changed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from samebits.check.record.opened_files import file_digest
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.writer import TraceWriter
from samebits.check.trials import recordings as module
from samebits.check.trials.recordings import Recordings, RunRequest
from samebits.errors import RecordError


class Machine:
    """Stands in for the launcher: writes a run folder that names its script and one input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[Path] = []
        self.failure: str | None = None
        self.complete = True
        self.barrier: threading.Barrier | None = None

    def run_script(self, target, folder, plan, on_progress=None, cancelled=None):
        self.made.append(folder)
        if self.barrier is not None:
            self.barrier.wait(timeout=30)  # both are under way, or this raises
        sources = [self.folder / "train.py", self.folder / "data.csv"]
        files = [{"path": str(path), "sha256": file_digest(path, "sha256")} for path in sources]
        writer = TraceWriter(folder, Manifest(script=files[0]))
        if self.complete:
            size = sources[1].stat().st_size
            writer.close(inputs=[{**files[1], "size": size}], seconds=1.5)
        else:
            writer.flush()
        return RunResult(
            folder=folder, exit_code=0, signal=None, seconds=1.5, failure=self.failure,
            acted={"seeds": 3},
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text("print(1)")
    (tmp_path / "data.csv").write_text("1,2,3")
    made = Machine(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "run_script", made.run_script)
    return made


def recordings(machine, *, reuse=True, script="train.py", args=()):
    target = Target(script=Path(script), args=args)
    return Recordings(target, machine.folder / "runs", reuse=reuse)


def order(name="run-1", **options):
    return RunRequest(label="run 1 of 2", name=name, plan=RunPlan(**options))


def test_a_run_is_taken_where_nothing_has_changed(machine):
    first = recordings(machine).run(order())
    again = recordings(machine)
    taken = again.run(order())
    assert machine.made == [first.folder]
    assert taken == first
    assert again.reused == [first.folder]


def test_a_run_that_was_made_just_now_is_not_taken_for_the_next_one(machine):
    of_a_check = recordings(machine)
    one, other = of_a_check.run(order()), of_a_check.run(order())
    assert one.folder != other.folder
    assert of_a_check.reused == []


def test_nothing_is_taken_unless_asked(machine):
    first = recordings(machine).run(order())
    second = recordings(machine, reuse=False).run(order())
    assert [path.name for path in machine.made] == ["run-1", "run-1.2"]
    assert first.folder != second.folder


@pytest.mark.parametrize("changed", ["train.py", "data.csv"])
def test_a_changed_file_makes_a_new_run_beside_the_old(machine, changed):
    recordings(machine).run(order())
    (machine.folder / changed).write_text("2,3,4")
    assert recordings(machine).run(order()).folder.name == "run-1.2"
    # And the one that fits is found again, whichever it is.
    assert recordings(machine).run(order()).folder.name == "run-1.2"


def test_a_file_that_is_gone_makes_a_new_run(machine):
    recordings(machine).run(order())
    content = (machine.folder / "data.csv").read_text()
    (machine.folder / "data.csv").unlink()
    assert module.reuse.answered_by(
        machine.made[0], module.reuse.describe(Target(script=Path("train.py")), RunPlan())
    ) is None  # fmt: skip
    (machine.folder / "data.csv").write_text(content)
    assert recordings(machine).run(order()).folder == machine.made[0]


def test_another_command_makes_a_new_run(machine):
    recordings(machine).run(order())
    recordings(machine, args=("--lr", "2")).run(order())
    assert len(machine.made) == 2


def test_other_options_make_a_new_run(machine):
    recordings(machine).run(order())
    recordings(machine).run(order(level="op"))
    recordings(machine).run(order(stop_row=4))
    assert len(machine.made) == 3


def test_a_variable_counts_and_the_size_of_a_terminal_does_not(machine, monkeypatch):
    recordings(machine).run(order())
    monkeypatch.setenv("COLUMNS", "71")
    recordings(machine).run(order())
    assert len(machine.made) == 1
    monkeypatch.setenv("BATCH_SIZE", "71")
    recordings(machine).run(order())
    assert len(machine.made) == 2


def test_a_run_that_was_cut_is_made_anew(machine):
    machine.complete = False
    recordings(machine).run(order())
    machine.complete = True
    assert recordings(machine).run(order()).folder.name == "run-1.2"


def test_one_folder_does_not_stand_for_two_runs(machine):
    recordings(machine).run(order())
    both = recordings(machine)
    assert both.run(order()).folder != both.run(order()).folder


def test_values_are_not_kept_so_that_run_is_made_anew(machine):
    recordings(machine).run(order(capture_row=3))
    recordings(machine).run(order(capture_row=3))
    assert len(machine.made) == 2


@pytest.mark.parametrize("noted", [3, {}, {"digest": 4}, {"digest": "?", "result": []}])
def test_a_manifest_that_was_edited_is_not_taken(machine, noted):
    folder = recordings(machine).run(order()).folder
    path = folder / "manifest.json"
    digest = Manifest.read(path).extra["request"]["digest"]
    if isinstance(noted, dict) and noted.get("digest") == "?":
        noted = {**noted, "digest": digest}
    Manifest.read(path).replaced({"request": noted}).write(path)
    assert recordings(machine).run(order()).folder.name == "run-1.2"


def test_two_runs_go_on_at_the_same_time(machine):
    machine.barrier = threading.Barrier(2)
    results = recordings(machine).run_together([order("run-1"), order("run-2")])
    assert [result.folder.name for result in results] == ["run-1", "run-2"]


def test_of_two_runs_only_the_missing_one_is_made(machine):
    recordings(machine).run(order("run-2"))
    results = recordings(machine).run_together([order("run-1"), order("run-2")])
    assert [path.name for path in machine.made] == ["run-2", "run-1"]
    assert [result.folder.name for result in results] == ["run-1", "run-2"]


def test_a_failure_of_one_is_a_failure_of_both(machine):
    machine.failure = "disk full"
    with pytest.raises(RecordError, match="disk full"):
        recordings(machine).run_together([order("run-1"), order("run-2")])
