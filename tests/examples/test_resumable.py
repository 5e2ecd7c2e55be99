"""The resumable example: the same in two runs, and the same when it was killed in between."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "resumable.py"


def run(*arguments: str, folder: Path) -> list[str]:
    """The lines that the example prints."""
    command = [sys.executable, str(EXAMPLE), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def kill_after_a_checkpoint(folder: Path) -> None:
    """Start the example, and kill it when its first checkpoint is there."""
    command = [sys.executable, str(EXAMPLE), "--checkpoints", "killed", "--epochs", "2"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while not (folder / "killed" / "latest").exists():
            assert process.poll() is None, "it ended before it was killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)


@pytest.mark.slow
def test_killed_and_started_again_it_ends_with_the_same_bits(tmp_path: Path) -> None:
    straight = run("--epochs", "2", folder=tmp_path)
    assert straight[-1].startswith("parameters ")
    kill_after_a_checkpoint(tmp_path)
    resumed = run("--checkpoints", "killed", "--epochs", "2", folder=tmp_path)
    assert resumed[-1] == straight[-1]


@pytest.mark.slow
def test_a_check_says_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samebits", "check", "--quiet", str(EXAMPLE), "--epochs", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
