"""`check` of ranks that fail, wait, or do what ranks seldom do: it ends, and says who and why."""

from __future__ import annotations

import contextlib
import os
import socket
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.check.diff.verdict import Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

Check = Callable[..., Verdict]

# Ranks by fork: torch is imported once for all of them.
RANKS = """
import os, sys, tempfile, time
import torch, torch.distributed as dist, torch.multiprocessing as mp

def join(rank, store):
    dist.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=WORLD
    )

def train(model, steps):
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(steps):
        model(torch.ones(4, 2)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

def work(rank, store):
    torch.manual_seed(0)
BODY
if __name__ == "__main__":
    store = os.path.join(tempfile.mkdtemp(dir=os.getcwd()), "store")
    mp.start_processes(work, (store,), nprocs=WORLD, start_method="fork")
"""


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)

    def run(
        source: str, *, world: int = 2, module: str | None = None, args=(), **options: object
    ) -> Verdict:
        body = textwrap.indent(textwrap.dedent(source), "    ")
        text = RANKS.replace("BODY", body).replace("WORLD", str(world)) if world else source
        Path("script.py").write_text(text)
        return check(
            Target(script=None if module else Path("script.py"), module=module, args=args),
            plan=RunPlan(capture_output=True, **options),
            out=tmp_path / "out",
            limits=Limits(runs=0),
        )

    yield run
    left = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.name != str(os.getpid()) and (entry / "cwd").readlink() == tmp_path:
                left.append((entry / "cmdline").read_bytes())
    assert not left


def line_of(code: str) -> int:
    return 1 + next(
        n for n, line in enumerate(Path("script.py").read_text().split("\n")) if code in line
    )


def noted(verdict: Verdict, *words: str) -> bool:
    return any(all(word in note for word in words) for note in verdict.notes)


def test_a_collective_that_the_other_rank_does_not_call(checked):
    verdict = checked(
        """
        join(rank, store)
        total = torch.ones(2) * (rank + 1)
        dist.all_reduce(total)
        if rank == 1:  # rank 0 keeps its connections until it ends, and is not ended for rank 1
            dist.all_reduce(total, op=dist.ReduceOp.MAX)
        """
    )
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    where = f"all_reduce at script.py:{line_of('ReduceOp.MAX')}; it had begun 2 collectives"
    assert noted(verdict, "rank 1 lost its connection", where), verdict.notes
    assert noted(verdict, "rank 0 had ended well")


def test_a_rank_that_waits_for_gradients_of_the_others(checked):
    source = """
        join(rank, store)
        mean = torch.ones(1)
        for _ in range(3):
            dist.all_reduce(mean)
        train(torch.nn.Linear(2, 1), 2 + (rank == 0))
        if rank == 1:
            sys.exit(3)
        """
    verdict = checked(source)
    reduces = "in the backward pass (where DistributedDataParallel all-reduces gradients)"
    where = f"{reduces} at script.py:{line_of('.sum().backward()')}; it had begun"
    assert noted(verdict, "rank 0", where), verdict.notes


@pytest.mark.slow
def test_ranks_that_take_different_numbers_of_steps(checked):
    verdict = checked("join(rank, store); train(torch.nn.Linear(2, 2), 2 + rank)")
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    assert noted(verdict, "rank 1 lost its connection", "in 2 steps"), verdict.notes
    assert noted(verdict, "rank 0 had ended well after 2 steps")


@pytest.mark.slow
def test_a_rank_that_never_joins(checked):
    verdict = checked(
        """
        torch.ones(2) + 1
        if rank == 1:
            time.sleep(600)
        join(rank, store)
        """,
        timeout=15.0,
    )
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    place = f"script.py:{line_of('dist.init_process_group(')}"
    assert noted(verdict, "1 of 2", "still waiting in init_process_group", place), verdict.notes
    asleep = f"still running at script.py:{line_of('time.sleep(600)')}"
    assert noted(verdict, "2 of 2", asleep), verdict.notes
    assert all(result.seconds < 60 for result in verdict.runs)


@pytest.mark.slow
def test_a_rank_that_waits_where_the_other_does_something_else(checked):
    verdict = checked(
        """
        join(rank, store)
        dist.all_reduce(torch.ones(2))
        if rank == 1:
            dist.all_reduce(torch.zeros(2))
        time.sleep(600 * (1 - rank))
        """,
        timeout=15.0,
    )
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    where = f"waiting in all_reduce at script.py:{line_of('torch.zeros(2)')}"
    assert noted(verdict, "rank 1", where), verdict.notes
    assert noted(verdict, "rank 0", f"running at script.py:{line_of('600 * (1')}")


def test_a_rank_that_forks_after_gloo_is_up(checked):
    verdict = checked(
        """
        join(rank, store)
        total = torch.ones(2) * (rank + 1)
        dist.all_reduce(total)
        child = os.fork()
        if child == 0:
            torch.save(total * 3, f"of-{rank}.pt")
            os._exit(0)
        os.waitpid(child, 0)
        dist.all_reduce(total)
        torch.save(total, f"total-{rank}.pt")
        dist.destroy_process_group()
        """
    )
    assert (verdict.verdict, verdict.not_compared) == ("same", ())
    names = [process.label for process in verdict.runs[0].processes]
    fork = f"process, script.py:{line_of('os.fork()')}"
    assert names == ["rank 0", "rank 1", f"rank 0, {fork}", f"rank 1, {fork}"]


DISK = """
    join(rank, store)
    value = torch.ones(2)
    dist.all_reduce(value)
    import resource
    if rank == 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, resource.RLIM_INFINITY))
    for step in range(50):
        value = value + torch.ones(2 + step).sum()
        dist.all_reduce(value)
    # torch ends a rank that cannot write into the file of its store.
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    dist.destroy_process_group()
    """


@pytest.mark.parametrize("room", [0, 3000])
def test_a_disk_that_is_full_for_one_rank(checked, room, tmp_path):
    """With no room at all, not even that can be noted."""
    verdict = checked(DISK.format(room=room))
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4), verdict
    assert {one.name for one in verdict.not_compared} == {"rank 1"}
    for found in verdict.not_compared:
        assert "not all of it is recorded" in found.why
        assert ("File too large" if room else "no room") in found.why
    for run in (tmp_path / "out" / "run-1", tmp_path / "out" / "run-2"):
        for process in Trace.open(run).manifest.processes:
            trace = Trace.open(run).process(process["name"])
            assert (trace is None or trace.count_ops() < 150) == (process["rank"] == "1")


def test_groups_of_the_same_ranks_in_another_order(checked):
    verdict = checked(
        """
        join(rank, store)
        from torch.distributed.device_mesh import DeviceMesh
        mesh = DeviceMesh("cpu", [1, 0])
        for group in (dist.new_group([0, 1]), dist.new_group([1, 0]), mesh.get_group()):
            whole = torch.zeros(4)
            dist.all_gather_into_tensor(whole, torch.full((2,), rank + 1.0), group=group)
            part = whole * (rank + 1)
            dist.broadcast(part, group=group, src=0)
            part + 1
        dist.destroy_process_group()
        """
    )
    assert (verdict.verdict, verdict.findings, verdict.not_compared) == ("same", (), ())


@pytest.mark.slow
def test_uneven_inputs_under_join(checked):
    verdict = checked(
        """
        join(rank, store)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        torch.manual_seed(rank)
        with model.join():
            for step in range(3 + 2 * rank):
                model(torch.randn(4, 2)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
        dist.destroy_process_group()
        """
    )
    assert (verdict.verdict, verdict.not_compared) == ("same", ())
    assert [process.steps for process in verdict.runs[0].processes] == [3, 5]


@pytest.mark.slow
def test_more_ranks_than_processors(checked):
    verdict = checked(
        "join(rank, store); train(torch.nn.Linear(2, 2), 2); dist.destroy_process_group()",
        world=16,
    )
    assert verdict.verdict == "same", verdict
    assert [p.name for p in verdict.runs[1].processes] == [f"rank {n}" for n in range(16)]


@pytest.mark.slow
def test_a_port_that_is_in_use(checked):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        verdict = checked(
            f"""
            dist.init_process_group(
                "gloo", init_method="tcp://127.0.0.1:{taken.getsockname()[1]}", rank=0, world_size=1
            )
            """,
            world=1,
        )
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    called = line_of('init_method="tcp:') - 1
    place = f"DistNetworkError at script.py:{called}"
    assert noted(verdict, "failed first", place, "EADDRINUSE"), verdict.notes


def test_a_process_that_outlives_the_script(checked):
    verdict = checked(
        """
import os, time, torch
torch.ones(3) + 1
reads, writes = os.pipe()
if os.fork() == 0:
    os.setsid()
    torch.ones(2) + 1
    os.write(writes, b".")
    time.sleep(600)
os.read(reads, 1)
""",
        world=0,
    )
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4), verdict
    (left,) = verdict.not_compared
    assert left.name == "the process started at script.py:5 (os.fork)"
    assert left.why.startswith("it went on after the script had ended")


def test_many_short_processes(checked, tmp_path):
    """Each leaves a line in the manifest, and no folder."""
    verdict = checked(
        """
import os, torch
torch.ones(3) + 1
for number in range(40):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
""",
        world=0,
    )
    assert verdict.verdict == "same", verdict
    run = tmp_path / "out" / "run-1"
    assert len(Trace.open(run).manifest.processes) == 40
    assert len(list(run.rglob("*"))) < 20


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ('sys.executable, "-c", "print(1)"', "python -c"),
        ('sys.executable, "-I", "-c", "print(1)"', "python -c"),
        ('"sh", "-c", "echo 1"', "sh"),
    ],
)
def test_a_script_that_becomes_another_program(checked, words, named):
    source = f"import os, sys, torch\ntorch.ones(3) + 1\nwords = [{words}]\n"
    verdict = checked(source + "os.execvp(words[0], words)\n", world=0)
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4), verdict
    (left,) = (one for one in verdict.not_compared if one.name == "what the script became")
    assert f"became another program: {named}, by os.exec at script.py:4" in left.why


def test_a_script_that_could_not_become_another_program(checked):
    verdict = checked(
        """
import os, sys, torch
if os.fork() == 0:
    try:
        os.execv("/no/python", ["python"])
    except OSError:
        torch.ones(2) + 1
        os._exit(0)
os.wait()
try:
    os.execv("/no/python", ["python"])
except OSError:
    torch.ones(3) + 1
""",
        world=0,
    )
    assert (verdict.verdict, verdict.not_compared) == ("same", ())
    assert [process.ops for process in verdict.runs[0].processes] == [2]


STARTS_RANK_1 = """
import multiprocessing as mp, os, sys, tempfile
import torch, torch.distributed as dist

def train(rank, store, steps):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(steps):
        model(torch.ones(4, 2)).sum().backward()
        optimizer.step()
    if rank:
        os._exit(3)

if __name__ == "__main__":
    store = os.path.join(tempfile.mkdtemp(dir=os.getcwd()), "store")
    mp.get_context("fork").Process(target=train, args=(1, store, 2)).start()
    train(0, store, 3)
"""


def test_the_scripts_own_process_as_a_rank(checked, tmp_path):
    """Its collectives and where it stood are told as those of the other ranks are."""
    verdict = checked(STARTS_RANK_1, world=0)
    assert verdict.verdict == "failed"
    manifest = Trace.open(tmp_path / "out" / "run-1").manifest
    assert manifest.extra["distributed"] == {"rank": 0, "world": 2}
    # Each of the model's buckets, and what it compares and broadcasts when it is wrapped.
    assert manifest.collectives >= 3
    reduces = "in the backward pass (where DistributedDataParallel all-reduces gradients)"
    where = f"{reduces} at script.py:{line_of('.sum().backward()')}; it had begun"
    assert noted(verdict, "rank 0 lost its connection", where, "in 2 steps"), verdict.notes
    assert noted(verdict, "rank 1 failed", "exit code 3")
