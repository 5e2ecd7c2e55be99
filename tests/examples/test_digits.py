"""The example that the first check runs on: same as it is, different without its seed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits.py"
SEED = "    torch.manual_seed(0)\n"
FIRST_DRAW = "nn.Conv2d(1, 16"


@pytest.fixture
def unseeded(tmp_path: Path) -> Path:
    source = EXAMPLE.read_text()
    assert source.count(SEED) == 1
    copy = tmp_path / "unseeded.py"
    copy.write_text(source.replace(SEED, ""))
    return copy


def check(script: Path, folder: Path) -> tuple[int, dict[str, Any]]:
    """Run `samebits check` on a script, and return its exit code and verdict file."""
    verdict = folder / "verdict.json"
    command = [sys.executable, "-m", "samebits", "check", "--quiet", "--json", str(verdict)]
    done = subprocess.run(
        [*command, str(script), "--epochs", "1"], cwd=folder, capture_output=True, check=False
    )
    return done.returncode, json.loads(verdict.read_text())


def assert_same(folder: Path) -> None:
    code, verdict = check(EXAMPLE, folder)
    assert (code, verdict["verdict"], verdict["causes"]) == (0, "same", []), verdict


def assert_different(script: Path, folder: Path) -> None:
    code, verdict = check(script, folder)
    assert (code, verdict["verdict"]) == (1, "different"), verdict
    lines = script.read_text().splitlines()
    first = verdict["first_divergence"]
    assert first["file"] == script.name
    assert FIRST_DRAW in lines[first["line"] - 1]
    assert first["op"] == "aten.uniform_"
    assert [cause["code"] for cause in verdict["causes"]] == ["unseeded-rng"]


def test_the_example_is_the_same_and_its_unseeded_copy_is_not(
    tmp_path: Path, unseeded: Path
) -> None:
    assert_same(tmp_path)
    assert_different(unseeded, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("time", range(10))
def test_ten_times_in_a_row(tmp_path: Path, unseeded: Path, time: int) -> None:
    assert_same(tmp_path)
    assert_different(unseeded, tmp_path)
