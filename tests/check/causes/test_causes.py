"""The causes: each explains itself, and everything that acts belongs to one of them."""

from __future__ import annotations

import pkgutil

import pytest

from samebits.check import causes, hooks
from samebits.check.causes import CAUSES, CODES, known
from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit

_SUPPORT = {
    "answers",
    "hand_overs",
    "cause",
    "culprit",
    "evidence",
    "hypothesis",
    "pace",
    "pin",
    "shared_generators",
    "variation",
}
"""What the causes' modules are made of."""


@pytest.mark.parametrize("cause", CAUSES, ids=CODES)
def test_each_explains_itself(cause):
    assert cause.meaning.endswith(".")
    assert cause.look.endswith(".")
    assert known(cause.code) is cause


def test_there_is_one_module_a_cause():
    modules = [m.name for m in pkgutil.iter_modules(causes.__path__) if not m.ispkg]
    of_causes = {type(cause).__module__.rpartition(".")[2] for cause in CAUSES}
    assert set(modules) - of_causes == _SUPPORT
    assert {cause.code.replace("-", "_") for cause in CAUSES} == of_causes


def test_every_hook_belongs_to_a_cause():
    users = [acting for cause in CAUSES for acting in (*cause.pins, *cause.variations)]
    used = {acting.hook for acting in users} | {
        hook.name for pin in causes.pins() for hook in pin.surroundings().hooks
    }
    assert set(hooks.names()) <= used | {"memory"}


def test_every_cause_that_is_pinned_makes_a_hypothesis():
    for cause in CAUSES:
        makes = type(cause).hypotheses is not KnownCause.hypotheses
        assert makes or not cause.pins, cause.code


@pytest.mark.parametrize("detail", ["urandom", "uuid", "secrets", "pid"])
def test_advice_on_entropy_speaks_of_what_was_asked_for(detail):
    advice = known("entropy").advice(Culprit(detail=detail), (), None)
    assert ("process number" in advice) == (detail == "pid")
    assert ("random.Random(0)" in advice) == (detail != "pid")
    assert "such as 0" in known("entropy").advice(Culprit(detail=detail, seeded=True), (), None)
