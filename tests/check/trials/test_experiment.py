"""`check` on real scripts: what it says of each way in which runs can part, or fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from samebits.check.diff.verdict import Verdict
from samebits.check.record import launcher
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits
from samebits.errors import RecordError

from .light_scripts import WITHOUT_DYNAMO

# `turn` is 1 in the first run, 2 in the second, …
TRAIN = """
    import os, pathlib, sys
    import torch
    from torch import nn
    {without_dynamo}
    marks = pathlib.Path("marks")
    with marks.open("a") as file:
        file.write(".")
    turn = marks.stat().st_size

    def main():
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        {setup}
        for step in range(4):
            x = torch.randn(8, 4)
            {data}
            loss = net(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        {end}

    main()
"""


def train(setup="pass", data="pass", end="pass") -> str:
    light = textwrap.indent(WITHOUT_DYNAMO, "    ")
    return TRAIN.format(setup=setup, data=data, end=end, without_dynamo=light)


class Checked:
    """Checks scripts in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = ""

    def __call__(self, source: str, *, runs: int = 2, **options) -> Verdict:
        self.source = textwrap.dedent(source)
        (self.folder / "script.py").write_text(self.source)
        target = Target(script=Path("script.py"))
        given = RunPlan(capture_output=True, **options)
        return check(target, runs=runs, plan=given, out=self.folder / "out", limits=Limits(runs=0))

    def line(self, text: str) -> int:
        (found,) = [n for n, line in enumerate(self.source.splitlines(), 1) if text in line]
        return found


@pytest.fixture
def checked(tmp_path, monkeypatch) -> Checked:
    monkeypatch.chdir(tmp_path)
    return Checked(tmp_path)


def test_a_seeded_script_is_the_same(checked):
    # What it saves and prints counts by its tensors; the marks file differs and is only noted.
    verdict = checked(
        train(end='torch.save(net.state_dict(), f"net-{turn}.pt"); print(net(x).sum().item())'),
        runs=3,
    )
    assert verdict.verdict == "same"
    assert verdict.first_divergence is None
    assert len(verdict.runs) == 3
    assert {run.steps for run in verdict.runs} == {4}
    assert len({run.ops for run in verdict.runs}) == 1
    assert all(run.complete and run.exit_code == 0 for run in verdict.runs)
    trace = Trace.open(verdict.runs[0].folder)
    assert trace.row(trace.count_ops() - 1).step == 0  # at level auto, then steps


def test_an_unseeded_draw_is_named(checked):
    verdict = checked(train(setup="torch.seed(); net[0].weight.data.normal_()"))
    assert verdict.verdict == "different"
    first = verdict.first_divergence
    assert (first.op, first.line, first.step) == ("aten.normal_", checked.line("normal_"), 0)
    assert first.random
    assert first.max_abs > 0
    assert first.max_ulp > 0
    assert verdict.causes[0].code == "unseeded-rng"


def test_data_in_another_order_are_blamed_on_the_data(checked):
    verdict = checked(
        train(
            setup="import numpy as np; order = np.random.permutation(32).reshape(8, 4)",
            data="x = x + torch.from_numpy(order)",
        )
    )
    first = verdict.first_divergence
    assert first.data
    assert first.line == checked.line("from_numpy")
    assert verdict.causes[0].code == "data-changed"


def test_a_difference_in_a_late_step_is_looked_at_closer(checked):
    verdict = checked(
        train(
            setup="own = torch.Generator(); own.seed()",
            data="x = x * torch.rand(1, generator=own) if step == 2 else x",
        )
    )
    first = verdict.first_divergence
    assert (first.step, first.line) == (2, checked.line("if step == 2"))
    assert first.op == "aten.rand.generator"
    assert first.max_abs > 0


def test_a_difference_that_comes_and_goes_is_said_to(checked):
    verdict = checked(train(data="x = x + (step == 2) * (turn == 2)"))
    assert verdict.verdict == "different"
    assert verdict.first_divergence.kind == "step"
    assert verdict.first_divergence.step == 2
    assert any("the difference is intermittent" in note for note in verdict.notes)


def test_a_difference_that_shows_in_another_step_is_found_there(checked):
    # Runs 3 and 4 look at step 2, runs 5 and 6 at every step.
    odd = "x = x + ((step, turn) in ((2, 2), (1, 6)))"
    first = checked(train(data=odd)).first_divergence
    assert (first.kind, first.step, first.line) == ("output", 1, checked.line("(1, 6)"))


def test_another_number_of_operations_is_a_finding(checked):
    verdict = checked(train(data="x = x.relu() if turn == 2 else x"))
    first = verdict.first_divergence
    assert (first.kind, first.op, first.line) == ("inserted", "aten.relu", checked.line("relu()"))
    assert verdict.causes[0].code == "control-flow"


def test_tensors_in_a_saved_file_count(checked):
    verdict = checked(
        train(end="net[0].bias.data.add_(turn); torch.save(net.state_dict(), 'n.pt')")
    )
    assert verdict.verdict == "different"
    assert verdict.first_divergence.kind in ("output", "saved")


def test_control_makes_an_unseeded_script_the_same(checked):
    source = """
        import random
        import numpy as np
        import torch
        x = torch.randn(3) + random.random() + torch.from_numpy(np.random.rand(3))
        print(x, hash("text"), {"a", "b", "c"})
    """
    verdict = checked(source, control=True, level="op")
    assert verdict.verdict == "same"
    assert not any("not held" in note for note in verdict.notes)
    assert "printed" not in " ".join(verdict.notes)


@pytest.mark.parametrize("level", ["step", "module", "op"])
def test_every_level_says_the_same_up_to_a_step(checked, level):
    verdict = checked(train(data="x = x + (step == 3) * turn"), level=level, steps=2)
    assert verdict.verdict == "same"
    assert [run.steps for run in verdict.runs] == [2, 2]
    assert (verdict.runs[0].ops == 0) is (level == "step")


def test_a_generator_that_nobody_draws_from_is_no_finding(checked):
    verdict = checked("import torch\nx = torch.ones(3) * 2\n", level="op")
    assert verdict.verdict == "same"


def test_inference_alone(checked):
    verdict = checked("import torch\nx = torch.randn(3)\ny = torch.nn.Linear(3, 2)(x)\n")
    assert verdict.first_divergence.line == 2
    assert verdict.first_divergence.op == "aten.randn"


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("print('always')", None, ""),
        ("import os\nprint(os.urandom(4).hex())", "printed", "printed line 1 differs"),
        ("import secrets as s\nprint(s.token_bytes(4).hex())", "printed", "printed line 1 differs"),
        ("import uuid\nprint('run', uuid.uuid4().hex[:8])", None, ""),
        ("import secrets\nprint('run', secrets.token_hex(4))", None, ""),
        ("import os\nopen('made', 'wb').write(os.urandom(9))", "saved", "the bytes of made differ"),
        ("import os\nos._exit(os.urandom(1)[0] % 2 * 0)", None, ""),
        # What an earlier run left in a file is not this one's, but it may go by it.
        (
            "open('m', 'a').write('.')\nimport sys\nsys.exit(len(open('m').read()))",
            "exit",
            "run A ends with exit code 1, run B with exit code 2",
        ),
    ],
)
def test_without_torch_what_is_printed_and_written_decides(checked, source, kind, text):
    verdict = checked(source)
    assert verdict.verdict == ("same" if kind is None else "different")
    if kind is not None:
        assert verdict.first_divergence.kind == kind
        assert text in verdict.first_divergence.detail


def test_a_script_that_fails_is_no_finding(checked):
    verdict = checked("import sys\nprint('so far', file=sys.stderr)\nprint(undefined)")
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    assert [run.exit_code for run in verdict.runs] == [1, 1]
    assert "NameError: name 'undefined' is not defined" in " ".join(verdict.notes)
    assert "so far" in " ".join(verdict.notes)


def test_a_script_that_fails_once_differs(checked):
    verdict = checked("f = open('m', 'a+')\nf.write('.')\nf.flush()\n1 / (f.tell() - 1)")
    assert verdict.verdict == "different"


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has reaped yet does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_script_that_hangs_is_ended(checked, monkeypatch, stubborn):
    monkeypatch.setattr(launcher, "_GRACE_SECONDS", 0.1)
    ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN)" if stubborn else ""
    verdict = checked(
        f"""
        import os, signal, sys
        {ignore}
        if os.fork() == 0:
            signal.pause()
        open("pids", "a").write(f"{{os.getpid()}}\\n")
        while True:
            signal.pause()
        """,
        timeout=1.5,
    )
    assert verdict.verdict == "failed"
    assert any("was ended by the timeout" in note for note in verdict.notes)
    pids = [int(line) for line in Path("pids").read_text().split()]
    assert pids
    assert not any(map(alive, pids))


MEASURED = """
    import json, resource, sys
    from pathlib import Path
    from samebits.check.trials.experiment import check
    from samebits.check.record.plan import RunPlan
    from samebits.check.record.run import Target
    verdict = check(Target(script=Path("script.py")), plan=RunPlan(capture_output=True),
                    out=Path("out"))
    # Not getrusage for this process: that would count its parent's memory before exec.
    status = Path("/proc/self/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0])
    scripts = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps([verdict.verdict, own // 1024, scripts // 1024]))
"""


def test_hundreds_of_megabytes_of_output_are_not_kept(checked):
    (checked.folder / "script.py").write_text(
        "import sys\n"
        "for number in range(300):\n"
        "    sys.stdout.write('x' * 999_999 + '\\n')\n"
        "    sys.stderr.write('y' * 9_999 + '\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MEASURED)], capture_output=True, check=True
    )
    verdict, own, scripts = json.loads(done.stdout)
    assert verdict == "same"
    # Mebibytes: an interpreter with NumPy, pyarrow and what samebits may keep.
    assert own < 300
    assert scripts < 300
    kept = (checked.folder / "out" / "run-1" / "output.log").stat().st_size
    assert kept < 100 * 2**20


def samebits(*arguments: str, **options) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "samebits", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **pipes, **options)


def test_control_c_ends_the_children_and_keeps_the_folder(checked):
    os.mkfifo("started")
    (checked.folder / "script.py").write_text(
        "import os, signal\n"
        "print('so far', flush=True)\n"
        "open('started', 'w').write(str(os.getpid()))\n"
        "while True:\n"
        "    signal.pause()\n"
    )
    process = samebits("check", "--out", "out", "script.py", start_new_session=True)
    child = int(Path("started").read_text())  # waits for the script to be there
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert b"the recorded runs are kept in out" in stderr
    assert not alive(child)
    trace = Trace.open("out/run-1")
    assert trace.manifest.exit["reason"] == "killed"


def test_a_full_folder_is_a_clear_error(checked):
    (checked.folder / "script.py").write_text(
        "import torch\nfor _ in range(10000):\n    torch.rand(1)\nprint('the script goes on')\n"
    )
    # `ulimit -f` in units of 512 bytes: no file may grow beyond 8 KiB.
    command = 'ulimit -f 16; exec "$0" -m samebits check --level op --out out script.py'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "File too large" in done.stderr
    assert "out" in done.stderr


def test_a_recording_that_cannot_begin_is_an_error(checked, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(checked.folder / "no-python"))
    with pytest.raises(RecordError, match="cannot start"):
        checked("print(1)")
