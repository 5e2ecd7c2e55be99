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
def measured():
    return SAMPLES.to_json()


def test_the_ratio_is_printed(engine, cli, measured, tmp_path):
    engine.ending = {"costs": {"0": measured}}
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
        engine.ending = failed if plan.cost_exact else {"costs": {"0": measured}}
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
    monkeypatch.setattr(cost, "_using_torch", lambda folder: {"0.1": "rank 0", "0.2": "rank 1"})
    result = cli("cost", "train.py")
    assert result.exit_code == 2
    assert "its own or one that it starts: rank 0, rank 1" in result.stderr
    assert "optimizer.step()" in result.stderr


def test_each_process_of_a_training_is_told_and_the_slowest_counts(
    engine, cli, tmp_path, monkeypatch
):
    slow = CostSamples(
        seconds={PLAIN: [0.02, 0.01], DETERMINISTIC: [0.02, 0.04]},
        operations={PLAIN: {}, DETERMINISTIC: {}},
    )
    engine.ending = {"costs": {"0.1": SAMPLES.to_json(), "0.2": slow.to_json()}}
    monkeypatch.setattr(cost, "_using_torch", lambda folder: {"0.1": "rank 0", "0.2": "rank 1"})
    result = cli("cost", "--json", "c.json", "train.py")
    assert result.exit_code == 0
    assert "15 ms plain, 30 ms deterministic" in result.stdout
    assert "rank 1" in result.stdout
    found = json.loads((tmp_path / "c.json").read_text())
    assert found["plain_ms"] == pytest.approx(15)  # 20 and 10: the slower one of each step
    assert found["processes"] == [
        {"process": "rank 0", "steps": 2, "ms": {"plain": 10.0, "deterministic": 20.0}},
        {"process": "rank 1", "steps": 2, "ms": {"plain": 15.0, "deterministic": 30.0}},
    ]
