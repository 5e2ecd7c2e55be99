"""How fast a fingerprint is, against torch.sum over the same memory in the same run.

Each measurement interleaves its contenders and takes medians, so that what else the machine does
falls on all of them alike. `measure()` returns the numbers; run as a script, prints a table and
writes benchmarks/results/fingerprint.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from samebits.core import _native
from samebits.core.fingerprint import isa
from samebits.core.fingerprint.tensor import fingerprint_tensor

RESULT = Path(__file__).parent / "results" / "fingerprint.json"
SIZES = {"4 KiB": 1 << 12, "64 KiB": 1 << 16, "1 MiB": 1 << 20, "4 MiB": 1 << 22, "64 MiB": 1 << 26}
TARGET = {"64 MiB": 0.9}  # of torch.sum's throughput, one thread

Contenders = dict[str, Callable[[], object]]


def interleaved(contenders: Contenders, *, repetitions: int, calls: int) -> dict[str, float]:
    """Median seconds a call of each contender, one after the other in every repetition."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for call in contenders.values():
        call()
    for _ in range(repetitions):
        for name, call in contenders.items():
            start = time.perf_counter()
            for _ in range(calls):
                call()
            seconds[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(times) for name, times in seconds.items()}


def with_isa(name: str, call: Callable[[], object]) -> Callable[[], object]:
    def chosen() -> object:
        _native.set_isa(name)
        return call()

    return chosen


def contiguous_sizes(repetitions: int) -> dict[str, dict[str, float]]:
    """Throughput in GB/s by size: torch.sum, then the word sum of every build, on one thread."""
    table = {}
    for label, nbytes in SIZES.items():
        tensor = torch.rand(nbytes // 4)
        address = tensor.data_ptr()

        def word_sum(address: int = address, nbytes: int = nbytes) -> int:
            return _native.sum_words(address, nbytes)

        contenders: Contenders = {"torch.sum": tensor.sum}
        contenders |= {name: with_isa(name, word_sum) for name in isa.available()}
        calls = max(1, (1 << 24) // nbytes)
        seconds = interleaved(contenders, repetitions=repetitions, calls=calls)
        table[label] = {name: nbytes / value / 1e9 for name, value in seconds.items()}
    return table


def strided(repetitions: int) -> dict[str, dict[str, float]]:
    """Throughput in GB/s of views, against copying them with contiguous()."""
    matrix = torch.rand(1024, 1024)
    views = {
        "transposed": matrix.t(),
        "transposed float16": matrix.half().t(),
        "channels last": torch.rand(8, 56, 56, 64).permute(0, 3, 1, 2),
        "rows cut": matrix[:, 1:],
        "every second column": matrix[:, ::2],
    }
    table = {}
    for label, view in views.items():
        contenders: Contenders = {
            "contiguous()": view.contiguous,
            "fingerprint": lambda view=view: fingerprint_tensor(view),
        }
        seconds = interleaved(contenders, repetitions=repetitions, calls=4)
        nbytes = view.numel() * view.element_size()
        table[label] = {name: nbytes / value / 1e9 for name, value in seconds.items()}
    return table


def threads(repetitions: int) -> dict[str, dict[str, float]]:
    """Throughput in GB/s of the word sum by number of threads, and of torch.sum on as many."""
    count = torch.get_num_threads()
    table = {}
    for label in ("1 MiB", "4 MiB", "64 MiB"):
        nbytes = SIZES[label]
        tensor = torch.rand(nbytes // 4)
        address = tensor.data_ptr()
        contenders: Contenders = {f"torch.sum, {count}": tensor.sum}
        for n in (1, count):
            contenders[f"fingerprint, {n}"] = lambda n=n, address=address, nbytes=nbytes: (
                _native.sum_words(address, nbytes, 0, n)
            )
        calls = max(1, (1 << 24) // nbytes)
        seconds = interleaved(contenders, repetitions=repetitions, calls=calls)
        table[label] = {name: nbytes / value / 1e9 for name, value in seconds.items()}
    return table


def measure(repetitions: int = 15) -> dict[str, Any]:
    """All measurements.

    Returns:
        Tables of GB/s; `ratios`, throughput on one thread as a fraction of torch.sum's, for the
        best build; and `small`, seconds for one whole call from Python on ten elements.
    """
    chosen, count = _native.isa(), torch.get_num_threads()
    try:
        by_threads = threads(repetitions)
        torch.set_num_threads(1)
        sizes = contiguous_sizes(repetitions)
        _native.set_isa(chosen)
        views = strided(repetitions)
        ten = torch.rand(10)
        small = interleaved(
            {"call": lambda: fingerprint_tensor(ten)}, repetitions=repetitions, calls=1000
        )
    finally:
        torch.set_num_threads(count)
        _native.set_isa(chosen)
    return {
        "isa": chosen,
        "one_thread": sizes,
        "threads": by_threads,
        "strided": views,
        "small": small["call"],
        "ratios": {label: row[chosen] / row["torch.sum"] for label, row in sizes.items()},
        "targets": TARGET,
    }


def show(title: str, table: dict[str, dict[str, float]]) -> None:
    columns = list(next(iter(table.values())))
    print(f"\n{title}, GB/s")
    print(f"{'':22}" + "".join(f"{name:>16}" for name in columns))
    for label, row in table.items():
        print(f"{label:22}" + "".join(f"{row[name]:16.1f}" for name in columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=RESULT, help="where to keep the numbers")
    target = parser.parse_args().json
    result = measure()
    show("one thread, contiguous float32", result["one_thread"])
    show("by number of threads", result["threads"])
    show("strided, one thread", result["strided"])
    print(f"\none call on ten elements: {result['small'] * 1e6:.2f} µs")
    for label, ratio in result["ratios"].items():
        goal = f" (to reach: {TARGET[label]:.2f})" if label in TARGET else ""
        print(f"{label:>8}: {ratio:.2f} of torch.sum's throughput{goal}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
