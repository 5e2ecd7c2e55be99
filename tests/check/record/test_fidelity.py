"""A recorded script runs as under plain `python`: output, errors, exit, surroundings."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from samebits.check.trace.reader import Trace
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.environment import Environment

SURROUNDINGS = """
    '''What a script can see of itself.'''
    import atexit, os, signal, sys, warnings
    print(sys.argv, __name__, __file__, __spec__, __package__, __doc__, __builtins__)
    print(sys.path, sys.flags, sys.orig_argv, sys.warnoptions, sys.executable, sys.prefix)
    print(sorted(os.environ.items()))
    print(sorted(globals()), sys.modules["__main__"].__dict__ is globals())
    print(os.getcwd(), os.get_inheritable(1))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        print(type(stream), stream.name, stream.encoding, stream.errors, stream.isatty(),
              stream.line_buffering, stream.fileno(), stream.mode, stream is getattr(
              sys, "__" + stream.name.strip("<>") + "__"))
    print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__)
    print([signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGPIPE, signal.SIGHUP)])
    print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.gettrace(), sys.getprofile())
    print(os._exit.__name__, os._exit.__doc__)
    print("wärme ∆ \\udcff".encode("utf-8", "surrogateescape"))
    sys.stdout.write("no newline"); sys.stdout.flush()
    os.write(1, b" raw bytes \\xff\\n")
    print("to stderr", file=sys.stderr)
    warnings.warn("a warning")
    atexit.register(print, "at exit, first registered")
    atexit.register(print, "at exit, last registered")
    def inner():
        raise ValueError("the script's own error")
    try:
        inner()
    except ValueError as error:
        raise RuntimeError("and what came of it") from error
"""


def test_a_script_sees_and_writes_the_same(scripts):
    plain, recorded, result = scripts.both(SURROUNDINGS, "--flag", "a b", "")
    assert recorded == plain
    assert plain.code == 1
    manifest = Trace.open(result.folder).manifest
    assert manifest.exit == {"code": 1, "signal": None, "reason": "exception"}
    assert manifest.argv == ["script.py", "--flag", "a b", ""]


def test_what_a_script_prints_is_recorded_in_order(scripts):
    scripts.write("print('one', 'two', end='')\nprint()\nimport sys\nsys.stdout.write('3\\n')\n")
    _, result = scripts.recorded("script.py")
    assert Trace.open(result.folder).output() == "0\tone two\n0\t3\n"


@pytest.mark.parametrize(
    ("ending", "code", "reason"),
    [
        ("import sys; sys.exit()", 0, "finished"),
        ("import sys; sys.exit(7)", 7, "finished"),
        ("import sys; sys.exit('in words')", 1, "finished"),
        ("raise SystemExit((1, 2))", 1, "finished"),
        ("raise KeyboardInterrupt", -signal.SIGINT, "killed"),
        ("import os; os._exit(5)", 5, "finished"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, "killed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, "killed"),
        ("import os; os.abort()", -signal.SIGABRT, "killed"),
        ("import os; os.execvp('sh', ['sh', '-c', 'echo other; exit 4'])", 4, "killed"),
        ("1/0", 1, "exception"),
        ("x = (", 1, None),
    ],
)
def test_an_ending_is_the_scripts_own(scripts, ending, code, reason):
    plain, recorded, result = scripts.both("print('before', flush=True)\n" + ending)
    assert recorded == plain
    assert recorded.code == code
    trace = Trace.open(result.folder)
    assert trace.manifest.exit["code"] == (code if code >= 0 else None)
    assert trace.manifest.exit["signal"] == (-code if code < 0 else None)
    if reason is not None:
        assert trace.manifest.exit["reason"] == reason


def test_a_quick_end_leaves_out_what_cycles_hold(scripts):
    scripts.write(
        """
        import atexit, gc, sys
        gc.disable()
        class Left:
            def __del__(self, write=sys.__stderr__.write):
                write("finalized\\n")
        left = Left()
        left.itself = left
        atexit.register(print, "at exit")
        print("done")
        sys.exit(3)
        """
    )
    plain = scripts.plain("script.py")
    quick, result = scripts.recorded("script.py", ends_quickly=True)
    assert (plain.code, plain.stdout) == (quick.code, quick.stdout) == (3, b"done\nat exit\n")
    assert (plain.stderr, quick.stderr) == (b"finalized\n", b"")
    assert Trace.open(result.folder).manifest.complete


def test_a_module_runs_as_under_plain_python(scripts):
    scripts.write("", "package/__init__.py")
    scripts.write("answer = 42\n", "package/part.py")
    scripts.write(
        """
        import sys
        from .part import answer
        print(answer, __name__, __package__, __spec__.name, sys.argv, sys.path, __file__)
        """,
        "package/__main__.py",
    )
    plain = scripts.plain("-m", "package", "x")
    recorded, result = scripts.recorded(None, "x", module="package")
    assert recorded == plain
    assert plain.code == 0
    code = Trace.open(result.folder).manifest.code
    assert {Path(entry["path"]).name for entry in code} == {
        "__main__.py",
        "__init__.py",
        "part.py",
    }


def test_a_missing_module_is_the_interpreters_own_error(scripts):
    plain = scripts.plain("-m", "nowhere")
    recorded, _ = scripts.recorded(None, module="nowhere")
    assert recorded == plain
    assert plain.code == 1


SHADOWING = ("random", "json", "logging", "queue", "hashlib", "decimal", "ipaddress", "tempfile")


@pytest.mark.parametrize("where", ["beside", "on PYTHONPATH"])
def test_modules_that_shadow_the_standard_library_are_the_scripts(scripts, monkeypatch, where):
    folder = "." if where == "beside" else "elsewhere"
    for name in SHADOWING:
        scripts.write(f"mine = True\nprint('{name} is mine')\n", f"{folder}/{name}.py")
    scripts.write("", f"{folder}/zipfile/__init__.py")
    if where != "beside":
        monkeypatch.setenv("PYTHONPATH", str(scripts.folder / folder))
    plain, recorded, result = scripts.both(
        f"""
        import {", ".join(SHADOWING)}, zipfile, os
        from random import mine
        print(zipfile.__file__, os.environ.get("PYTHONPATH"))
        """
    )
    assert recorded == plain
    assert plain.code == 0
    assert Trace.open(result.folder).manifest.exit["reason"] == "finished"
    assert not Trace.open(result.folder).cut


def test_the_users_own_sitecustomize_runs(scripts, monkeypatch):
    scripts.write("import builtins\nbuiltins.mine = 'customised'\n", "site/sitecustomize.py")
    monkeypatch.setenv("PYTHONPATH", str(scripts.folder / "site"))
    plain, recorded, _ = scripts.both(
        """
        import os, sys
        print(mine, os.environ["PYTHONPATH"], sys.path, sys.modules["sitecustomize"].__file__)
        """
    )
    assert recorded == plain
    assert b"customised" in plain.stdout


def test_standard_input_reaches_the_script(scripts):
    scripts.write("import sys\nprint(sys.stdin.read()[::-1], input.__name__)\n")
    command = [sys.executable, "-m", "samebits", "run", "--no-control", "script.py"]
    done = subprocess.run(
        command, cwd=scripts.folder, input=b"abc", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"cba input\n")


def test_processes_of_the_script_run_plainly(scripts):
    plain, recorded, result = scripts.both(
        """
        import multiprocessing, os, subprocess, sys

        CODE = "import os, sys; print(sorted(os.environ.items()), sys.path, sys.modules.keys())"

        def work(number):
            return number * 2, "samebits" in sys.modules, os.environ.get("PYTHONPATH")

        if __name__ == "__main__":
            print(subprocess.run([sys.executable, "-c", CODE], capture_output=True).stdout)
            for method in ("spawn", "forkserver", "fork"):
                with multiprocessing.get_context(method).Pool(2) as pool:
                    found = pool.map(work, range(4))
                print(method, [value for value, *_ in found])
                if method != "fork":
                    print(found)
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                print("in the child")
                sys.exit(3)  # with every exit handler that it inherited
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                os._exit(4)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert recorded == plain
    assert plain.code == 0
    trace = Trace.open(result.folder)
    assert trace.manifest.exit == {"code": 0, "signal": None, "reason": "finished"}
    assert [p["exit"]["code"] for p in trace.manifest.processes][-2:] == [3, 4]
    assert "in the child" not in trace.output()


TORCH = """
    import os, random, sys, threading, warnings
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Squares(Dataset):
        def __len__(self):
            return 8
        def __getitem__(self, index):
            return torch.full((3,), float(index)), np.float32(index) ** 2

    def main():
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))
        optimizer = torch.optim.AdamW(net.parameters())
        for workers, context in ((0, None), (2, "fork"), (1, "spawn")):
            loader = DataLoader(Squares(), 4, shuffle=True, num_workers=workers,
                                multiprocessing_context=context, persistent_workers=workers > 0)
            for _ in range(2 if workers == 2 else 1):
                for x, y in loader:
                    loss = (net(x).squeeze(1) - y).square().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    print(workers, loss.item())
        thread = threading.Thread(target=lambda: print(torch.ones(3).sum()))
        thread.start()
        thread.join()
        print(torch.randn(2), torch.initial_seed(), torch.get_num_threads())
        print(torch.are_deterministic_algorithms_enabled(), nn.Module.__call__.__name__)
        print([p.sum().item() for p in net.parameters()])
        warnings.warn("from the script")
        torch.ones(2, 3) @ torch.ones(2, 3)

    if __name__ == "__main__":
        main()
"""


def test_training_with_workers_is_the_same(scripts):
    plain, recorded, result = scripts.both(TORCH)
    assert recorded == plain
    assert plain.code == 1
    assert b"mat1 and mat2 shapes cannot be multiplied" in plain.stderr
    trace = Trace.open(result.folder)
    assert trace.manifest.counts["steps"] == 8
    assert not trace.cut
    environment = Environment.read(result.folder)
    assert environment.torch["version"] == torch.__version__
    assert environment.packages.keys() >= {"torch", "numpy"}


COPIES = """
    '''What is copied, pickled and named under a recording, as `datasets` and others do.'''
    import copy, os, pickle, random, time, uuid
    import torch

    copied = copy.deepcopy(os.environ)
    print(type(copied).__name__, copied == os.environ, sorted(copy.copy(dict(os.environ))) != [])
    for function in (
        os.environ.encodekey, os.listdir, os.urandom, random.random, time.time, uuid.uuid4, open,
        torch.save, torch.manual_seed, torch.nn.Module.__call__, torch.Tensor.numpy
    ):
        same = copy.copy(function) is copy.deepcopy(function) is function
        print(function.__name__, same)
    generators = {"draw": random.Random(3).random, "clock": time.time, "parts": [os.urandom] * 2}
    print(sorted(copy.deepcopy(generators)))
    print(pickle.loads(pickle.dumps(time.time)) is time.time)
"""


@pytest.mark.parametrize("pinned", [(), ("clock", "entropy", "listing", "seeds")])
def test_functions_that_are_copied_stay_themselves(scripts, pinned):
    script = scripts.write(COPIES).name
    plain = scripts.plain(script)
    surroundings = Surroundings(hooks=tuple(HookSpec(name=name) for name in pinned))
    recorded, _ = scripts.recorded(script, surroundings=surroundings)
    assert recorded == plain
    assert b"False" not in plain.stdout
