"""The command line of `samebits cost`."""

from __future__ import annotations

import json

import pytest

from samebits.check.record.cost import DETERMINISTIC, PLAIN, CostSamples
from samebits.check.trials import cost, recordings

SAMPLES = CostSamples(
    seconds={PLAIN: [0.01, 0.01], DETERMINISTIC: [0.02, 0.02]},
    operations={PLAIN: {}, DETERMINISTIC: {}},
)


@pytest.fixture
def measured(tmp_path):
    SAMPLES.write(tmp_path / "samples.json")
    return (tmp_path / "samples.json").read_text()


def test_the_ratio_is_printed(engine, cli, measured, tmp_path):
    engine.ending = {"cost": measured}
    result = cli("cost", "--steps", "2", "--json", "c.json", "train.py")
    assert result.exit_code == 0
    assert "2.00 times as long" in result.stdout
    assert json.loads((tmp_path / "c.json").read_text())["ratio"] == 2.0
    _, arguments = engine.calls[0]
    assert arguments["plan"].cost_steps == 2
    assert arguments["plan"].cost_exact
    assert "CUBLAS_WORKSPACE_CONFIG" in arguments["plan"].surroundings.environment


def test_too_few_steps_are_an_error_that_says_what_a_step_is(engine, cli):
    result = cli("cost", "train.py")
    assert result.exit_code == 2
    assert "optimizer.step()" in result.stderr


def test_a_script_that_fails_is_no_measurement(engine, cli):
    engine.ending = {"exit_code": 1, "stderr_tail": "Traceback\nValueError: no"}
    result = cli("cost", "train.py")
    assert result.exit_code == 3
    assert "ValueError: no" in result.stderr


def test_a_script_that_exact_arithmetic_does_not_cover_runs_again_without_it(
    engine, cli, measured, monkeypatch, tmp_path
):
    run = recordings.run_script

    def refused(target, folder, plan, *rest):
        error = "samebits.errors.NotExactError: aten.fft is not exact: not covered, called at x:3"
        failed = {"exit_code": 1, "stderr_tail": f"Traceback\n{error}\n"}
        engine.ending = failed if plan.cost_exact else {"cost": measured}
        return run(target, folder, plan, *rest)

    monkeypatch.setattr(recordings, "run_script", refused)
    result = cli("cost", "--json", "c.json", "train.py")
    assert result.exit_code == 0
    assert "2.00 times as long" in result.stdout
    assert "Exact arithmetic was not timed: aten.fft is not exact" in result.stdout
    found = json.loads((tmp_path / "c.json").read_text())
    assert found["exact"] is None
    assert found["exact_missing"].startswith("aten.fft is not exact")


def test_no_exact_times_two_kinds_and_runs_the_script_once(engine, cli):
    result = cli("cost", "--no-exact", "train.py")
    assert result.exit_code == 2
    assert [call["plan"].cost_exact for _, call in engine.calls] == [False]


def test_other_processes_that_may_have_made_the_steps_are_named(engine, cli, monkeypatch):
    monkeypatch.setattr(cost, "_using_torch", lambda folder: ("rank 0", "rank 1"))
    result = cli("cost", "train.py")
    assert result.exit_code == 2
    assert "it starts others that use torch: rank 0, rank 1" in result.stderr
    assert "WORLD_SIZE=1" in result.stderr
