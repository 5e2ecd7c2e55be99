"""Data that differ with everything pinned are told by the first line whose values go into them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.unexplained_data import where_data_begin_to_differ

SOURCE = """\
run = library.name()
learnt = library.vocabulary()
ids = {word: n for n, word in enumerate(learnt)}
x = torch.tensor([ids[word] for word in words])
"""


@pytest.fixture
def told(tmp_path):
    """The cause of data that differ on line 4, by the names that differ after some lines."""
    script = tmp_path / "train.py"
    script.write_text(SOURCE)
    situation: Any = SimpleNamespace(
        closer=divergence(file=str(script), line=4, data=True), closer_scope=None
    )

    def ask(*lines, spent=False, usable=True, diverges=True, entries=()):
        values = ValueDifferences(
            lines=tuple(
                ValueDifference(
                    file=str(script), line=n, function="<module>", names=(name,), kinds=("dict",)
                )
                for n, name in lines
            )
        )

        def let_go(still, varied, scope, *, follow):
            assert (still, follow) == (varied, True)
            if spent:
                raise OutOfRunsError
            found = situation.closer if diverges else None
            return SimpleNamespace(usable=usable, divergence=found), values

        case: Any = SimpleNamespace(
            trials=SimpleNamespace(let_go=let_go),
            everything=lambda finding, now: Interventions(pinned=frozenset({"clock", "seeds"})),
            spent=False,
        )
        return where_data_begin_to_differ(
            case,
            situation,
            finding=None,
            evidence=Evidence(found=situation.closer, entries=entries),
        ), case

    return ask


def test_what_goes_into_the_data_is_named_and_not_what_differs_before(told):
    cause, _ = told((1, "run"), (2, "learnt"), (3, "ids"))
    assert (cause.code, cause.detail, cause.line) == ("data-changed", "learnt", 2)
    assert cause.confidence == "likely"
    assert "'learnt' differs after this line, and no variable before it" in cause.evidence


def test_where_no_way_leads_to_the_data_the_first_line_is(told):
    cause, _ = told((1, "run"))
    assert (cause.line, cause.detail) == (1, "run")
    assert "Whether it goes into these data was not seen." in cause.evidence


@pytest.mark.parametrize("facts", [{"usable": False}, {"diverges": False}])
def test_runs_that_tell_nothing_name_nothing(told, facts):
    assert told((2, "learnt"), **facts)[0] is None
    assert told()[0] is None


def test_a_budget_that_is_spent_is_noted(told):
    cause, case = told((2, "learnt"), spent=True)
    assert cause is None
    assert case.spent


@pytest.mark.parametrize(("given", "advice"), [("n_jobs=2", "n_jobs=1"), ("", "if it can be")])
def test_a_line_that_starts_threads_is_told_as_a_race_of_theirs(told, tmp_path, given, advice):
    script = tmp_path / "train.py"
    script.write_text(f"{SOURCE}library = Library({given})\n")
    site = Site(str(script), 2, "<module>", "")
    cause, _ = told((2, "learnt"), (3, "ids"), entries=[entry("thread", "start", site=site)])
    assert (cause.code, cause.detail, cause.line) == ("thread-timing", "learnt", 2)
    assert "What the line calls starts threads." in cause.evidence
    assert advice in cause.fix


def test_threads_of_another_line_are_no_reason(told, tmp_path):
    site = Site(str(tmp_path / "train.py"), 1, "<module>", "")
    cause, _ = told((2, "learnt"), (3, "ids"), entries=[entry("thread", "start", site=site)])
    assert cause.code == "data-changed"
