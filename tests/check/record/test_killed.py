"""What was recorded up to a sudden end is readable."""

from __future__ import annotations

import signal

import pytest

from samebits.check.trace.reader import Trace

TRAIN = """
    import os, signal, sys
    import torch
    w = torch.nn.Parameter(torch.ones(4))
    optimizer = torch.optim.SGD([w], 0.1)
    for step in range(30):
        (torch.randn(4) * w).sum().backward()
        optimizer.step()
    print("trained", flush=True)
    {ending}
"""


@pytest.mark.parametrize(
    ("ending", "code", "cut"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, True),
        ("os._exit(0)", 0, False),
        ("sys.exit(3)", 3, False),
    ],
)
def test_what_was_recorded_is_readable(scripts, ending, code, cut):
    scripts.write(TRAIN.format(ending=ending))
    recorded, result = scripts.recorded("script.py")
    assert recorded.code == code
    assert recorded.stdout == b"trained\n"
    trace = Trace.open(result.folder)
    assert trace.cut is cut
    assert trace.count_ops() > 0
    assert trace.row(0).op == "aten.ones"
    if not cut:
        assert trace.manifest.counts["steps"] == 30
        assert trace.row(trace.count_ops() - 1).step == 29


def test_a_child_that_exits_in_the_ordinary_way_writes_nothing_into_the_trace(scripts):
    plain, recorded, result = scripts.both(
        """
        import os, sys
        import torch
        x = torch.ones(3)
        print("before", flush=True)
        child = os.fork()
        if child == 0:
            print(torch.randn(5).sum().isfinite())
            torch.save(x, "child.pt")
            sys.exit(0)
        os.waitpid(child, 0)
        print(x + 1)
        """
    )
    assert recorded == plain
    trace = Trace.open(result.folder)
    assert not trace.cut
    assert [trace.row(i).op for i in range(2)] == ["aten.ones", "aten.add.Tensor"]
    assert "isfinite" not in " ".join(trace.row(i).op for i in range(trace.count_ops()))
    assert trace.manifest.files == []


GONE = """
import os, shutil, tempfile
{torch}
folder = tempfile.mkdtemp()
os.chdir(folder)
os.makedirs("a/b")
open("a/b/c", "w").close()
shutil.rmtree(folder)
print("done")
"""


@pytest.mark.parametrize("torch", ["", "import torch; torch.ones(1)"])
def test_a_working_folder_that_is_gone_at_the_end(scripts, torch):
    scripts.write(GONE.format(torch=torch))
    recorded, result = scripts.recorded("script.py")
    assert (recorded.code, recorded.stdout, recorded.stderr) == (0, b"done\n", b"")
    assert result.failure is None
    assert Trace.open(result.folder).manifest.complete
