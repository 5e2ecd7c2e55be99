"""Each operation of which torch's own answer is taken gives it on every build and thread count."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tests.arithmetic import safe_cases

from samebits.arithmetic import registry
from samebits.arithmetic.gate import is_composed
from samebits.arithmetic.operations import all as _all  # noqa: F401  fills the table

ROOT = Path(__file__).parents[2]
SAFE = sorted(name.removeprefix("aten.") for name in registry.SAFE)
THREADS = (1, 2, 3, 7)


def test_each_safe_name_has_a_case():
    assert set(SAFE) - set(safe_cases.CASES) - safe_cases.NO_VALUES == set()


def test_no_safe_name_is_composed_by_torch_of_others():
    """What torch composes may take another way in another version, or without autograd."""
    assert [name for name in SAFE if is_composed(safe_cases._overload(name))] == []


def found_with(capability: str, rows: int, dtypes: list[str], threads: list[int]) -> dict:
    """What `safe_cases` prints where torch is held to an instruction set."""
    settings = json.dumps({"rows": rows, "dtypes": dtypes, "threads": threads})
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.arithmetic.safe_cases", settings],
        cwd=ROOT,
        env={**os.environ, "ATEN_CPU_CAPABILITY": capability},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert capability in (answer["capability"].lower(), "avx512")  # which not every processor has
    return answer["found"]


def differing(wanted: dict[str, str], found: dict[str, dict[str, str]]) -> list[str]:
    """Calls that some number of threads answers otherwise, of names that are safe."""
    return sorted(
        {
            key
            for answers in found.values()
            for key, value in answers.items()
            if value != wanted[key] and key.split()[0] in SAFE
        }
    )


def test_a_sample_on_the_plainest_build():
    if platform.machine() != "x86_64":
        pytest.skip("torch has one build for this processor")
    names, dtypes = sorted(safe_cases.CASES), ["float32", "bfloat16"]
    wanted = dict(safe_cases.results(40, names, dtypes))
    assert differing(wanted, found_with("default", 40, dtypes, [1, 3])) == []


@pytest.mark.slow
@pytest.mark.parametrize("dtype", safe_cases.DTYPES)
def test_large_inputs_with_every_build_and_thread_count(dtype):
    """Ties, repeated indices, subnormals and NaN with payloads among 370 000 values."""
    if platform.machine() != "x86_64":
        pytest.skip("torch has one build for this processor")
    wanted: dict[str, str] = {}
    for capability in ("default", "avx2", "avx512"):
        found = found_with(capability, 600, [dtype], list(THREADS))
        wanted = wanted or found["1"]
        assert differing(wanted, found) == [], capability


def test_a_case_notices_another_answer(monkeypatch):
    names = ["index.Tensor", "cat"]
    wanted = dict(safe_cases.results(40, names, ["float32"]))
    monkeypatch.setitem(safe_cases.CASES, "cat", lambda o: torch.cat([o.x, o.y, o.x + 0.0]))
    found = dict(safe_cases.results(40, names, ["float32"]))
    assert differing(wanted, {"1": found}) == ["cat float32"]
