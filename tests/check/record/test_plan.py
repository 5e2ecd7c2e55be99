"""The plan of a run, as it travels into the process that it is for."""

from __future__ import annotations

import json

import pytest

from samebits.check.record.plan import RecordedProcess, RunPlan
from samebits.check.record.session import start
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.errors import RecordError

AROUND = Surroundings(
    environment={"A": "1", "B": None},
    addresses="fixed",
    hooks=(HookSpec(name="seeds", settings={"seed": 3, "sites": [["a.py", 1]]}),),
    argv=("--batch", "8"),
)


@pytest.fixture
def process(tmp_path):
    plan = RunPlan(level="op", control=True, seed=7, state_steps=(2, 3), surroundings=AROUND)
    return RecordedProcess(
        plan=plan,
        folder="run-1",
        workspace=str(tmp_path),
        command=("train.py", "--lr"),
        ends_with=3,
        user_code=("lib",),
        script_folder="here",
    )


def test_every_part_of_a_plan_arrives(process):
    assert RecordedProcess.read(process.write()) == process


PARTS = {
    "RecordedProcess": lambda content: content,
    "RunPlan": lambda content: content["plan"],
    "Surroundings": lambda content: content["plan"]["surroundings"],
    "HookSpec": lambda content: content["plan"]["surroundings"]["hooks"][0],
}


@pytest.mark.parametrize("part", PARTS)
def test_an_unknown_key_is_an_error_that_names_it(process, part):
    path = process.write()
    content = json.loads(path.read_text())
    PARTS[part](content)["colour"] = 1
    path.write_text(json.dumps(content))
    with pytest.raises(RecordError, match=f"an unknown colour in its {part}"):
        RecordedProcess.read(path)


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_key_is_an_error_that_names_it(process, part):
    path = process.write()
    content = json.loads(path.read_text())
    name = next(iter(PARTS[part](content)))
    del PARTS[part](content)[name]
    path.write_text(json.dumps(content))
    with pytest.raises(RecordError, match=f"no {name} in its {part}"):
        RecordedProcess.read(path)


def test_a_process_that_cannot_read_its_plan_reports_that_and_runs_on(process):
    path = process.write()
    content = json.loads(path.read_text())
    del content["plan"]["level"]
    path.write_text(json.dumps(content))
    start(str(path), set(), [])
    assert "no level in its RunPlan" in process.error_file.read_text()


def test_without_control_no_seed_and_no_threads_are_pinned():
    assert RunPlan(seed=4, threads=2).pinned_seed is None
    assert RunPlan(seed=4, threads=2).pinned_threads is None
    assert RunPlan(control=True, seed=4, threads=2).pinned_seed == 4
    assert RunPlan(control=True, seed=4, threads=2).pinned_threads == 2
