"""Saving beside the training: tensors are copied to host memory, and written by a thread.

A step waits for the copy alone. The copy's memory is kept for the next save. One checkpoint is
written at a time: a save that comes before the last one is on the disk waits for it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from samebits.resume.entries import Entry

_ALIGNMENT = 64
_WORTH_THREADS = 32 * 2**20


class HostCopy:
    """Host memory that entries are copied into, used again by the next copy."""

    def __init__(self) -> None:
        self._memory = torch.empty(0, dtype=torch.uint8)

    def take(self, entries: Iterable[Entry]) -> list[Entry]:
        """The entries with their bytes in this memory; returns once all are there."""
        entries = list(entries)
        starts, total = [], 0
        for entry in entries:
            starts.append(total)
            total += entry.nbytes + -entry.nbytes % _ALIGNMENT
        on_device = {
            entry.source.device
            for entry in entries
            if isinstance(entry.source, torch.Tensor) and entry.source.device.type != "cpu"
        }
        self._reserve(total, pinned=any(device.type == "cuda" for device in on_device))
        taken, moves = [], []
        for entry, start in zip(entries, starts, strict=True):
            target = self._memory[start : start + entry.nbytes]
            taken.append(replace(entry, source=target))
            if isinstance(entry.source, torch.Tensor) and entry.source.device in on_device:
                target.copy_(_bytes_of(entry.source), non_blocking=True)
            elif entry.nbytes:
                moves.append((target.data_ptr(), _address(entry.source), entry.nbytes))
        _move(moves)
        for device in on_device:
            if device.type in ("cuda", "xpu"):
                getattr(torch, device.type).synchronize(device)
            elif device.type == "mps":
                torch.mps.synchronize()
        return taken

    def _reserve(self, total: int, *, pinned: bool) -> None:
        if self._memory.nbytes < total or self._memory.is_pinned() < pinned:
            self._memory = torch.empty(0, dtype=torch.uint8)  # let go of the old before the new
            self._memory = torch.empty(total, dtype=torch.uint8, pin_memory=pinned)


def _move(moves: list[tuple[int, int, int]]) -> None:
    """Copy memory: (to, from, bytes) each. The C library's copy bypasses the cache; torch's not."""
    if sum(size for _, _, size in moves) < _WORTH_THREADS:
        _move_all(moves)
        return
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(_move_all, (moves[0::2], moves[1::2])))


def _move_all(moves: list[tuple[int, int, int]]) -> None:
    for target, source, size in moves:
        ctypes.memmove(target, source, size)


class BackgroundWriter:
    """Runs one writing job at a time in a thread of its own."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self.written: Path | None = None

    @property
    def busy(self) -> bool:
        """Whether a job is being done."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, job: Callable[[], Path]) -> None:
        """Begin a job; wait for the last one first.

        Raises:
            CheckpointError: What the last job raised.
        """
        self.wait()

        def work() -> None:
            try:
                self.written = job()
            except BaseException as error:  # for whoever waits
                self._error = error

        # No daemon: a program that comes to its end has its last checkpoint on the disk.
        self._thread = threading.Thread(target=work, name="samebits-checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Wait until nothing is being written.

        Raises:
            CheckpointError: What the job raised; once.
        """
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error


def _address(source: torch.Tensor | np.ndarray[Any, Any]) -> int:
    return source.data_ptr() if isinstance(source, torch.Tensor) else int(source.ctypes.data)


def _bytes_of(source: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor's memory as one-dimensional uint8, on its device, without a copy."""
    start = source.storage_offset() * source.element_size()
    return torch.empty(0, dtype=torch.uint8, device=source.device).set_(
        source.untyped_storage(), start, (source.nbytes,), (1,)
    )
