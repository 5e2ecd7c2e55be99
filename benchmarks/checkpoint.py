"""How fast checkpoints are written and read, beside torch.save and torch.load, on 500 MB.

Every round takes each number once, one after the other, so that what else the machine does falls on
all of them. `save` forces its files to the disk; torch.save does not, and is measured both as it is
and with the same forcing.
"""

from __future__ import annotations

import gc
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from reporting import main

import samebits

TARGETS = {"save": 1.2, "load": 1.0, "pause": 0.3}
MEGABYTES = 500


def build(megabytes: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A model and its AdamW, together of about that many megabytes, all of it filled."""
    width = 1024
    layers = max(round(megabytes * 1e6 / (3 * 4 * width * width)), 1)
    model = torch.nn.Sequential(*(torch.nn.Linear(width, width) for _ in range(layers)))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(2, width)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    return model, optimizer


def timed(action: Callable[[], Any]) -> float:
    """Seconds that an action takes, with nothing of what was written before still to be forced."""
    gc.collect()
    os.sync()
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def force(path: Path) -> None:
    """Force a file to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def measure(rounds: int = 12, folder: Path | None = None) -> dict[str, Any]:
    """Seconds and ratios of saving, loading and pausing."""
    model, optimizer = build(MEGABYTES)
    parts = {"model": model, "optimizer": optimizer}
    seconds: dict[str, list[float]] = {}

    def note(name: str, action: Callable[[], Any]) -> None:
        seconds.setdefault(name, []).append(timed(action))

    with tempfile.TemporaryDirectory(dir=folder) as place:
        plain = Path(place, "plain.pt")
        run = samebits.Checkpoint(Path(place, "ckpt"), keep=1, **parts)
        beside = samebits.Checkpoint(Path(place, "beside"), keep=1, asynchronous=True, **parts)

        def torch_save() -> None:
            torch.save({name: part.state_dict() for name, part in parts.items()}, plain)

        def torch_save_forced() -> None:
            torch_save()
            force(plain)

        def torch_load() -> None:
            state = torch.load(plain)
            for name, part in parts.items():
                part.load_state_dict(state[name])

        actions = {
            "torch.save": torch_save,
            "save": run.save,
            "torch.save, forced": torch_save_forced,
            "torch.load": torch_load,
            "restore": run.restore,
            "pause": beside.save,
        }
        torch_save()
        run.save()
        for number in range(rounds + 1):
            # Each takes every place in a round: what one leaves in the allocator and in the memory
            # that the system keeps of files falls on all alike.
            start = number % len(actions)
            for name in (*actions, *actions)[start : start + len(actions)]:
                note(name, actions[name])
                if name == "pause":
                    beside.wait()
                    shutil.rmtree(beside.path)
                run.wait()
            if not number:
                seconds.clear()  # the first round made the files and the memory
    ratios = {
        what: statistics.median(a / b for a, b in zip(seconds[over], seconds[under], strict=True))
        for what, (over, under) in {
            "save": ("save", "torch.save"),
            "save, to torch.save with fsync": ("save", "torch.save, forced"),
            "load": ("restore", "torch.load"),
            "pause": ("pause", "save"),
        }.items()
    }
    return {
        "megabytes": MEGABYTES,
        "rounds": rounds,
        "seconds": {name: statistics.median(values) for name, values in seconds.items()},
        "ratios": ratios,
        "targets": TARGETS,
    }


if __name__ == "__main__":
    main(__doc__, measure)
