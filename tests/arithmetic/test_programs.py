"""Programs as people write them run inside `exact()`, with equal bits for builds and threads."""

from __future__ import annotations

import importlib

import pytest
import torch
from tests.arithmetic.conftest import builds

import samebits
from samebits.core.fingerprint import isa

QUICK = ("ctc", "meta", "transformer")
OTHERS = ("diffusion", "gan", "gnn", "lstm", "vae")


def bits_of(name: str, build: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> str:
    program = importlib.import_module(f"tests.arithmetic.programs.{name}")
    monkeypatch.setenv(isa.VARIABLE, build)
    torch.set_num_threads(threads)
    with samebits.exact():
        return samebits.fingerprint(list(program.train()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
def test_a_program_has_the_same_bits_for_another_build_and_threads(name, monkeypatch):
    known = builds()
    assert bits_of(name, known[0], 1, monkeypatch) == bits_of(name, known[-1], 3, monkeypatch)
