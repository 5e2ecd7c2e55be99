"""The slice of a graph: from the first operation that differs to the loss, tensor by tensor."""

from __future__ import annotations

import pytest

from samebits.check.diff.explanation import CarriedTensor
from samebits.check.diff.followed import GivenTensor
from samebits.check.diff.graph_slice import carrying_edges, graph_slice
from samebits.check.diff.step_agreement import step_agreement

OP = {"op": "aten.mm", "outputs": 1, "inputs": 1}


def row(line, sources=None, *, gave=True, op="aten.mm", phase="forward", module=""):
    """An operation, and the rows that made what it was given; those that differ come first."""
    site = ("train.py", line, "main", module)
    given = bool(sources)
    columns = {"op": op, "inputs": 1 + given, "outputs": 1 + gave, "site": site, "phase": phase}
    return {**columns, "step": 0}, tuple(sources or ())


def as_in_a(rows):
    return [{**one, "inputs": 1, "outputs": 1} for one, _ in rows]


def slice_of(make_run, rows, distances=(), **options):
    a, b = make_run(as_in_a(rows)), make_run([one for one, _ in rows])
    found = step_agreement(a, b, (0, 0), 0)
    notes = [
        {
            number: {
                place: GivenTensor(run if one["inputs"] > 1 else 9, (maker,), "float32[4]")
                for place, maker in enumerate(sources)
            }
            for number, (one, sources) in enumerate(rows)
        }
        for run in (1, 2)
    ]
    graph = carrying_edges(found, *notes)
    return graph_slice(found, graph, a, 0, distances, **options)


BRANCHES = [
    row(1),  # 0: it begins
    row(2, [0]),  # 1
    row(3, [0], gave=False),  # 2: a comparison, say
    row(4),  # 3: differs by itself, and is in nobody's way
    row(5, [0]),  # 4: leads nowhere
    row(6, [0, 1]),  # 5: the loss
    row(7, [5], gave=False, op="aten.ones_like"),  # 6
    row(6, [5], phase="backward"),  # 7
    row(8, [7], phase="optimizer"),  # 8
]


def test_what_lies_between_the_first_operation_and_the_loss_is_the_slice(make_run):
    found = slice_of(make_run, BRANCHES, [(0, 1, 1e-7), (5, 64, 2e-3)])
    assert (found.goal, found.loss, found.joined) == ("loss", True, "operation")
    assert [(one.line, one.row, one.is_goal) for one in found.parts] == [
        (1, 0, False), (2, 1, False), (6, 5, True),
    ]  # fmt: skip
    assert [[t.source for t in one.given] for one in found.parts] == [[], [0], [0, 1]]
    assert found.parts[1].given[0] == CarriedTensor(source=0, signature="float32[4]", others=0)
    assert [one.max_ulp for one in found.parts] == [1, None, 64]
    assert (found.operations, found.reached, found.absorbed, found.others) == (3, 6, 2, 1)


def test_a_loss_that_agrees_is_passed_by(make_run):
    rows = [
        row(1),
        row(2, [0], gave=False),  # the loss is rounded to the same bits
        row(3, gave=False, op="aten.ones_like"),
        row(2, [0], phase="backward"),
        row(4, [3], phase="optimizer"),
    ]
    found = slice_of(make_run, rows)
    assert (found.goal, found.loss) == ("optimizer", False)
    assert [one.row for one in found.parts] == [0, 3, 4]


def test_what_begins_after_the_loss_leads_to_the_optimizer(make_run):
    rows = [row(2, phase="backward"), row(3, [0], phase="backward"), row(4, [1], phase="optimizer")]
    found = slice_of(make_run, rows)
    assert (found.goal, found.loss) == ("optimizer", None)
    assert [one.row for one in found.parts] == [0, 1, 2]


def test_without_a_step_it_leads_to_where_it_ends(make_run):
    found = slice_of(make_run, [row(1), row(2, [0]), row(3, [1]), row(4, [0])])
    assert (found.goal, [one.row for one in found.parts]) == ("end", [0, 1, 2, 3])


def test_a_tensor_whose_maker_agrees_carries_nothing(make_run):
    rows = [row(1), row(2, gave=False), row(3, [1])]
    assert [one.row for one in slice_of(make_run, rows).parts] == [0]


@pytest.mark.parametrize(
    ("most", "joined", "parts"),
    [(9, "operation", 9), (5, "line", 5), (3, "module", 3), (2, "module", 2)],
)
def test_neighbours_are_joined_until_few_enough_are_left(make_run, most, joined, parts):
    rows = [row(1)]
    for block in range(2):
        for line in (2, 3):
            for _ in range(2):
                number = len(rows) - 1
                rows.append(row(line, [number], module=f"layers.{block}"))
    found = slice_of(make_run, rows, most=most)
    assert (found.joined, len(found.parts)) == (joined, parts)
    assert sum(one.operations for one in found.parts) == 9
    assert all(t.source < n for n, one in enumerate(found.parts) for t in one.given)
    if most == 3:
        assert [one.module for one in found.parts] == ["", "layers.0", "layers.1"]
        assert found.parts[1].ops == ("aten.mm",)


def test_more_than_can_be_joined_is_cut_in_the_middle(make_run):
    rows = [row(1, phase="setup")]
    for number in range(10):
        rows.append(row(2 + number, [number], phase=("forward", "setup")[number % 2]))
    found = slice_of(make_run, rows, most=4)
    assert len(found.parts) <= 5
    assert sum(one.operations for one in found.parts) == 11


def test_where_nothing_begins_there_is_no_slice(make_run):
    assert slice_of(make_run, [row(1, gave=False), row(2)]) is None
