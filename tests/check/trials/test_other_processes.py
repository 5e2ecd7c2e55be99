"""`check` on scripts whose work is done in other processes than their own."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import DEFAULT_RUNS, Limits


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Checks a script in a folder of the test."""
    monkeypatch.chdir(tmp_path)

    def run(source: str, *args: str, module: str | None = None, runs: int = 0):
        Path("script.py").write_text(textwrap.dedent(source))
        script = None if module else Path("script.py")
        target = Target(script=script, module=module, args=args)
        plan = RunPlan(capture_output=True)
        return check(target, plan=plan, out=tmp_path / "out", limits=Limits(runs=runs))

    return run


CHILD = """
    import subprocess, sys, torch
    torch.manual_seed(0); torch.zeros(1)
    subprocess.run([sys.executable, "-c", {code!r}])
    """


def test_a_random_number_that_a_child_prints_decides(judge):
    verdict = judge(CHILD.format(code="import random; print(random.random())"))
    assert verdict.verdict == "different"
    assert verdict.first_divergence.file.endswith("script.py")
    assert verdict.first_divergence.line == 4


def test_a_child_that_repeats_is_the_same_whatever_time_it_takes(judge):
    code = "import os, time; print(f'loss 0.5 took {time.perf_counter():.9f}s, pid {os.getpid()}')"
    verdict = judge(CHILD.format(code=code))
    assert (verdict.verdict, verdict.notes, verdict.not_compared) == ("same", verdict.notes, ())


def test_no_hold_proves_what_its_runs_could_not_show(judge):
    verdict = judge(
        """
        import subprocess, sys
        subprocess.run([sys.executable, "-I", "-c", "import random; print(random.random())"])
        """,
        runs=DEFAULT_RUNS,
    )
    assert verdict.verdict == "different"
    assert [(cause.code, cause.confidence) for cause in verdict.causes] == [("unknown", "likely")]


@pytest.mark.parametrize(
    ("code", "cause", "pin", "advice"),
    [
        ("import random; print(random.random())", "unseeded-rng", "seeds", "seed_everything"),
        (
            "import os, random; random.seed(os.getpid()); print(random.random())",
            "entropy",
            "entropy",
            "such as its rank",
        ),
        (
            "import random, time; random.seed(time.time_ns()); print(random.random())",
            "clock",
            "clock",
            "in place of the time",
        ),
    ],
)
def test_what_a_child_draws_or_reads_is_named(judge, code, cause, pin, advice):
    source = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}])\n"
    verdict = judge(source, runs=DEFAULT_RUNS)
    assert (verdict.causes[0].code, verdict.causes[0].line) == (cause, 2)
    assert verdict.minimal_controls == (pin,)
    assert advice in verdict.causes[0].fix


def test_children_draw_numbers_of_their_own_where_seeds_are_pinned(judge, tmp_path):
    verdict = judge(
        """
        import subprocess, sys
        code = "import random; print(random.random(), random.Random().random())"
        for _ in range(2):
            subprocess.run([sys.executable, "-c", code])
        """,
        runs=DEFAULT_RUNS,
    )
    assert verdict.minimal_controls == ("seeds",)
    folder = next((tmp_path / "out" / "attribution").glob("seeds-*"))
    manifest = Trace.open(folder).manifest
    printed = " ".join(child["printed"]["text"] for child in manifest.processes).split()
    assert len(printed) == len(set(printed)) == 4


def test_a_hash_order_in_a_child_is_held_still_by_what_it_inherits(judge):
    verdict = judge(
        """
        import subprocess, sys
        subprocess.run([sys.executable, "-c", "print(*{str(n) for n in range(50)})"])
        """,
        runs=DEFAULT_RUNS,
    )
    assert verdict.minimal_controls == ("hash-seed",)


SPAWNED = """
    import torch
    import torch.multiprocessing as mp

    def train(rank):
        {seed}
        torch.save(torch.randn(4), f"rank-{{rank}}.pt")

    if __name__ == "__main__":
        torch.zeros(1)
        mp.start_processes(train, nprocs=1, start_method="fork")
    """


def test_weights_that_only_a_child_saves_decide(judge):
    verdict = judge(SPAWNED.format(seed="torch.seed()"))
    assert verdict.verdict == "different"
    found = verdict.first_divergence
    assert found.process == "the process started at script.py:11 (mp.spawn)"
    assert (found.op, found.function) == ("aten.randn", "train")


def test_a_child_that_computes_and_agrees_is_the_same(judge):
    verdict = judge(SPAWNED.format(seed="torch.manual_seed(rank)"))
    assert verdict.verdict == "same"
    assert [len(run.processes) for run in verdict.runs] == [1, 1]


RANKS = """
    import time, torch
    import torch.distributed as dist

    torch.{seed}
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    began = time.time()
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "weights.pt")
        print(f"done in {{time.time() - began:.6f}} at {{time.time()}}")
    dist.destroy_process_group()
    """


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "expected"), [("seed()", "different"), ("manual_seed(0)", "same")]
)
def test_the_ranks_of_a_distributed_run(judge, seed, expected):
    ranks = ("--nproc-per-node", "2", "script.py")
    verdict = judge(RANKS.format(seed=seed), *ranks, module="torch.distributed.run")
    assert verdict.verdict == expected
    if expected == "different":
        assert verdict.first_divergence.process == "rank 0"
        assert verdict.first_divergence.op == "aten.uniform_"
    else:
        assert [one.name for one in verdict.runs[0].processes] == ["rank 0", "rank 1"]


def test_what_a_program_writes_into_a_file_that_it_is_given_decides(judge):
    verdict = judge(
        """
        import subprocess, torch
        torch.zeros(1)
        with open("numbers.txt", "w") as file:
            subprocess.run(["od", "-An", "-N8", "-tx1", "/dev/urandom"], stdout=file, check=True)
        """
    )
    assert verdict.verdict == "different"
    assert "the text of numbers.txt differs" in verdict.first_divergence.detail
    assert sys.platform != "win32"


def test_folders_of_runs_are_no_files_of_a_program_that_nobody_watches(judge):
    verdict = judge(
        """
        import subprocess, sys
        subprocess.run([sys.executable, "-I", "-c", "open('made.txt', 'w').write('1')"])
        """,
        runs=0,
    )
    assert verdict.first_divergence is None


SHARED = """
    import torch, torch.multiprocessing as mp

    def work(worker, tasks, done):
        while (task := tasks.get()) is not None:
            {seed}
            done.put((task, worker, torch.randn(1).item()))

    if __name__ == "__main__":
        torch.manual_seed(0)
        context = mp.get_context("fork")
        tasks, done = [context.Queue() for _ in range(2)], context.Queue()
        processes = [context.Process(target=work, args=(n, tasks[n], done)) for n in range(2)]
        for process in processes:
            process.start()
        import os
        first = os.path.exists("ran")  # who does the work is another one in every second run
        open("ran", "w").close()
        for task in range(4):
            tasks[(task > 0) ^ first].put(task)
        numbers = [done.get() for _ in range(4)]
        for queue in tasks:
            queue.put(None)
        for process in processes:
            process.join()
    """


@pytest.mark.parametrize(
    ("seed", "expected"), [("pass", "incomplete"), ("torch.manual_seed(task)", "same")]
)
def test_numbers_that_pace_gives_to_tasks_are_not_told_same(judge, seed, expected):
    verdict = judge(SHARED.format(seed=seed))
    assert verdict.verdict == expected, verdict
    if expected == "incomplete":
        assert "which task got which numbers" in verdict.not_compared[0].why
