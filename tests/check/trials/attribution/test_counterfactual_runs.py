"""Which runs are made, and which of them stand beside which."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.record.plan import RunPlan
from samebits.check.trials.attribution.budget import Budget
from samebits.check.trials.attribution.counterfactual_runs import Trials
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.scope import WHOLE, RunScope
from samebits.check.trials.attribution.size_of_difference import SizeOfDifference
from samebits.check.trials.runner import Runner

CONTROL = Interventions(control=True)
SHAKEN = Interventions(pinned=frozenset({"hash-seed"}), shaken=True)
SEEDS = Interventions(pinned=frozenset({"seeds"}))


class Recordings:
    """Makes runs of one row, whose result is what `outputs` says of the run's name."""

    def __init__(self, make_run: Any, folder: Path) -> None:
        self.make_run, self.folder = make_run, folder
        self.outputs: dict[str, int] = {}
        self.made: list[str] = []
        self.captures: list[int | None] = []
        self.at_once: list[list[str]] = []
        self.surroundings: list[Any] = []
        self.series_of_names = 77

    def run_together(self, orders: Any) -> Any:
        results = [self.run(order) for order in orders]
        self.at_once.append(self.made[-len(orders) :])
        return results

    def run(self, order: Any) -> Any:
        self.made.append(Path(order.name).name)
        self.captures.append(order.capture)
        self.surroundings.append(order.plan.surroundings)
        rows = [{"outputs": self.outputs.get(self.made[-1], 100)}]
        trace = self.make_run(rows, folder=self.folder / self.made[-1])
        return SimpleNamespace(
            folder=trace.folder,
            exit_code=0,
            signal=None,
            timed_out=False,
            seconds=1.0,
            captured=None,
        )


@pytest.fixture
def recordings(make_run, tmp_path):
    return Recordings(make_run, tmp_path)


@pytest.fixture
def trials(recordings):
    baseline: Any = SimpleNamespace(exit_code=0, signal=None, seconds=1.0)
    return Trials(
        runner=Runner(recordings, RunPlan()),
        baseline=baseline,
        together=False,
        budget=Budget(24, math.inf),
    )


def names(trial):
    return [trace.folder.name for trace in trial.traces]


def test_of_a_pair_only_the_second_run_is_shaken(trials, recordings):
    trial = trials.pair(SHAKEN, WHOLE)
    assert names(trial) == ["hash-seed-1", "hash-seed-shaken-2"]


def test_names_of_temporary_files_are_those_of_this_check(trials, recordings):
    trials.pair(Interventions(pinned=frozenset({"entropy"})), WHOLE)
    hooks = [hook for made in recordings.surroundings for hook in made.hooks]
    assert [(hook.name, hook.settings["series"]) for hook in hooks] == [("entropy", 77)] * 2


def test_a_shaken_run_beside_control_becomes_the_second_of_its_pair(trials, recordings):
    recordings.outputs["control-1"] = 7
    beside = trials.beside_control(SHAKEN, WHOLE)
    assert names(beside) == ["control-1", "hash-seed-shaken-2"]
    assert beside.divergence is not None
    pair = trials.pair(SHAKEN, WHOLE)
    assert names(pair) == ["hash-seed-1", "hash-seed-shaken-2"]
    assert pair.divergence is None
    assert recordings.made == ["control-1", "hash-seed-shaken-2", "hash-seed-1"]


def test_one_run_under_control_is_made_for_all_that_is_tried(trials, recordings):
    trials.beside_control(SHAKEN, WHOLE)
    trials.beside_control(SEEDS, WHOLE)
    trials.pair(CONTROL, WHOLE)
    assert recordings.made == ["control-1", "hash-seed-shaken-2", "seeds-2", "control-2"]


def test_a_run_with_everything_pinned_is_made_once_whatever_is_let_go(trials, recordings):
    both = Interventions(pinned=frozenset({"seeds", "hash-seed"}))
    for varied in (SEEDS, Interventions(pinned=frozenset({"hash-seed"}))):
        trials.let_go(both, varied, WHOLE, follow=True)
    assert len(recordings.made) == 3
    trials.let_go(both, SEEDS, WHOLE, follow=False)
    trials.let_go(both, SEEDS, RunScope(row=3), follow=True)
    assert len(recordings.made) == 7


def test_what_was_let_go_in_the_second_run_is_told(trials):
    trials.beside_control(SHAKEN, WHOLE)
    (observed,) = trials.observations
    assert observed.pinned == ("hash-seed",)
    assert observed.varied == "the rest of samebits run --seed 0 + addresses"


def test_runs_that_were_made_are_compared_without_another_one(trials, recordings):
    recordings.outputs["seeds-1"] = 7
    one, other = trials.pair(SHAKEN, WHOLE), trials.pair(SEEDS, WHOLE)
    before = len(recordings.made)
    trial = trials.compare(one.traces[0], other.traces[0], SEEDS, WHOLE, varied={"hash-seed"})
    assert trial.divergence is not None
    assert len(recordings.made) == before
    assert trials.observations[-1].varied == "hash-seed"


@pytest.mark.parametrize(
    ("pinned", "leaves_nothing", "at_once"),
    [
        ({"seeds"}, False, True),
        ({"seeds", "clock"}, False, False),
        ({"entropy"}, False, False),
        ({"clock", "entropy"}, True, True),
    ],
)
def test_two_runs_that_give_one_name_to_what_they_leave_do_not_meet(
    trials, recordings, pinned, leaves_nothing, at_once
):
    trials.together, trials.leaves_nothing = True, leaves_nothing
    still = Interventions(pinned=frozenset(pinned))
    trials.pair(still, WHOLE)
    trials.let_go(still, Interventions(), WHOLE, follow=False)
    assert len(recordings.made) == 4
    assert len(recordings.at_once) == (2 if at_once else 0)


# ---- how far results lie apart ----------------------------------------------------------------


def test_values_are_fetched_from_runs_in_which_nothing_is_pinned(trials, recordings):
    found = divergence(rows=(0, 0))
    trials.size = SizeOfDifference(found, WHOLE)
    trials.pair(SEEDS, WHOLE)
    trials.pair(Interventions(), WHOLE)
    assert recordings.captures == [None, None, 0, 0]


@pytest.mark.parametrize(
    ("scope", "row"),
    [
        (WHOLE, 4),
        (RunScope(row=4), 4),
        (RunScope(row=3), None),
        (RunScope(row=4, from_step=2), None),
    ],
)
def test_only_a_run_that_comes_there_captures(scope, row):
    found = divergence(rows=(4, 4), signature="float32[2]")
    assert SizeOfDifference(found, WHOLE).row_of(scope) == row


def captured(make_run, values: bytes, **row: Any) -> Any:
    return SimpleNamespace(folder=make_run([row]).folder, captured=values)


def saved(number: float) -> bytes:
    import torch
    from safetensors.torch import save

    return save({"0": torch.tensor([number])})


def test_two_results_that_differ_have_a_distance(make_run):
    site = ("train.py", 20, "main", "")
    size = SizeOfDifference(divergence(op="aten.rand", rows=(0, 0)), WHOLE)
    for number in (1.0, 1.0, 3.5):
        size.take(captured(make_run, saved(number), op="aten.rand", site=site))
    assert size.distance.max_abs == 2.5
    assert size.row_of(WHOLE) is None  # there is no need of more


@pytest.mark.parametrize(
    "other", [{"op": "aten.add"}, {"site": ("train.py", 21, "main", "")}], ids=["operation", "line"]
)
def test_what_another_operation_gave_is_left(make_run, other):
    row = {"op": "aten.rand", "site": ("train.py", 20, "main", "")}
    size = SizeOfDifference(divergence(op="aten.rand", rows=(0, 0)), WHOLE)
    size.take(captured(make_run, saved(1.0), **row))
    size.take(captured(make_run, saved(2.0), **{**row, **other}))
    assert size.distance is None
