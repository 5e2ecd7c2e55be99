"""Surroundings: joined, applied to variables and to arguments, and carried as JSON."""

from __future__ import annotations

import json

import pytest

from samebits.check.record.plan import RecordedProcess, RunPlan
from samebits.core.interposition.surroundings import HookSpec, Surroundings, argument_value


def test_the_right_one_wins():
    left = Surroundings(
        environment={"A": "1", "B": "1"},
        addresses="fixed",
        hooks=(HookSpec(name="clock"), HookSpec(name="listing")),
        argv=("--b", "1"),
    )
    right = Surroundings(
        environment={"B": None, "C": "3"}, hooks=(HookSpec(name="clock", settings={"start": 1.0}),)
    )
    both = left | right
    assert both.environment == {"A": "1", "B": None, "C": "3"}
    assert both.addresses == "fixed"
    assert {hook.name: dict(hook.settings) for hook in both.hooks} == {
        "clock": {"start": 1.0},
        "listing": {},
    }
    assert (both | Surroundings(addresses="random")).addresses == "random"
    assert left | Surroundings() == left


def test_variables_are_set_and_removed():
    base = {"KEEP": "1", "GONE": "1"}
    made = Surroundings(environment={"GONE": None, "NEW": "2"}).applied_environment(base)
    assert made == {"KEEP": "1", "NEW": "2"}
    assert base == {"KEEP": "1", "GONE": "1"}


@pytest.mark.parametrize(
    ("arguments", "option", "expected"),
    [
        (["--n", "4", "--mb", "8"], "--mb", ["--n", "4", "--mb", "2"]),
        (["--mb=8", "x"], "--mb", ["--mb=2", "x"]),
        (["x"], "--mb", ["x", "--mb", "2"]),
        (["--mb"], "--mb", ["--mb", "--mb", "2"]),
        (["train.mb=8"], "train.mb", ["train.mb=2"]),
        (["lr=1"], "train.mb", ["lr=1", "train.mb=2"]),
        (["--mbx=8", "--mb", "8"], "--mb", ["--mbx=8", "--mb", "2"]),
    ],
)
def test_an_argument_is_replaced_or_added(arguments, option, expected):
    assert list(Surroundings(argv=(option, "2")).applied_arguments(arguments)) == expected


def test_the_value_of_an_argument():
    assert argument_value(["--mb", "8"], "--mb") == "8"
    assert argument_value(["--mb=8"], "--mb") == "8"
    assert argument_value(["mb=8"], "mb") == "8"
    assert argument_value(["--mb"], "--mb") is None
    assert argument_value(["mb", "8"], "mb") is None


def test_hooks_reach_the_process_as_they_are(tmp_path):
    hooks = (HookSpec(name="seeds", settings={"seed": 3, "sites": [["a.py", 1]]}),)
    plan = RunPlan(surroundings=Surroundings(hooks=hooks))
    process = RecordedProcess(plan=plan, folder="f", workspace=str(tmp_path))
    path = process.write()
    written = json.loads(path.read_text())
    assert written["plan"]["surroundings"]["hooks"][0]["name"] == "seeds"
    assert RecordedProcess.read(path) == process
