"""The first call of one of MKL's vector functions, which came out otherwise in one run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trials.attribution import first_call
from samebits.check.trials.attribution.procedure import attribute
from samebits.check.trials.attribution.situation import first_situation

LARGE = "float32[64, 64]"


def sine(**changes: Any) -> Any:
    facts = {"op": "aten.sin", "signature": LARGE, "data": False, **changes}
    return divergence(**facts)


@pytest.fixture
def recorded(attempt, make_run):
    """Whether two runs of two operations, the second of which differs, are explained by it."""

    def told(before: str, names: str, **facts: Any) -> bool:
        manifest = {
            "switches": {"vector-math": {"holds": False}},
            "environment": {"threads": {"torch": 2}},
            **facts,
        }
        runs = [
            make_run(
                [
                    {"op": before, "signature": LARGE},
                    {"op": names, "signature": LARGE, "outputs": n},
                ],
                **manifest,
            )
            for n in (1, 2)
        ]
        found = sine(op=names, rows=(1, 1))
        situation = first_situation(None, found, (runs[0], runs[1]), None)
        made = attempt("nothing", found=found, luck=(1,), pins_change_results=True)
        evidence = Evidence(found=found)
        return first_call.imprecise_first_call(made.case, situation, evidence) is not None

    return told


@pytest.fixture
def first(monkeypatch):
    monkeypatch.setattr(first_call, "_is_first", lambda trace, function, row: True)
    monkeypatch.setattr(first_call, "_may_race", lambda trace: True)


def test_the_odd_run_is_named_once_a_further_one_agrees_with_the_other(attempt, first):
    # It agrees with run B, which it is compared with first, and not with run A.
    made = attempt("nothing", found=sine(), luck=(1,), pins_change_results=True)
    (cause,) = attribute(made.case, made.situation).causes
    assert made.bench.calls == [("once more", ())]
    assert (cause.code, cause.detail, cause.confidence) == (
        "nondeterministic-op",
        "aten.sin",
        "likely",
    )
    assert cause.evidence.startswith("Run A got a different result")
    assert "torch.sin(torch.ones(1))" in cause.fix


def test_what_comes_next_is_explained_too(attempt, first):
    later = divergence(line=30, rows=(40, 40))
    made = attempt(
        parts=[(sine(), frozenset()), (later, frozenset({"hash-seed"}))],
        variables=14,
        pins_change_results=True,
    )
    causes = attribute(made.case, made.situation).causes
    assert [cause.code for cause in causes] == ["nondeterministic-op", "hash-order"]


def test_three_results_in_three_runs_are_something_else(attempt, first):
    made = attempt("threads", found=sine(), pins_change_results=True)
    result = attribute(made.case, made.situation)
    assert all("MKL" not in cause.evidence for cause in result.causes)
    assert len(made.bench.calls) > 1


@pytest.mark.parametrize(
    "found",
    [
        sine(op="aten.add.Tensor"),
        sine(signature="float32[4, 4]"),
        sine(signature="int64[64, 64]"),
        sine(data=True),
        sine(detail=PLAIN_ARGUMENTS),
    ],
    ids=["no vector function", "small", "whole numbers", "made of data", "another number given"],
)
def test_no_run_is_made_for_anything_else(attempt, first, found):
    made = attempt("nothing", found=found)
    case, situation = made.case, made.situation
    assert first_call.imprecise_first_call(case, situation, Evidence(found=found)) is None
    assert made.bench.calls == []


@pytest.mark.parametrize(
    ("before", "names", "is_it"),
    [
        ("aten.cos", "aten.sin", True),
        ("aten.sin", "aten.sin", False),
        ("aten.sin_", "aten.sin.out", False),
        ("aten._foreach_sqrt", "aten.sqrt", False),
    ],
)
def test_only_the_first_call_of_a_function_counts(recorded, before, names, is_it):
    assert recorded(before, names) is is_it


@pytest.mark.parametrize(
    "facts",
    [
        {"switches": {"vector-math": {"holds": True}}},
        {"switches": {"vector-math": {"holds": None}}},
        {"switches": {}},
        {"environment": {"threads": {"torch": 1}}},
        {"environment": {"threads": {"torch": 2}, "gpus": ["NVIDIA H100"]}},
    ],
    ids=["made beforehand", "no MKL", "not known", "one thread", "a GPU"],
)
def test_nothing_is_said_of_mkl_where_it_cannot_have_raced(recorded, facts):
    assert not recorded("aten.cos", "aten.sin", **facts)


def test_a_further_run_that_broke_off_says_nothing(attempt, first):
    made = attempt("nothing", found=sine(), luck=(1,), pins_change_results=True, hangs=True)
    case, situation = made.case, made.situation
    assert first_call.imprecise_first_call(case, situation, Evidence(found=sine())) is None
