"""Programs that draw by themselves, where nothing that can be pinned explains a difference."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import entry

from samebits.check.trials.attribution.by_programs import by_programs


@pytest.fixture
def judge():
    """The cause where these programs were started, and a tensor from outside differs or not."""

    def cause(*started, data=True):
        entries = [
            entry("process", "start", detail=f"{name} by subprocess.run", line=n)
            for n, name in enumerate(started, 5)
        ]
        found = SimpleNamespace(data=data, is_unrecorded=False, process="")
        evidence = SimpleNamespace(of=lambda source: entries if source == "process" else [])
        return by_programs(SimpleNamespace(closer=found), evidence)

    return cause


def test_the_line_that_starts_a_program_which_draws_is_named(judge):
    cause = judge("sort", "shuf", "head")
    assert (cause.code, cause.detail, cause.line, cause.confidence) == (
        "entropy",
        "shuf",
        6,
        "likely",
    )
    assert "--random-source" in cause.fix


def test_other_programs_are_blamed_for_nothing(judge):
    assert judge() is None
    assert judge("sort", "git", "shuffle") is None


def test_what_torch_computes_itself_has_not_come_from_a_program(judge):
    assert judge("shuf", data=False) is None
