"""`samebits.record()`: recording a part of a program from inside it."""

from __future__ import annotations

import pytest
import torch

import samebits
from samebits.check.trace import writer
from samebits.check.trace.reader import Trace
from samebits.errors import RecordError, TraceError, UsageError


def test_only_the_block_is_recorded(tmp_path):
    torch.ones(1)
    with samebits.record(tmp_path / "run") as run:
        torch.zeros(2)
    torch.ones(1)
    assert [run.trace.row(i).op for i in range(run.trace.count_ops())] == ["aten.zeros"]
    assert run.trace.manifest.exit == {"code": 0, "signal": None, "reason": "finished"}


def test_a_folder_is_made_when_none_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    with samebits.record() as run:
        drawn = torch.randn(3)
    torch.manual_seed(0)
    assert torch.equal(torch.randn(3), drawn)  # naming it drew from no generator
    assert run.folder.parent.name == "runs"
    assert Trace.open(tmp_path / run.folder).count_ops() == 1


def test_an_exception_ends_and_keeps_the_recording(tmp_path):
    with pytest.raises(ZeroDivisionError), samebits.record(tmp_path / "run"):
        _ = torch.ones(1).item() / 0
    trace = Trace.open(tmp_path / "run")
    assert trace.manifest.exit == {"code": 1, "signal": None, "reason": "exception"}
    assert trace.row(0).op == "aten.ones"
    assert torch._C._len_torch_dispatch_stack() == 0


def test_recordings_do_not_nest(tmp_path):
    with samebits.record(tmp_path / "outer") as run:
        with pytest.raises(RecordError, match="recorded already"):
            samebits.record(tmp_path / "inner").__enter__()
        torch.ones(1)
    assert run.trace.count_ops() == 1
    assert not (tmp_path / "inner" / "manifest.json").exists()


def test_an_unknown_level_is_refused_at_once(tmp_path):
    with pytest.raises(UsageError, match="choose one of auto, step, module, op"):
        samebits.record(tmp_path / "run", level="fine")


def test_a_folder_that_holds_a_run_is_refused(tmp_path):
    with samebits.record(tmp_path / "run"):
        torch.ones(1)
    with pytest.raises(TraceError), samebits.record(tmp_path / "run"):
        pass
    assert Trace.open(tmp_path / "run").count_ops() == 1


def test_a_full_disk_ends_the_recording_and_not_the_program(tmp_path, monkeypatch):
    def full(*_, **__):
        raise TraceError("cannot write ops.arrow: No space left on device", hint="make room")

    monkeypatch.setattr(writer.TraceWriter, "append_ops", full)
    made = []
    with pytest.raises(TraceError, match="No space left"), samebits.record(tmp_path / "run"):
        made.extend(torch.ones(1) for _ in range(20_000))
    assert len(made) == 20_000


def test_a_strange_operation_still_runs(watch):
    from samebits.check.record import operations

    def broken(schema):
        raise ValueError("no such schema")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "_written", broken)
        watched = watch(lambda: torch.ones(3) + 1)
    assert watched.result.tolist() == [2, 2, 2]
    assert watched.ops == ["ones", "add.Tensor"]
    assert all(row.outputs for row in watched.rows)
    assert "no such schema" in " ".join(watched.trace.manifest.notes)
