"""What a variation means goes by what was seen: how something is computed, or what is done."""

from __future__ import annotations

import pytest

from samebits.check import causes
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS, Divergence
from samebits.check.trials.variations import _meaning
from samebits.check.trials.varied_line import is_computed_otherwise

EQUAL = "its output differs, although all its inputs agree"


def found(**changes):
    facts = {"kind": "output", "step": 0, "phase": "forward", "op": "aten.sum", "detail": EQUAL}
    return Divergence(**{**facts, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "inserted"},
        {"data": True},
        {"random": True},
        {"detail": PLAIN_ARGUMENTS},
        {"detail": UNEXPLAINED_INPUTS},
        {"kind": "printed", "op": "print"},
        {"kind": "step", "op": "loss"},
    ],
)
def test_no_mechanism_is_told_where_no_operation_showed_it(changes):
    assert not is_computed_otherwise(found(**changes))
    told = _meaning(causes.variation("threads"), found(**changes))
    assert told == "what the script does depends on the number of threads"


def test_an_operation_on_equal_inputs_computes_otherwise():
    assert is_computed_otherwise(found())
    told = _meaning(causes.variation("threads"), found())
    assert told.startswith("it gives different bits on the same inputs")
    assert "may" in told


def test_what_has_one_meaning_keeps_it():
    memory = causes.variation("memory")
    assert _meaning(memory, found(kind="inserted")) == memory.meaning
