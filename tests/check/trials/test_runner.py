"""Labels, folders and the order of the runs that a question takes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trials import recordings as module
from samebits.check.trials.recordings import Recordings
from samebits.check.trials.runner import Runner
from samebits.errors import RecordError

PLAIN, OTHER = RunPlan(level="op"), RunPlan(level="op", seed=1)


class Requests:
    """Stands in for the recordings; remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, RunPlan]] = []

    def run(self, order: Any) -> Any:
        self.asked.append((order.label, order.name, order.plan))
        return SimpleNamespace(name=order.name, number=len(self.asked))


@pytest.fixture
def runner():
    return Runner(Requests(), PLAIN)  # type: ignore[arg-type]


def asked(runner):
    return runner.recordings.asked


def test_a_series_counts_its_runs(runner):
    assert [run.name for run in runner.series(2)] == ["run-1", "run-2"]
    assert asked(runner) == [("run 1 of 2", "run-1", PLAIN), ("run 2 of 2", "run-2", PLAIN)]


def test_a_run_may_have_a_plan_of_its_own(runner):
    runner.run("varying threads", "vary-threads", OTHER)
    assert asked(runner) == [("varying threads", "vary-threads", OTHER)]


def test_a_pair_has_one_label_and_a_folder_a_run(runner):
    runner.pair("values", ("values-0-3", "threads-values-0-4"), (PLAIN, OTHER))
    assert asked(runner) == [
        ("values, run 1 of 2", "values-0-3-1", PLAIN),
        ("values, run 2 of 2", "threads-values-0-4-2", OTHER),
    ]


def test_a_pair_is_made_anew_unless_once_is_enough(runner):
    first = runner.pair("values", "a", (PLAIN, PLAIN))
    assert runner.pair("values", "a", (PLAIN, PLAIN), once=True) == first
    assert runner.pair("values", "a", (PLAIN, PLAIN)) != first


@pytest.fixture
def failing(monkeypatch, tmp_path):
    def run_script(target, folder, plan, on_progress=None, cancelled=None):
        return RunResult(folder=folder, exit_code=0, signal=None, seconds=1.0, failure="disk full")

    monkeypatch.setattr(module, "run_script", run_script)
    return Runner(Recordings(Target(script=None, module="train"), tmp_path), PLAIN)


def test_a_run_that_could_not_be_recorded_is_an_error_with_its_label(failing):
    with pytest.raises(RecordError, match="the run could not be recorded: disk full"):
        failing.run("the run", "run")


def test_a_run_that_may_fail_says_so_in_its_result(failing):
    assert failing.run("the run", "run", may_fail=True).failure == "disk full"


def test_a_run_without_a_name_lies_in_the_folder_itself(failing, tmp_path):
    assert failing.run("the run", "", may_fail=True).folder == tmp_path
