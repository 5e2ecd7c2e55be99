"""No worker outlives the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os
import signal
import sys
import time
from pathlib import Path

import torch

from samebits import DataLoader

FOLDER = Path(__file__).parent


def wait_for_the_end(worker_id):
    (FOLDER / f"begun-{worker_id}").touch()
    while not (FOLDER / "killed").exists():
        time.sleep(0.01)


if __name__ == "__main__":
    loader = DataLoader(
        torch.arange(8.0),
        seed=0,
        num_workers=2,
        worker_init_fn=wait_for_the_end,
        multiprocessing_context=sys.argv[1],
    )
    batches = iter(loader)
    while len(list(FOLDER.glob("begun-*"))) < 2:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_end_whose_parent_was_killed_before_their_first_batch(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), method]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as started:
        started.wait(timeout=240)
        (tmp_path / "killed").touch()
        try:
            # The workers hold the pipe, too: it is read to its end once both have ended.
            _, told = started.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            raise
    assert started.returncode == -signal.SIGKILL, told.decode()
