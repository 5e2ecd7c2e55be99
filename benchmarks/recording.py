"""What recording costs: a training step of three programs, recorded at each level and plain.

Each level's recorder is started and stopped around its turn in every round, in one process, so that
ratios compare steps of the same warm program within the same minute.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from reporting import main
from torch import nn

from samebits.check.record.events import RecorderEvents
from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.plan import RunPlan
from samebits.check.record.recorder import Recorder
from samebits.check.record.sources import SourceClassifier
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.writer import TraceWriter
from samebits.core import _native

TARGETS = {
    "convolutional network": {"op": 1.10, "step": 1.03},
    "transformer encoder": {"op": 1.20, "step": 1.03},
    "tiny MLP": {"op": 3.0, "step": 1.25},
}
LEVELS = ("step", "module", "op")


def convolutional_network() -> Callable[[], None]:
    """13 convolutions of 32 channels on a batch of 32 images of 3×32×32, SGD."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for place in range(13):
        layers += [nn.Conv2d(3 if place == 0 else 32, 32, 3, padding=1), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    images_BCHW = torch.randn(32, 3, 32, 32)
    labels_B = torch.randint(0, 10, (32,))
    return _step(model, torch.optim.SGD(model.parameters(), lr=0.01), images_BCHW, labels_B)


def encoder_on_tokens() -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """4 layers, 256 wide, 1024 hidden, 4 heads; inputs of shape (8, 128, 256), labels (1024,)."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    model = nn.Sequential(encoder, nn.Linear(256, 10), nn.Flatten(0, 1))
    inputs_BTD = torch.randn(8, 128, 256)
    labels_N = torch.randint(0, 10, (8 * 128,))
    return model, inputs_BTD, labels_N


def transformer_encoder() -> Callable[[], None]:
    """A transformer encoder on 8 × 128 tokens; AdamW."""
    model, inputs_BTD, labels_N = encoder_on_tokens()
    return _step(model, torch.optim.AdamW(model.parameters()), inputs_BTD, labels_N)


def tiny_mlp() -> Callable[[], None]:
    """64-64-10, batch 32, AdamW: 77 operations in a fraction of a millisecond."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    inputs_BD = torch.randn(32, 64)
    labels_B = torch.randint(0, 10, (32,))
    return _step(model, torch.optim.AdamW(model.parameters()), inputs_BD, labels_B)


def _step(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, labels: torch.Tensor
) -> Callable[[], None]:
    criterion = nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        criterion(model(inputs), labels).backward()
        optimizer.step()

    return step


@contextlib.contextmanager
def recorded(level: str, events: RecorderEvents | None = None) -> Iterator[Path]:
    """Record this process at a level, into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder, "run"), Manifest(level=level))
        native, classify = _native.Recorder(), SourceClassifier()
        native.classify(classify)
        plan = RunPlan(level=level)
        recorder = Recorder(writer, classify, plan, native=native, events=events)
        ledger = Ledger(native, Path(folder))
        ledger.start()
        ledger.torch_imported()
        recorder.start()
        try:
            yield Path(folder, "run")
        finally:
            ledger.stop()
            recorder.stop()
            native.release()
            writer.close()


PROGRAMS: dict[str, tuple[Callable[[], Callable[[], None]], int]] = {
    # Program: (what makes its step, steps a turn)
    "convolutional network": (convolutional_network, 2),
    "transformer encoder": (transformer_encoder, 2),
    "tiny MLP": (tiny_mlp, 500),
}


def measure(rounds: int = 40) -> dict[str, Any]:
    """Median milliseconds a step, and ratios to plain, by program and level."""
    result: dict[str, Any] = {"threads": torch.get_num_threads(), "rounds": rounds}
    for name, (make, steps) in PROGRAMS.items():
        step = make()
        for _ in range(5):
            step()
        times: dict[str, list[float]] = {level: [] for level in ("plain", *LEVELS)}
        for turn in range(rounds):
            # Every level takes every place in a round: what one leaves in the allocator, in caches
            # or on a throttled processor falls on each alike.
            start = turn % len(times)
            for level in (*times, *times)[start : start + len(times)]:
                with contextlib.nullcontext() if level == "plain" else recorded(level):
                    step()  # the first step meets every operation for the first time
                    started = time.perf_counter()
                    for _ in range(steps):
                        step()
                    times[level].append((time.perf_counter() - started) / steps)
        # Each round's ratio first, then the median: a slow minute falls on a whole round.
        ratios = {
            level: statistics.median(
                own / plain for own, plain in zip(times[level], times["plain"], strict=True)
            )
            for level in LEVELS
        }
        result[name] = {
            "plain_ms": statistics.median(times["plain"]) * 1e3,
            "ratios": ratios,
            "targets": TARGETS[name],
        }
    return result


if __name__ == "__main__":
    main(__doc__, measure)
