"""How a process ended, and where it stood, is in the manifest whatever it was doing."""

from __future__ import annotations

import sys
import time

import pytest

from samebits.check.record.processes.stack_place import (
    StackCall,
    calls_of_dump,
    place_on,
)
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

DUMP = """\
Thread 0x00007f5b8 (most recent call first):
  File "/lib/threading.py", line 320 in wait
  File "/home/me/train.py", line 3 in prefetch

Current thread 0x00007f5b9 (most recent call first):
  File "/site/torch/distributed/distributed_c10d.py", line 2810 in all_reduce
  File "/site/torch/distributed/c10d_logger.py", line 81 in wrapper
  File "/home/me/train.py", line 24 in average
  File "/home/me/train.py", line 40 in <module>
"""


def is_user(file: str) -> bool:
    return file.startswith("/home/")


def test_the_first_thread_of_a_dump_counts_and_the_call_that_the_line_made():
    place = place_on(calls_of_dump(DUMP), is_user)
    assert (place.file, place.line, place.operation) == ("/home/me/train.py", 24, "all_reduce")


@pytest.mark.parametrize("text", ["", "garbage\n", 'File "x", line y in z\n', DUMP[:70]])
def test_a_dump_that_says_nothing(text):
    assert place_on(calls_of_dump(text), is_user).line == 0


@pytest.mark.parametrize(
    ("calls", "operation"),
    [
        ([("/site/torch/autograd/graph.py", "_engine_run_backward")], "the backward pass"),
        ([("/site/torch/nn/parallel/distributed.py", "__init__")], "DistributedDataParallel"),
        ([("/site/torch/nn/functional.py", "linear")], ""),
        ([("/torch/distributed/x.py", "_b"), ("/torch/distributed/x.py", "a")], "a"),
    ],
)
def test_what_a_line_has_called(calls, operation):
    stack = [StackCall("/home/me/train.py", 9, "<module>")]
    stack += [StackCall(file, 1, function) for file, function in calls]
    assert place_on(stack, is_user).operation == operation


CHILD = """
    import multiprocessing, os, signal, sys
    def work():
        {doing}
    if __name__ == "__main__":
        process = multiprocessing.get_context("{method}").Process(target=work)
        process.start()
        process.join()
        sys.exit(1)
    """


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_an_exception_that_ends_a_process_is_noted_with_its_line(scripts, method):
    doing = "int('a') if True else 0"
    script = scripts.write(CHILD.format(doing=doing, method=method))
    result = scripts.run(Target(script=script), capture_output=True)
    assert "invalid literal" in result.stderr_tail
    assert "samebits" not in result.stderr_tail
    (found,) = (p for p in Trace.open(result.folder).manifest.processes if p["ending"])
    assert (found["ending"]["error"], found["ending"]["line"]) == ("ValueError", 4)
    assert found["ending"]["file"] == str(script)


def test_the_exception_that_ends_the_script_is_noted(scripts):
    script = scripts.write("def f():\n    raise KeyError('lr')\nf()\n")
    result = scripts.run(Target(script=script), capture_output=True)
    ending = Trace.open(result.folder).manifest.ending
    assert (ending["error"], ending["message"], ending["line"]) == ("KeyError", "'lr'", 2)


def test_an_exception_that_is_caught_is_no_ending(scripts):
    script = scripts.write(
        """
        import traceback
        try:
            raise KeyError("lr")
        except KeyError:
            traceback.print_exc()
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    assert Trace.open(result.folder).manifest.ending == {}


def test_where_processes_stand_when_the_time_is_up(scripts):
    """Also one that waits in C, and whose ending signal it would not notice."""
    script = scripts.write(
        """
        import os, signal, sys, threading, time
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        lock = threading.Lock()
        lock.acquire()
        if os.fork() == 0:
            lock.acquire()
        time.sleep(600)
        """
    )
    began = time.monotonic()
    result = scripts.run(Target(script=script), capture_output=True, timeout=2.0)
    assert result.timed_out
    assert time.monotonic() - began < 30
    manifest = Trace.open(result.folder).manifest
    assert (manifest.ending["by"], manifest.ending["line"]) == ("timeout", 8)
    (child,) = manifest.processes
    assert (child["ending"]["by"], child["ending"]["line"]) == ("timeout", 7)


def test_one_that_its_starter_ends_says_where_it_stood(scripts):
    script = scripts.write(CHILD.format(doing="__import__('time').sleep(600)", method="fork"))
    text = script.read_text().replace("process.join()", "import time; time.sleep(0.5)", 1)
    script.write_text(text.replace("sys.exit(1)", "process.terminate(); process.join()"))
    result = scripts.run(Target(script=script), capture_output=True)
    (child,) = Trace.open(result.folder).manifest.processes
    assert child["exit"]["signal"] == 15
    assert (child["ending"]["by"], child["ending"]["line"]) == ("process", 4)


def test_how_a_process_has_ended_is_known_where_nobody_asked(scripts):
    script = scripts.write(
        f"""
        import subprocess, time
        child = subprocess.Popen([{sys.executable!r}, "-c", "raise SystemExit(3)"])
        open("/proc/%d/stat" % child.pid)
        while open("/proc/%d/stat" % child.pid).read().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        time.sleep(600)
        """
    )
    result = scripts.run(Target(script=script), capture_output=True, timeout=4.0)
    (child,) = Trace.open(result.folder).manifest.processes
    assert child["exit"] == {"code": 3, "signal": None}


def test_the_question_is_not_seen_by_the_program(scripts):
    plain, recorded, _ = scripts.both(
        """
        import signal, sys
        print(signal.getsignal(signal.SIGRTMAX - 6), "faulthandler" in sys.modules)
        import faulthandler
        print(faulthandler.is_enabled())
        """
    )
    assert recorded == plain


@pytest.mark.parametrize("imports", ["", "import faulthandler"])
def test_where_a_fault_in_c_has_ended_it(scripts, imports):
    """A script that wants to hear of faults itself hears of them as ever."""
    script = scripts.write(CHILD.format(doing=f"{imports}\n        os.abort()", method="fork"))
    result = scripts.run(Target(script=script), capture_output=True)
    (child,) = Trace.open(result.folder).manifest.processes
    assert child["exit"]["signal"] == 6
    assert child["ending"].get("line", 0) == (0 if imports else 5)
    assert "Fatal Python error" not in result.stderr_tail


def test_collectives_are_counted_by_torch(scripts):
    """Those of DistributedDataParallel, too; by the last step where the process could not tell."""
    script = scripts.write(
        """
        import os, sys, torch, torch.distributed as dist
        if os.fork():
            os.wait()
            sys.exit(1)
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(3):
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
        os.kill(os.getpid(), 9)
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    (rank,) = Trace.open(result.folder).manifest.processes
    assert rank["exit"]["signal"] == 9, result.stderr_tail
    assert rank["steps"] == 3
    assert rank["collectives"] >= 5  # those of wrapping the module, and one in each step


@pytest.mark.parametrize(
    ("wrapped", "operation"),
    [
        (
            "torch.nn.parallel.DistributedDataParallel(model)",
            "the backward pass (where DistributedDataParallel all-reduces gradients)",
        ),
        ("model", "the backward pass"),
    ],
)
def test_a_backward_pass_that_reduces_gradients_says_so(scripts, wrapped, operation):
    script = scripts.write(
        f"""
        import ctypes, os, sys, torch, torch.distributed as dist
        if os.fork():
            os.wait()
            sys.exit(1)
        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        model = torch.nn.Linear(2, 2)
        model = {wrapped}
        output = model(torch.ones(1, 2))
        abort = ctypes.CDLL(None).abort
        abort.argtypes = [ctypes.py_object]
        output.register_hook(abort)
        dist.all_reduce(torch.ones(1))
        output.sum().backward()
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    (rank,) = Trace.open(result.folder).manifest.processes
    assert rank["exit"]["signal"] == 6, result.stderr_tail
    assert rank["ending"]["operation"] == operation


def test_compiling_a_wrapped_model_says_no_more_than_without_samebits(scripts):
    script = scripts.write(
        """
        import os, sys, torch, torch.distributed as dist
        if os.fork():
            os.wait()
            sys.exit(0)
        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
        torch.compile(model, backend="eager")(torch.ones(1, 2)).sum().backward()
        sys.exit(type(type(model).forward).__name__ != "function")
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    assert "samebits" not in result.stderr_tail
    (rank,) = Trace.open(result.folder).manifest.processes
    assert rank["exit"]["code"] == 0, result.stderr_tail
