"""What loading costs: throughput against torch's DataLoader, and the way back into an epoch.

The pipelines augment images held in memory. Both loaders go through the same number of epochs in
turn; each round's ratio counts, and their median. Without workers they take turns after every
batch: what the memory allocator keeps of a batch, and what it gives back to the system, moves a
sample of 224 pixels by a fifth, for seconds at a time, and both are to see the same of it. With
workers, which fetch ahead, they take turns after every epoch.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from reporting import main
from torch.utils.data import DataLoader as TorchLoader
from torch.utils.data import Dataset

import samebits

# Images of 32 pixels are measured beside them: so small that setting three generators shows.
TARGETS = {
    "throughput": {"224 pixels, 0 workers": 0.95, "224 pixels, 2 workers": 0.95},
    "resume_s": {"samebits, 0 workers": 1.0, "samebits, 2 workers": 1.0},
}
SAMPLES_OF_RESUME = 10**6


class Images(Dataset):
    """Bytes of images, cropped, flipped, lightened and normalised: float32[3, side, side].

    Args:
        count: Images.
        side: Height and width of what comes out, in pixels.
        margin: By how much the stored images are larger.
    """

    def __init__(self, count: int, side: int, margin: int) -> None:
        generator = np.random.default_rng(0)
        shape = (min(count, 64), 3, side + margin, side + margin)
        self.images_NCHW = generator.integers(0, 256, shape, dtype=np.uint8)
        self.count, self.side, self.margin = count, side, margin
        self.mean = torch.tensor([0.485, 0.456, 0.406])[:, None, None]
        self.deviation = torch.tensor([0.229, 0.224, 0.225])[:, None, None]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> torch.Tensor:
        image_CHW = self.images_NCHW[index % len(self.images_NCHW)]
        top, left = random.randint(0, self.margin), random.randint(0, self.margin)
        image_CHW = image_CHW[:, top : top + self.side, left : left + self.side]
        if np.random.rand() < 0.5:
            image_CHW = image_CHW[:, :, ::-1]
        tensor_CHW = torch.from_numpy(np.ascontiguousarray(image_CHW)).float().div_(255)
        tensor_CHW.mul_(0.8 + 0.4 * torch.rand(())).clamp_(0, 1)
        return tensor_CHW.sub_(self.mean).div_(self.deviation)


class Indices(Dataset):
    """As many samples as wanted, each of which costs nothing."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index


PIPELINES = {
    # Pipeline: (dataset, batch size)
    "224 pixels": (lambda: Images(512, 224, 32), 32),
    "32 pixels": (lambda: Images(8192, 32, 4), 128),
}


def epochs(loaders: dict[str, Any]) -> dict[str, float]:
    """Seconds that an epoch of each loader takes; they take turns after every batch."""
    seconds = dict.fromkeys(loaders, 0.0)
    iterators: dict[str, Iterator[Any]] = {}
    order = list(loaders)
    while order:
        for name in list(order):
            started = time.perf_counter()
            if name not in iterators:
                iterators[name] = iter(loaders[name])
            if next(iterators[name], None) is None:
                order.remove(name)
            seconds[name] += time.perf_counter() - started
        order.reverse()  # whoever follows itself finds the caches warmer
    return seconds


def throughput(dataset: Dataset, batch_size: int, workers: int, rounds: int) -> dict[str, Any]:
    """Seconds an epoch of both loaders, in turn, and the median of the rounds' ratios."""
    more: dict[str, Any] = {"persistent_workers": True} if workers else {}
    arguments = {"batch_size": batch_size, "shuffle": True, "num_workers": workers, **more}
    loaders = {
        "torch": TorchLoader(dataset, **arguments),
        "samebits": samebits.DataLoader(dataset, seed=0, **arguments),
    }
    seconds: dict[str, list[float]] = {name: [] for name in loaders}
    for number in range(rounds + 1):
        order = list(loaders) if number % 2 else list(loaders)[::-1]
        groups = [[name] for name in order] if workers else [order]
        for group in groups:
            for name, spent in epochs({name: loaders[name] for name in group}).items():
                if number:  # the first epoch starts the workers
                    seconds[name].append(spent)
    ratios = [a / b for a, b in zip(seconds["torch"], seconds["samebits"], strict=True)]
    return {
        "torch_us_per_sample": statistics.median(seconds["torch"]) / len(dataset) * 1e6,  # type: ignore[arg-type]
        "samebits_us_per_sample": statistics.median(seconds["samebits"]) / len(dataset) * 1e6,  # type: ignore[arg-type]
        "ratio": statistics.median(ratios),
    }


def seconds_to_the_next_batch(resumed: Callable[[], Iterator[Any]], rounds: int) -> float:
    """Seconds from making a loader to its first batch, the median of some rounds."""
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        next(resumed())
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def resuming(loader_class: Any, workers: int, rounds: int = 3, **more: Any) -> float:
    """Seconds until the first batch after 90 % of an epoch of a million samples."""
    arguments = {"batch_size": 100, "shuffle": True, "num_workers": workers, **more}
    batches = int(0.9 * SAMPLES_OF_RESUME) // 100
    first = loader_class(Indices(SAMPLES_OF_RESUME), **arguments)
    iterator = iter(first)
    for _ in range(batches):
        next(iterator)
    state = first.state_dict()
    del iterator

    def resumed() -> Iterator[Any]:
        loader = loader_class(Indices(SAMPLES_OF_RESUME), **arguments)
        loader.load_state_dict(state)
        return iter(loader)

    return seconds_to_the_next_batch(resumed, rounds)


def measure(rounds: int = 15) -> dict[str, Any]:
    """Ratios of throughput (torch's time by ours), and seconds to resume."""
    warnings.filterwarnings("ignore", "This DataLoader will create")
    torch.set_num_threads(1)
    result: dict[str, Any] = {
        "targets": TARGETS,
        "rounds": rounds,
        "throughput": {},
        "resume_s": {},
    }
    for name, (make, batch_size) in PIPELINES.items():
        for workers in (0, 2):
            found = throughput(make(), batch_size, workers, rounds)
            result["throughput"][f"{name}, {workers} workers"] = found
    for workers in (0, 2):
        what = f"samebits, {workers} workers"
        result["resume_s"][what] = resuming(samebits.DataLoader, workers, seed=0)
    if importlib.util.find_spec("torchdata") is not None:
        from torchdata.stateful_dataloader import StatefulDataLoader

        for workers in (0, 2):
            what = f"StatefulDataLoader, {workers} workers"
            result["resume_s"][what] = resuming(StatefulDataLoader, workers)
    return result


if __name__ == "__main__":
    main(__doc__, measure)
