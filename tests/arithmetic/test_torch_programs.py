"""docs/programs-of-torch.txt holds what torch makes of its functions, and notices when it moves.

Another version of torch may call other operations, or in another order; then bits change although
each operation is defined. `UPDATE_DOCS=1` writes the file anew: read the diff, and say in
docs/arithmetic-of-torch.md what has moved.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.arithmetic import torch_programs as programs

PATH = Path(__file__).parents[2] / "docs" / "programs-of-torch.txt"
PAGE = PATH.with_name("arithmetic-of-torch.md").read_text(encoding="utf-8")
VERSION = torch.__version__.split("+")[0]

HEADER = f"""\
# What torch {VERSION} makes of its functions inside samebits.exact(): the operations that it calls,
# which docs/arithmetic.md defines. a, b, c … are what a function is given, s0, s1 … the slopes of
# its results, p0, p1 … the parameters of a layer, 1, 2, 3 … results; "bits" names what all of it
# comes to. docs/arithmetic-of-torch.md explains it. Written by
# UPDATE_DOCS=1 python -m pytest tests/arithmetic/test_torch_programs.py
"""
FUNCTIONS = programs.functions()


def said() -> dict[str, list[str]]:
    """The lines of the file by the function that they belong to."""
    found: dict[str, list[str]] = {}
    lines = PATH.read_text(encoding="utf-8").splitlines() if PATH.exists() else []
    for line in lines:
        if line.endswith(":"):
            found[line[:-1]] = []
        elif line.startswith("  "):
            found[list(found)[-1]].append(line)
    return found


@pytest.fixture(scope="module")
def file() -> dict[str, list[str]]:
    if os.environ.get("UPDATE_DOCS"):
        blocks = [
            "\n".join([f"{name}:", *programs.recorded(*made)]) for name, made in FUNCTIONS.items()
        ]
        PATH.write_text("\n\n".join([HEADER.rstrip(), *blocks]) + "\n", encoding="utf-8")
    return said()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch_makes_of_its_functions_what_the_file_says(name, file):
    assert programs.recorded(*FUNCTIONS[name]) == file[name]


def test_the_file_says_which_torch_and_nothing_else(file):
    assert list(file) == list(FUNCTIONS)
    assert PATH.read_text(encoding="utf-8").startswith(HEADER)
    assert f"torch {VERSION}" in PAGE


def squared(x: torch.Tensor) -> torch.Tensor:
    return x * x


def squared_otherwise(x: torch.Tensor) -> torch.Tensor:
    return x.square()


class Doubled(torch.autograd.Function):
    """x squared with a derivative in another order."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return (grad + grad) * x  # type: ignore[no-any-return]


def test_other_operations_another_derivative_and_other_bits_are_noticed():
    x = programs.numbers(2, 3)
    right = programs.recorded(squared, x)
    assert right == programs.recorded(squared, x)
    for other in (squared_otherwise, Doubled.apply):
        assert programs.recorded(other, x) != right
    assert programs.recorded(squared, programs.numbers(2, 3, above=1))[-1] != right[-1]


def test_programs_name_their_tensors():
    lines = programs.recorded(lambda a, b: (a * b) + 1, *[programs.numbers(2)] * 2)
    assert "  2 = add.Tensor(1, 1)" in lines
