"""What the processes compute that a script starts is recorded, each in a run folder of its own."""

from __future__ import annotations

import sys

import pytest

from samebits.check.record.run import Target
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace

from .conftest import op_names


def recorded(trace: Trace) -> list[Trace]:
    """What the processes have recorded, in the order of their names."""
    own = (trace.process(process["name"]) for process in trace.manifest.processes)
    return [one for one in own if one is not None]


STARTED = """
    import torch, torch.multiprocessing as mp

    def work(number):
        torch.manual_seed(number)
        (torch.randn(4) * 2).sum()

    if __name__ == "__main__":
        torch.ones(3)
        {start}
    """
WITH_CONTEXT = """context = mp.get_context("{method}")
        process = context.Process(target=work, args=(1,))
        process.start()
        process.join()
        assert process.exitcode == 0"""
STARTS = {
    **{method: WITH_CONTEXT.format(method=method) for method in ("fork", "spawn", "forkserver")},
    "mp.spawn": "mp.spawn(work, nprocs=1)",
    "os.fork": """import os
        if os.fork() == 0:
            work(1)
            raise SystemExit
        os.wait()""",
    "executor": """from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(1, mp.get_context("fork")) as pool:
            pool.submit(work, 1).result()""",
    "pool": """with mp.get_context("fork").Pool(1) as pool:
            pool.map(work, [1])""",
}


@pytest.mark.parametrize("start", STARTS)
def test_each_way_to_start_a_process_is_recorded(record, start):
    trace = record(STARTED.format(start=STARTS[start]))
    assert op_names(trace) == ["ones"]
    (own,) = recorded(trace)
    assert op_names(own) == ["randn", "mul.Tensor", "sum"]
    row = own.row(1)
    assert (row.site.function, row.site.line) == ("work", 6)
    if start != "pool":  # which ends its workers by a signal
        assert not own.cut
    assert [p["rows"] for p in trace.manifest.processes if p["recorded"]] == [3]
    seeds = [one for one in own.ledger() if one.source == "torch-cpu" and one.event == "seed"]
    assert [one.site.line for one in seeds] == [5]


def test_a_program_is_recorded_that_a_script_starts(record):
    trace = record(
        f"""
        import subprocess
        code = "import torch; print((torch.ones(2) + 1).tolist())"
        subprocess.run([{sys.executable!r}, "-c", code], check=True)
        """
    )
    (own,) = recorded(trace)
    assert op_names(own) == ["ones", "add.Tensor"]
    assert own.manifest.complete


def test_a_process_of_a_process_is_recorded_and_named_after_it(record):
    trace = record(
        """
        import torch, multiprocessing as mp

        def inner():
            torch.ones(2).mul(3)

        def outer():
            torch.zeros(2)
            process = mp.get_context("fork").Process(target=inner)
            process.start()
            process.join()
            torch.zeros(3)

        if __name__ == "__main__":
            process = mp.get_context("spawn").Process(target=outer)
            process.start()
            process.join()
        """
    )
    outer, inner = recorded(trace)
    assert (op_names(outer), op_names(inner)) == (["zeros", "zeros"], ["ones", "mul.Tensor"])
    assert inner.folder.name.startswith(f"{outer.folder.name}.")


def test_a_process_that_computes_nothing_has_no_folder(record):
    trace = record(
        """
        import torch, multiprocessing as mp
        if __name__ == "__main__":
            process = mp.get_context("fork").Process(target=print, args=(1,))
            process.start()
            process.join()
        """
    )
    assert [p["torch"] for p in trace.manifest.processes] == ["idle"]
    assert not (trace.folder / "processes").exists()


def test_workers_of_a_loader_that_a_fork_server_makes_are_not_recorded(record):
    trace = record(
        """
        import torch
        from torch.utils.data import DataLoader

        class Rows(torch.utils.data.Dataset):
            def __len__(self):
                return 4
            def __getitem__(self, index):
                return torch.ones(2) * index

        if __name__ == "__main__":
            for batch in DataLoader(Rows(), num_workers=1, multiprocessing_context="forkserver"):
                batch.sum()
        """
    )
    assert not recorded(trace)


def test_steps_of_a_process_are_recorded_as_those_of_a_script(record):
    trace = record(
        """
        import torch, torch.multiprocessing as mp

        def train(rank):
            torch.manual_seed(rank)
            model = torch.nn.Linear(4, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(2, 4)).sum().backward()
                optimizer.step()

        if __name__ == "__main__":
            mp.start_processes(train, nprocs=2, start_method="fork")
        """,
        level="auto",
    )
    for own in recorded(trace):
        assert list(own.steps()["step"]) == [0, 1, 2, 3]
        assert all(own.steps()["parameters"][:3])
        phases = {own.row(number).phase for number in range(own.count_ops())}
        assert {"forward", "backward", "optimizer"} <= phases
    drawn = [
        [row.outputs for row in own.rows(range(own.count_ops())) if row.op == "aten.uniform_"]
        for own in recorded(trace)
    ]
    assert len(drawn[0]) == 2
    assert drawn[0] != drawn[1]


def test_a_killed_process_leaves_what_it_had_written_and_says_how_much_it_had_done(record):
    trace = record(
        """
        import os, signal, torch, multiprocessing as mp

        def work():
            x = torch.ones(2)
            for _ in range(9000):
                x = x + 1
            os.kill(os.getpid(), signal.SIGKILL)

        if __name__ == "__main__":
            process = mp.get_context("fork").Process(target=work)
            process.start()
            process.join()
        """
    )
    (own,) = recorded(trace)
    (process,) = trace.manifest.processes
    assert own.cut
    assert 0 < own.count_ops() < process["rows"] == 9001


def test_what_was_computed_before_a_message_is_written_before_it(record):
    trace = record(
        """
        import torch, multiprocessing as mp

        def work(queue):
            x = torch.ones(2)
            for _ in range(9000):
                x = x + 1
            queue.put(x.tolist())
            queue.close()
            queue.join_thread()
            import time
            time.sleep(600)

        if __name__ == "__main__":
            context = mp.get_context("fork")
            queue = context.Queue()
            process = context.Process(target=work, args=(queue,))
            process.start()
            assert queue.get() == [9001.0, 9001.0]
            process.kill()
            process.join()
        """
    )
    (own,) = recorded(trace)
    assert own.count_ops() == trace.manifest.processes[0]["rows"] == 9001


def test_what_a_process_opens_after_it_has_closed_everything_is_its_own(record, scripts):
    record(
        """
        import os, torch, multiprocessing as mp

        def work():
            torch.ones(2)
            os.closerange(3, 1000)
            files = [open(f"file-{n}", "wb", buffering=0) for n in range(20)]
            for file in files:
                file.write(b"12345")
            for _ in range(100):
                torch.ones(2) + 1
            os._exit(0)

        if __name__ == "__main__":
            process = mp.get_context("fork").Process(target=work)
            process.start()
            process.join()
            assert process.exitcode == 0
        """
    )
    assert [(scripts.folder / f"file-{n}").read_bytes() for n in range(20)] == [b"12345"] * 20


def test_a_rank_that_is_only_inherited_is_none(record, monkeypatch):
    monkeypatch.setenv("RANK", "0")
    trace = record(
        """
        import os, subprocess, sys
        code = "import torch; torch.ones(2)"
        for rank in ("0", "1"):
            environment = {**os.environ, "RANK": rank}
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        """
    )
    assert [p["rank"] for p in trace.manifest.processes] == ["", "1"]


def test_values_of_an_operation_in_a_forked_process_can_be_captured(scripts):
    script = scripts.write(STARTED.format(start=STARTS["fork"]))
    plain = scripts.run(Target(script=script), capture_output=True)
    (process,) = Trace.open(plain.folder).manifest.processes
    result = scripts.run(
        Target(script=script), capture_output=True, capture_row=1, acts_in=process["name"]
    )
    assert result.captured is not None


def test_a_rank_is_known_that_only_the_process_itself_knows(record):
    trace = record(
        """
        import torch, torch.distributed as dist, torch.multiprocessing as mp

        def work(rank, store):
            dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=2)
            x = torch.ones(2) * rank
            dist.all_reduce(x)
            assert (x + 0).tolist() == [1, 1]
            dist.destroy_process_group()

        if __name__ == "__main__":
            import os
            mp.spawn(work, args=(os.path.abspath("store"),), nprocs=2)
        """
    )
    assert [p["rank"] for p in trace.manifest.processes if p["recorded"]] == ["0", "1"]
    for own in recorded(trace):
        assert "c10d.allreduce_" in [row.op for row in own.rows(range(own.count_ops()))]


def test_switches_under_control_are_set_in_every_process(record):
    source = """
        import torch, torch.multiprocessing as mp

        def work(rank):
            print(rank, torch.are_deterministic_algorithms_enabled(), torch.rand(1).item())

        if __name__ == "__main__":
            mp.spawn(work, nprocs=2)
        """
    printed = [
        [p["printed"]["text"].split() for p in trace.manifest.processes if p["recorded"]]
        for trace in (record(source, control=True), record(source, control=True))
    ]
    assert printed[0] == printed[1]
    (first, second) = printed[0]
    assert first[:2] == ["0", "True"]
    assert first[2] != second[2]


def test_the_level_step_tells_whether_a_process_computed(record):
    trace = record(STARTED.format(start=STARTS["fork"]), level="step")
    assert [p["torch"] for p in trace.manifest.processes] == ["computed"]
    assert not recorded(trace)


@pytest.mark.parametrize("name", ["", "..", "0", "0.1/../..", "0.a", "../0.1", "0.1~"])
def test_names_that_are_no_processes_lead_nowhere(tmp_path, name):
    with pytest.raises(ValueError, match="names no process"):
        process_folder(tmp_path, name)
