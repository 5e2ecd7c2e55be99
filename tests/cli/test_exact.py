"""`--exact`: the whole script inside `samebits.exact()`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from samebits.check.trace.manifest import Manifest
from samebits.cli.app import app
from samebits.cli.exact import exact_surroundings
from samebits.errors import UsageError

SCRIPT = """
import torch
print(torch.tensor([0.3]).exp().view(torch.int32).item())
torch.special.bessel_j0(torch.ones(4))
"""


def run(tmp_path: Path, *options: str) -> tuple[int | None, str, list[str]]:
    """Exit code, output and notes of a recorded script."""
    script, folder = tmp_path / "script.py", tmp_path / "run"
    script.write_text(SCRIPT)
    result = CliRunner().invoke(app, ["run", *options, "--out", str(folder), str(script)])
    notes = Manifest.read(folder / "manifest.json").notes
    return result.exit_code, (folder / "output.log").read_text(), notes


def test_a_script_computes_exactly_and_stops_at_what_is_not_covered(tmp_path, capfd):
    code, output, notes = run(tmp_path, "--exact")
    assert code == 1
    assert str(0x3FACC82D) in output
    told = capfd.readouterr().err
    assert "NotExactError: aten.special_bessel_j0 is not exact" in told
    assert "script.py:4" in told
    (note,) = [note for note in notes if note.startswith("computed exactly, as version 1 of")]
    assert note.endswith("up to an operation that is not exact")
    assert "--allow aten.special_bessel_j0 lets it through" in told


def test_the_manifest_names_what_was_let_through(tmp_path):
    code, _, notes = run(tmp_path, "--exact", "--allow", "aten.special_bessel_j0")
    assert code == 0
    assert "not exact, but allowed: aten.special_bessel_j0" in notes


def test_allow_needs_exact_and_names():
    with pytest.raises(UsageError, match="needs --exact"):
        exact_surroundings(False, ["aten.special_bessel_j0"])
    with pytest.raises(UsageError, match="takes an operation's name"):
        exact_surroundings(True, ["fft"])
    assert exact_surroundings(False, []).environment == {}
