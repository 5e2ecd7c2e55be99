"""Saving beside the training: tensors are copied to host memory, and written by a thread.

A step waits for the copy alone. The copy's memory is kept for the next save. One checkpoint is
written at a time: a save that comes before the last one is on the disk waits for it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from samebits.training.checkpoint.entries import StoredEntry

_ALIGNMENT = 64
_WORTH_THREADS = 32 * 2**20


class HostCopy:
    """Host memory that entries are copied into, used again by the next copy."""

    def __init__(self) -> None:
        self._memory = torch.empty(0, dtype=torch.uint8)

    def take(self, entries: Iterable[StoredEntry]) -> list[StoredEntry]:
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


class _Job:
    """Something to be done once, by a thread; or never, if that is decided before it begins.

    Attributes:
        process: The process whose thread does it; a forked child has no such thread.
        done: Set when it is over.
        error: What it raised.
    """

    def __init__(self, work: Callable[[], Any], what: str, fate: _Fate) -> None:
        self.process = os.getpid()
        self.done = threading.Event()
        self.error: BaseException | None = None
        self._work: Callable[[], Any] | None = work
        self._what = what
        self._fate = fate
        self._claimed = threading.Lock()
        self._told = threading.Lock()

    def claim(self) -> bool:
        """Whether it is the caller's to decide what becomes of it: the first one's."""
        return self._claimed.acquire(blocking=False)

    def run(self) -> None:
        """Do it, unless it was given up."""
        if not self.claim():
            return
        assert self._work is not None
        try:
            self._work()
        except BaseException as error:  # for whoever waits
            self.error = error
        finally:
            self._work = None  # what it holds is large
            self.done.set()
            if self._fate.nobody_waits:
                self.tell()

    def tell(self) -> None:
        """Print that it failed, once: nobody is left to whom the error could be raised."""
        if self.error is None or self.process != os.getpid():
            return
        if self._told.acquire(blocking=False):
            why = getattr(self.error, "message", f"{type(self.error).__name__}: {self.error}")
            print(
                f"samebits: {self._what} was not saved: {why}\n"
                "Earlier checkpoints are as they were. wait(), or a with block around the loop, "
                "raises this as an error.",
                file=sys.stderr,
                flush=True,
            )


class _Fate:
    """What outlives a writer: its last job, and whether anybody can still ask for its error."""

    def __init__(self) -> None:
        self.job: _Job | None = None
        self.nobody_waits = False

    def end(self) -> None:
        """The writer is gone, or the program is at its end."""
        self.nobody_waits = True
        if self.job is not None and self.job.done.is_set():
            self.job.tell()


class BackgroundWriter:
    """Runs one writing job at a time in a thread of its own."""

    def __init__(self) -> None:
        self._fate = _Fate()
        weakref.finalize(self, self._fate.end)

    def start(self, work: Callable[[], Any], what: str) -> None:
        """Begin a job; wait for the last one first.

        Args:
            work: What to do.
            what: What it saves, for the message if it fails and nobody waits: "step 100".

        Raises:
            CheckpointError: What the last job raised.
        """
        self.wait()
        job = _Job(work, what, self._fate)
        self._fate.job = job
        # No daemon: a program that comes to its end has its last checkpoint on the disk.
        thread = threading.Thread(target=job.run, name="samebits-checkpoint")
        try:
            thread.start()
        except RuntimeError:  # no thread can be had
            job.run()
        except BaseException:
            # An interrupt comes before the thread begins, or after that.
            if job.claim():
                self._fate.job = None
            raise

    def wait(self) -> None:
        """Wait until nothing is being written.

        Raises:
            CheckpointError: What the job raised; once.
        """
        # A signal handler may save, and so begin another job, while this one is waited for.
        while (job := self._fate.job) is not None:
            if job.process != os.getpid():
                self._fate.job = None
                return
            job.done.wait()
            if self._fate.job is job:
                self._fate.job = None
                if job.error is not None:
                    raise job.error


def _address(source: torch.Tensor | np.ndarray[Any, Any]) -> int:
    return source.data_ptr() if isinstance(source, torch.Tensor) else int(source.ctypes.data)


def _bytes_of(source: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor's memory as one-dimensional uint8, on its device, without a copy."""
    start = source.storage_offset() * source.element_size()
    return torch.empty(0, dtype=torch.uint8, device=source.device).set_(
        source.untyped_storage(), start, (source.nbytes,), (1,)
    )
