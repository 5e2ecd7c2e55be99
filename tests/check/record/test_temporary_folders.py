"""A further run that is ended early takes its temporary folders away, as its own end would."""

from __future__ import annotations

import pytest

from samebits.check.record.run import Target
from samebits.check.trials.attribution.side_effects import leave_no_temporary_folders

SCRIPT = """
    import multiprocessing, tempfile
    from pathlib import Path

    early = tempfile.TemporaryDirectory(prefix="early-")
    import torch

    of_the_user = Path(tempfile.gettempdir(), "mine-1")
    of_the_user.mkdir()
    multiprocessing.current_process()._config["tempdir"] = str(of_the_user)
    tempfile.mkdtemp(prefix="kept-")
    lasting = tempfile.TemporaryDirectory(prefix="lasting-")
    lasting._finalizer.atexit = False
    with tempfile.TemporaryDirectory(prefix="photos-") as folder:
        Path(folder, "one.png").write_bytes(b"1234")
        parameter = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([parameter], 0.1)
        for _ in range(3):
            parameter.sum().backward()
            optimizer.step()
    import os
    lasting._finalizer.detach()
    """


KEEPING_NONE = """
    import shutil, tempfile
    import torch

    folder = tempfile.mkdtemp(prefix="photos-")
    try:
        for _ in range(3):
            torch.ones(2).sum()
    finally:
        {end}
    """


@pytest.mark.parametrize(("end", "left"), [("shutil.rmtree(folder)", 0), ("print(folder)", 1)])
def test_a_script_that_removes_what_mkdtemp_made_is_known_by_its_whole_runs(record, end, left):
    runs = [record(KEEPING_NONE.format(end=end)) for _ in "ab"]
    noted = {"made": 1, "left": left}
    assert [run.manifest.extra["temporary_folders"] for run in runs] == [noted, noted]
    assert leave_no_temporary_folders(*runs) == (not left)


def test_what_the_script_would_have_removed_is_gone(scripts, tmp_path, monkeypatch):
    taken = tmp_path / "temporary"
    taken.mkdir()
    monkeypatch.setenv("TMPDIR", str(taken))
    script = scripts.write(KEEPING_NONE.format(end="shutil.rmtree(folder)"))
    plan = {"is_further": True, "stop_row": 1, "removes_temporary_folders": True}
    assert scripts.run(Target(script=script), **plan).exit_code == 0
    assert not [path for path in taken.iterdir() if path.name.startswith("photos-")]


@pytest.mark.parametrize("quickly", [False, True])
@pytest.mark.parametrize("ends", [{}, {"steps": 1}, {"stop_row": 3}])
def test_what_the_end_would_have_removed_is_gone(scripts, tmp_path, monkeypatch, ends, quickly):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    script = scripts.write(SCRIPT)
    result = scripts.run(Target(script=script), is_further=True, ends_quickly=quickly, **ends)
    assert result.exit_code == 0
    left = {path.name.partition("-")[0] for path in folder.iterdir()}
    assert left & {"early", "photos", "kept", "mine", "lasting"} == {"kept", "mine", "lasting"}
