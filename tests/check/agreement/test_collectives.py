"""Results of collectives that all ranks of a group should share are compared between them."""

from __future__ import annotations

import pytest
from tests.check.process_entries import process_entry

from samebits.check.agreement.findings import findings
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace

SUM = {"op": "c10d.allreduce_", "signature": "float32[4]", "site": ("train.py", 21, "sync", "")}
USE = {"op": "aten.div_.Tensor", "site": ("train.py", 22, "sync", "")}
ROWS = [SUM, USE, {**SUM, "step": 1}, {**USE, "step": 1}]
ALL = "0:0,1,2"


def look(digest, *, at=0, group=ALL, sequence=None, place=7):
    """One look: at the result of the collective in row `at`, by the row after it."""
    return at, at + 1, group, at // 2 if sequence is None else sequence, place, digest


@pytest.fixture
def found(make_run):
    """What is found in a run whose ranks have looked at these results."""

    def find(*looks, rows=()):
        entries = [process_entry(f"0.{n + 1}", rank=n) for n in range(len(looks))]
        made = make_run([{}], processes=entries)
        own = list(rows) or [ROWS] * len(looks)
        for entry, received, recorded in zip(entries, looks, own, strict=True):
            folder = process_folder(made.folder, entry["name"])
            make_run(recorded, folder=folder, received=received)
        return findings(Trace.open(made.folder))

    return find


def test_the_first_result_that_differs_is_told(found):
    one, two = [look(5), look(6, at=2)], [look(5), look(8, at=2)]
    (told,) = found(one, one, two)
    assert (told.code, told.line, told.process) == ("replicas-disagree", 21, "ranks 0 to 2")
    assert told.detail == (
        "what ranks 0 to 2 hold of the result of c10d.allreduce_ differs in step 1"
    )
    assert told.evidence == (
        "equal layouts and other bits where each rank first looks at it, in aten.div_.Tensor; "
        "rank 2 has other bits than most"
    )


def test_the_first_one_is_the_first_of_the_lowest_rank(found):
    rows = [{**row, "step": step} for step in range(8) for row in (SUM, USE)]
    ranks = [[look(n + step, at=2 * step) for step in range(8)] for n in (5, 50)]
    (told,) = found(*ranks, rows=[rows, rows])
    assert told.detail.endswith("step 0")


def test_what_agrees_is_no_finding(found):
    assert found([look(5)], [look(5)]) == ()
    assert found([look(5), look(6, at=2)], [look(5)]) == ()  # nobody else has looked
    assert found([], []) == ()


@pytest.mark.parametrize(
    "other",
    [look(6, place=8), look(6, sequence=1), look(6, group="1:0,1")],
    ids=["another part", "another collective", "another group"],
)
def test_what_has_no_counterpart_is_not_compared(found, other):
    assert found([look(5)], [other]) == ()


def test_ranks_that_call_something_else_are_not_compared(found):
    for other in ({**SUM, "op": "c10d.broadcast_"}, {**SUM, "signature": "float32[8]"}):
        assert found([look(5)], [look(6)], rows=[ROWS, [other, *ROWS[1:]]]) == ()


def test_what_fsdp_gathers_is_told_elsewhere(found):
    rows = [SUM, {**USE, "op": "fsdp.split_with_sizes_copy"}]
    assert found([look(5)], [look(6)], rows=[rows, rows]) == ()


def test_a_look_whose_row_was_lost_does_not_count(found):
    assert found([look(5, at=6)], [look(6, at=6)]) == ()
