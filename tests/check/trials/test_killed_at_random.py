"""Ranks that are killed at random moments of a check: no process is left, the runs can be read.

What is recorded as a property of a trial is summed up by benchmarks/killed_checks.py.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import textwrap
import threading
import time
from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits
from samebits.errors import RecordError

SCRIPT = """
import os, tempfile, torch, torch.distributed as dist, torch.multiprocessing as mp

def train(rank, store):
    open(f"{store}.{rank}.pid", "w").write(str(os.getpid()))
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for step in range(400):
        model(torch.ones(3, 4)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(train, (os.path.join(tempfile.mkdtemp(dir=os.getcwd()), "store"),), 2)
"""
_LATEST_S = 3.0
_LOOK_S = 0.02
_TIMEOUT_S = 90.0  # on a busy machine, ranks may take 30 s to import torch


def _of_folder(folder: Path) -> list[int]:
    """Processes that work in a folder and are no mere remains."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in ("Z", "X") and (entry / "cwd").readlink() == folder:
                    found.append(int(entry.name))
    return found


def _living(folder: Path) -> dict[Path, list[int]]:
    """The ranks that train at this moment, by the folder of the store that they share."""
    at_work = _of_folder(folder)
    found: dict[Path, list[int]] = {}
    for path in folder.glob("*/store.[01].pid"):
        with contextlib.suppress(OSError, ValueError):
            if (number := int(path.read_text())) in at_work:
                found.setdefault(path.parent, []).append(number)
    return found


def _kill_one(
    folder: Path, chance: random.Random, ended: threading.Event, killed: list[int]
) -> None:
    """Kills a rank of the first or of the second run, at some moment of its training.

    The moment counts from when the rank is there, since a start takes as long as it pleases. Who
    comes too late strikes again, sooner.
    """
    latest, missed = _LATEST_S, set()
    if chance.random() < 0.5:
        while not (missed := set(_living(folder))):
            if ended.wait(_LOOK_S):
                return
        latest /= 3  # there is no further run
    while not killed:
        if ended.wait(_LOOK_S):
            return
        if not (new := _living(folder).keys() - missed):
            continue
        if ended.wait(chance.uniform(0.0, latest)):
            return
        living = _living(folder).get(min(new), [])
        for number in chance.sample(living, len(living)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
                killed.append(number)
                return
        missed |= new
        latest /= 8


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("seed", range(50))
def test_ranks_killed_at_random_moments(tmp_path, monkeypatch, record_property, seed):
    folder = tmp_path.resolve()
    monkeypatch.chdir(folder)
    (folder / "train.py").write_text(textwrap.dedent(SCRIPT))
    ended = threading.Event()
    killed: list[int] = []
    chance = random.Random(seed)
    killer = threading.Thread(target=_kill_one, args=(folder, chance, ended, killed))
    killer.start()
    began = time.monotonic()
    try:
        verdict = check(
            Target(script=Path("train.py")),
            plan=RunPlan(capture_output=True, timeout=_TIMEOUT_S),
            out=folder / "out",
            limits=Limits(runs=0),
        )
    except RecordError:
        pytest.fail("a killed rank is no failure of samebits")
    else:
        record_property("killed", len(killed))
        record_property("exit_code", verdict.exit_code)
        assert killed, "no rank was found alive"
        # A rank may be killed after its last word, which changes nothing.
        assert verdict.exit_code in (0, 1, 3, 4), verdict
        if verdict.exit_code == 1:
            assert verdict.first_divergence.kind == "exit", verdict.first_divergence
            assert any("was ended by signal 9 (SIGKILL)" in note for note in verdict.notes)
    finally:
        ended.set()
        killer.join()
    assert time.monotonic() - began < 2 * _TIMEOUT_S + 10
    left = _of_folder(folder)
    record_property("left_over", len(left))
    assert left == []
    tables = 0
    for run in (folder / "out").iterdir():
        for manifest in run.rglob("manifest.json"):
            trace = Trace.open(manifest.parent)
            for batch in trace.iter_ops(("op",)):
                assert batch.start >= 0
            trace.steps()
            tables += 1
    record_property("tables_read", tables)
