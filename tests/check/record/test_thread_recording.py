"""What the threads compute that a script starts is recorded, each in a run folder of its own."""

from __future__ import annotations

import sys

import pytest

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.turns import turns

from .conftest import op_names

STARTED = """
    import torch

    def work():
        (torch.ones(4) * 2).sum()

    if __name__ == "__main__":
        torch.ones(3)
        {start}
    """
STARTS = {
    "Thread": """import threading
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()""",
    "subclass": """import threading
        class Worker(threading.Thread):
            def run(self):
                work()
        thread = Worker(daemon=True)
        thread.start()
        thread.join()""",
    "Timer": """import threading
        thread = threading.Timer(0, work)
        thread.start()
        thread.join()""",
    "ThreadPoolExecutor": """from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()""",
    "ThreadPool": """from multiprocessing.pool import ThreadPool
        with ThreadPool(1) as pool:
            pool.apply(work)""",
    "to_thread": """import asyncio
        asyncio.run(asyncio.to_thread(work))""",
    "_thread": """import _thread
        done = _thread.allocate_lock()
        done.acquire()
        _thread.start_new_thread(lambda: (work(), done.release()), ())
        done.acquire()""",
}


LOOP = """
    import asyncio
    import torch

    def work(x):
        return (x * 2).sum().item()

    async def main():
        for n in range(4):
            await asyncio.to_thread(work, torch.full((4,), float(n)))
        await asyncio.sleep(0)

    asyncio.run(main())
    """


def threads(trace: Trace) -> list[Trace]:
    """What the threads have recorded, in the order in which they were first started."""
    own = (trace.process(entry["name"]) for entry in trace.manifest.threads)
    return [one for one in own if one is not None]


@pytest.mark.parametrize("way", STARTS)
def test_a_thread_is_recorded_however_it_is_started(record, way):
    trace = record(STARTED.format(start=STARTS[way]))
    (thread,) = threads(trace)
    assert op_names(thread) == ["ones", "mul.Tensor", "sum"]
    assert {row.site.line for row in thread.rows(range(3))} == {5}
    assert op_names(trace) == ["ones"]  # its own are not among them
    (entry,) = trace.manifest.threads
    assert (entry["rows"], entry["steps"], entry["starter"], entry["nth"]) == (3, 0, "0", 0)


def test_a_thread_that_computes_nothing_leaves_nothing(record):
    trace = record(STARTED.format(start=STARTS["Thread"]).replace("(torch.ones(4) * 2).sum()", "1"))
    assert trace.manifest.threads == []
    assert not (trace.folder / "processes").exists()


def test_threads_go_by_their_line_and_by_as_which_of_several(record):
    trace = record("""
        import threading, torch
        def work(number):
            torch.full((2,), number)
        for turn in range(2):
            threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
            for thread in threads:
                thread.start()
            for thread in reversed(threads):
                thread.join()
        last = threading.Thread(target=work, args=(7,))
        last.start()
        last.join()
    """)
    entries = trace.manifest.threads
    assert [(entry["name"], entry["line"], entry["nth"]) for entry in entries] == [
        ("0+1", 8, 0),
        ("0+2", 8, 1),
        ("0+3", 8, 2),
        ("0+4", 12, 0),
    ]
    # The second turn's go on under the names of those that were joined.
    assert [thread.count_ops() for thread in threads(trace)] == [2, 2, 2, 1]


def test_a_thread_started_by_a_thread_says_so(record):
    trace = record("""
        import threading, torch
        def inner():
            torch.ones(2)
        def outer():
            torch.ones(1)
            thread = threading.Thread(target=inner)
            thread.start()
            thread.join()
        thread = threading.Thread(target=outer)
        thread.start()
        thread.join()
    """)
    found = {entry["name"]: (entry["line"], entry["starter"]) for entry in trace.manifest.threads}
    assert found == {"0+1": (11, "0"), "0+2": (8, "0+1")}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_threads_of_other_processes_are_recorded(record, method):
    trace = record(f"""
        import threading, torch, torch.multiprocessing as mp
        def work():
            torch.ones(2) * 3
        def child():
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        if __name__ == "__main__":
            process = mp.get_context({method!r}).Process(target=child)
            process.start()
            process.join()
            assert process.exitcode == 0
    """)
    (entry,) = trace.manifest.threads
    assert owner_of(entry["name"]) in {process["name"] for process in trace.manifest.processes}
    assert [op_names(thread) for thread in threads(trace)] == [["ones", "mul.Tensor"]]


def test_steps_of_a_thread_are_its_own(record):
    trace = record("""
        import threading, torch
        def train(steps):
            weight = torch.nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            for _ in range(steps):
                optimizer.zero_grad()
                weight.square().sum().backward()
                optimizer.step()
        thread = threading.Thread(target=train, args=(3,))
        thread.start()
        thread.join()
        train(2)
    """)
    (thread,) = threads(trace)
    steps = thread.steps()
    assert steps["kind"].tolist() == [0, 0, 0, 1]
    assert trace.manifest.counts["steps"] == 2
    phases = {row.phase for row in thread.rows(range(thread.count_ops()))}
    assert {"backward", "optimizer"} < phases
    assert steps["generators"].tolist() == [0] * 4  # several threads draw from them


def test_what_one_thread_computed_is_no_data_in_another(record):
    trace = record("""
        import threading, torch
        made = []
        thread = threading.Thread(target=lambda: made.append(torch.arange(4.0)))
        thread.start()
        thread.join()
        made[0] * 2
        torch.empty(3).fill_(1)
    """)
    (product, *_) = trace.rows(range(1))
    assert product.op == "aten.mul.Tensor"
    assert product.data == 0


def test_a_daemon_that_never_ends_keeps_what_it_did(record):
    trace = record("""
        import threading, torch
        begun, never = threading.Event(), threading.Event()
        def work():
            torch.ones(2)
            begun.set()
            never.wait()
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        torch.ones(1)
    """)
    (thread,) = threads(trace)
    assert op_names(thread) == ["ones"]
    assert thread.manifest.exit["reason"] == "running"


def test_many_threads_close_their_files(record):
    """Descriptors are few: each of 300 threads has a folder with four tables."""
    resource = pytest.importorskip("resource")
    limit = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 256)
    trace = record(f"""
        import resource, threading, torch
        resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
        pairs = []
        for number in range(300):
            thread = threading.Thread(target=torch.ones, args=(number,))
            thread.start()
            pairs.append(thread)
            if number % 10 == 9:
                for thread in pairs[-10:]:
                    thread.join()
    """)
    found = threads(trace)
    assert sum(thread.count_ops() for thread in found) == 300
    assert not any(entry["failure"] for entry in trace.manifest.threads)


def test_a_thread_from_before_torch_is_a_note(record):
    trace = record("""
        import threading
        go, done = threading.Event(), threading.Event()
        def work():
            go.wait()
            torch.ones(2)
            done.set()
        threading.Thread(target=work).start()
        import torch
        go.set()
        done.wait()
    """)
    assert trace.manifest.threads == []
    assert trace.manifest.notes == [
        "a thread was started at script.py:8 before torch was imported: its operations are not "
        "recorded"
    ]


def test_a_forked_child_of_a_thread_goes_on_by_itself(record):
    trace = record("""
        import os, threading, torch
        def work():
            torch.ones(2)
            if os.fork() == 0:
                torch.ones(5)
                os._exit(0)
            os.wait()
            torch.ones(3)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """)
    (thread,) = threads(trace)
    assert op_names(thread) == ["ones", "ones"]
    (child,) = [p for p in trace.manifest.processes if p["recorded"]]
    assert op_names(trace.process(child["name"])) == ["ones"]


@pytest.mark.skipif(sys.version_info < (3, 13), reason="such threads are of Python 3.13")
def test_threads_of_the_newer_kind_are_recorded(record):
    trace = record(
        STARTED.format(start="import _thread; _thread.start_joinable_thread(work).join()")
    )
    assert [op_names(thread) for thread in threads(trace)] == [["ones", "mul.Tensor", "sum"]]


def test_a_checkpoint_that_is_read_by_threads_shows_none(record):
    trace = record(
        """
        import samebits, torch

        torch.set_num_threads(2)
        model = torch.nn.Linear(4, 4)
        for _ in range(2):
            samebits.Checkpoint("saved", model=model).restore()
            samebits.Checkpoint("saved", model=model).save()
        """
    )
    assert trace.count_ops() > 0
    assert trace.manifest.threads == []


def test_the_order_of_what_an_event_loop_waits_for_is_known(scripts):
    """The thread on which a loop waits for its pool, as it ends, comes after all tasks."""
    _, result = scripts.recorded(scripts.write(LOOP))
    kept = [turns(one) for one in threads(Trace.open(result.folder))]
    assert kept
    assert None not in kept


AHEAD = """
    import threading, torch

    def prepare():
        n = 0
        while not stopping.is_set():
            torch.full((2,), n)
            n += 1
            if n == {until}:
                {end}

    torch.ones(3)
    stopping = threading.Event()
    threading.excepthook = lambda failure: None
    thread = threading.Thread(target=prepare)
    thread.start()
    thread.join()
    """
TOLD = AHEAD.format(until=2, end="stopping.set()")


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (AHEAD.format(until=4, end="stopping.set()"), "same"),
        (AHEAD.format(until=4, end="raise ValueError"), "different"),
    ],
)
def test_a_thread_that_is_further_is_a_difference_where_an_error_ends_one(record, other, verdict):
    runs = record(TOLD), record(other)
    ended = "finished" if verdict == "same" else "exception"
    assert [threads(run)[0].manifest.exit["reason"] for run in runs] == ["finished", ended]
    assert compare_traces(*runs).verdict == verdict
