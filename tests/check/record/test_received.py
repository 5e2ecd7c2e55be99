"""What is seen of a collective's result at the first look, and what is no look at it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag

# A group of one: what collectives leave is what they were given.
SCRIPT = """
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as functional

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    def reduced(*numbers):
        tensor = torch.tensor(numbers)
        return tensor, dist.all_reduce(tensor, async_op=True)

    tensor, work = reduced(1.0, 2.0, 3.0, 4.0)
    halves = tensor.view(2, 2)         # reads nothing: the transfer may be under way
    first, second = halves.unbind(0)
    work.wait()
    second.exp()                       # a part of it
    first.sin_()                       # the other part, before it is written
    tensor.cos()                       # not what came any more

    tensor, work = reduced(1.0, 2.0, 3.0, 4.0)
    work.wait()
    tensor.zero_().tan()               # overwritten before anybody has looked

    tensor, work = reduced(1.0, 2.0, 3.0, 4.0)
    work.wait()
    address = tensor.data_ptr()
    del tensor, work
    for _ in range(64):
        again = torch.ones(4) * 2
        if again.data_ptr() == address:
            break
    again.log()                        # other memory at its address

    tensor = torch.ones(4)
    dist.broadcast(tensor, src=0)
    tensor.numpy()[:] = 0.25           # after it has come
    tensor.erfc()

    tensor, work = reduced(1.0, 2.0, 3.0, 4.0)
    tensor.asin()                      # before it was waited for
    tensor.numpy()[:] = 0.5            # what a late transfer does
    tensor.acos()
    tensor.numpy()[:] = 0.75
    tensor.view(2, 2).asinh()          # through a view that was made after that
    other = torch.ones(4)
    other.numpy()[:] = 0.5
    other.atan()

    outs = [torch.empty(2)]
    dist.all_gather(outs, torch.ones(2))
    torch.stack(outs)
    dist.reduce(outs[0], 0)
    outs[0].sqrt()                     # a reduction to one rank is owed to nobody else
    summed = functional.all_reduce(torch.ones(3), "sum", dist.group.WORLD)
    (summed + 1)
    loader = torch.utils.data.DataLoader(torch.arange(4.0).reshape(4, 1), num_workers=1)
    for batch in loader:
        batch.erf()
    dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Trace:
    work = tmp_path_factory.mktemp("received")
    script = Path(work, "one.py")
    script.write_text(textwrap.dedent(SCRIPT))
    result = run_script(Target(script=script), work / "run", RunPlan(level="op"))
    assert result.exit_code == 0, result.stderr_tail
    return Trace.open(work / "run")


@pytest.fixture(scope="module")
def looks(trace):
    """(collective, sequence, what looked) of each look, in their order."""
    found = []
    for batch in trace.iter_received():
        columns = [batch.columns[name].tolist() for name in ("row", "sequence", "looked", "group")]
        for row, sequence, looked, group in zip(*columns, strict=True):
            assert batch.names["group"][group] == "0:0"
            found.append((trace.row(row).op, sequence, trace.row(looked).op))
    return found


def flags_of(trace, op):
    return [row.flags for row in trace.rows(range(trace.count_ops())) if row.op == op]


def test_each_part_of_a_result_is_looked_at_once_and_before_it_is_written(looks):
    of_first = [look for look in looks if look[1] == 0]
    assert [op for _, _, op in of_first] == ["aten.exp", "aten.sin_"]


def test_what_was_overwritten_or_freed_is_not_looked_at(looks):
    assert not [look for look in looks if look[1] in (1, 2)]


def test_what_was_waited_for_at_once_is_looked_at_before_anybody_writes_there(looks):
    assert [look for look in looks if look[1] == 3] == [("c10d.broadcast_", 3, "c10d.broadcast_")]


def test_gathered_and_functional_results_are_looked_at(looks):
    assert [look for look in looks if look[1] > 4] == [
        ("c10d.allgather_", 5, "c10d.allgather_"),
        ("_c10d_functional.all_reduce", 6, "_c10d_functional.wait_tensor"),
    ]


def test_a_view_of_what_is_under_way_reads_nothing(trace):
    rows = trace.rows(range(trace.count_ops()))
    begun = next(row.index for row in rows if row.op == "c10d.allreduce_")
    view = rows[begun + 1]
    assert view.op == "aten.view"
    assert not view.data
    assert not view.flags & Flag.RECEIVED
    for op in ("aten.exp", "aten.sin_"):
        assert all(flags & Flag.RECEIVED for flags in flags_of(trace, op))


def test_what_still_arrives_after_the_first_look_is_received(trace):
    rows = {row.op: row for row in trace.rows(range(trace.count_ops()))}
    assert rows["aten.acos"].data
    assert rows["aten.acos"].flags & Flag.RECEIVED
    assert rows["aten.asinh"].data
    assert rows["aten.asinh"].flags & Flag.RECEIVED
    assert rows["aten.atan"].data
    assert not rows["aten.atan"].flags & Flag.RECEIVED


def test_only_what_came_by_a_collective_is_marked_so(trace):
    assert not any(flags & Flag.RECEIVED for flags in flags_of(trace, "aten.erf"))
    assert not any(flags & Flag.RECEIVED for flags in flags_of(trace, "aten.log"))
    erf = next(r for r in trace.rows(range(trace.count_ops())) if r.op == "aten.erf")
    assert erf.data
