"""A run that is ended early takes its temporary files away, as its own end would."""

from __future__ import annotations

import pytest

from samebits.check.record.run import Target

SCRIPT = """
    import multiprocessing, multiprocessing.util, tempfile
    from pathlib import Path
    import torch

    with tempfile.TemporaryDirectory(prefix="photos-") as folder:
        Path(folder, "one.png").write_bytes(b"1234")
        file = tempfile.NamedTemporaryFile(prefix="log-")
        kept = tempfile.NamedTemporaryFile(prefix="kept-", delete=False)
        Path(multiprocessing.util.get_temp_dir(), "socket").touch()
        parameter = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([parameter], 0.1)
        for _ in range(3):
            parameter.sum().backward()
            optimizer.step()
    file.close()
    """


@pytest.mark.parametrize("ends", [{}, {"steps": 1}, {"stop_row": 3}])
def test_what_the_end_would_have_removed_is_gone(scripts, tmp_path, monkeypatch, ends):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    result = scripts.run(Target(script=scripts.write(SCRIPT)), **ends)
    assert result.exit_code == 0
    left = {path.name.partition("-")[0] for path in folder.iterdir()}
    assert left & {"photos", "log", "kept", "pymp"} == {"kept"}
