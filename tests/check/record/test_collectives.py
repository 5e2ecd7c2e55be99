"""What other processes write into a tensor is looked at once the script has waited for it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag

# The second rank takes part only once the first one has its handle: at that moment nothing can have
# arrived yet.
TWO_RANKS = """
    import os
    import subprocess
    import sys
    import time
    from pathlib import Path

    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as functional

    rank, number = int(os.environ.get("RANK", "0")), float(sys.argv[1])
    torch.set_num_threads(1)
    if rank == 0:
        command = [sys.executable, __file__, str(number)]
        other = subprocess.Popen(command, env={**os.environ, "RANK": "1"})
    dist.init_process_group("gloo", init_method="file://" + os.path.abspath("store"), rank=rank,
                            world_size=2)

    def together(name, begin):
        flag = Path(name)
        if rank == 1:
            while not flag.exists():
                time.sleep(0.01)
        handle = begin()
        flag.touch()
        return handle

    mine = torch.full((4,), 1.0 if rank == 0 else number)
    together("reduced", lambda: dist.all_reduce(mine, async_op=True)).wait()
    twice = mine * 2

    gathered = [torch.empty(4) for _ in range(2)]
    together("gathered", lambda: dist.all_gather(gathered, mine, async_op=True)).wait()
    stacked = torch.stack(gathered)

    fresh = torch.empty(3)
    if rank == 0:
        together("received", lambda: dist.irecv(fresh, 1)).wait()
    else:
        together("received", lambda: dist.isend(torch.full((3,), number), 0)).wait()
    tripled = fresh * 3

    summed = functional.all_reduce(torch.full((5,), number), "sum", dist.group.WORLD)
    doubled = summed + summed
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        other.wait()
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[Trace, Trace]:
    """The first rank of two runs in which the second one contributes other numbers."""
    traces = []
    for number in ("2", "3"):
        work = tmp_path_factory.mktemp(f"rank-{number}")
        Path(work, "ranks.py").write_text(textwrap.dedent(TWO_RANKS))
        command = Target(script=Path(work, "ranks.py"), args=(number,))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(work)
            result = run_script(command, work / "run", RunPlan(level="op", capture_output=True))
        assert result.exit_code == 0, result.stderr_tail
        traces.append(Trace.open(work / "run"))
    return traces[0], traces[1]


def rows_of(trace, op):
    found = [row for row in trace.rows(range(trace.count_ops())) if row.op == op]
    assert found, op
    return found


def test_a_collective_has_no_result_when_it_returns(runs):
    for op in ("c10d.allreduce_", "c10d.allgather_", "c10d.recv_", "_c10d_functional.all_reduce"):
        for trace in runs:
            assert all(row.flags & Flag.OPAQUE for row in rows_of(trace, op)), op


@pytest.mark.parametrize(
    "op", ["aten.mul.Tensor", "aten.stack", "_c10d_functional.wait_tensor", "aten.add.Tensor"]
)
def test_what_arrived_is_compared_where_it_is_first_used(runs, op):
    for first, second in zip(*(rows_of(trace, op) for trace in runs), strict=True):
        assert first.outputs != second.outputs


def test_what_arrived_is_data_at_its_first_use(runs):
    for row in rows_of(runs[0], "aten.mul.Tensor"):
        assert row.data
        assert not row.flags & Flag.READS_UNWRITTEN
    assert rows_of(runs[0], "aten.stack")[0].data
    assert rows_of(runs[0], "_c10d_functional.wait_tensor")[0].data


def test_a_receive_into_fresh_memory_reads_none_of_it(runs):
    for op in ("c10d.recv_", "c10d.allgather_"):
        assert not any(row.flags & Flag.READS_UNWRITTEN for row in rows_of(runs[0], op))
