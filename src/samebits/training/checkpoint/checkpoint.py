"""`samebits.Checkpoint`: save everything that decides the next bits, and go on from there."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.errors import CheckpointError, UsageError
from samebits.training.checkpoint.background import BackgroundWriter, HostCopy
from samebits.training.checkpoint.component import Component
from samebits.training.checkpoint.components import component
from samebits.training.checkpoint.contents import Contents, collect, write_files
from samebits.training.checkpoint.epochs import EpochCounter
from samebits.training.checkpoint.folder import CheckpointFolder
from samebits.training.checkpoint.missing import find_missing
from samebits.training.checkpoint.ranks import is_distributed, settled
from samebits.training.checkpoint.restoring import Restored, find_values, give_values, warn_of

__all__ = ["Checkpoint", "Restored"]


class Checkpoint:
    """All state of a run, in a folder of checkpoints; restoring it continues with the same bits.

    ```python
    run = samebits.Checkpoint("ckpt/", model=model, optimizer=optimizer, loader=loader)
    run.restore()                        # does nothing on the first start
    for epoch in run.epochs(10):
        for batch in loader:
            ...
            run.save(every=100)          # the last statement of the loop's body
    ```

    Beside what is given, each checkpoint holds the states of Python's, NumPy's and torch's global
    generators on every device, of all named streams (`seed_everything`) and registered generators,
    and the switches that decide bits. `missing()` tells what it would not hold.

    Args:
        path: The folder; made when the first checkpoint is saved.
        keep: How many checkpoints to keep.
        asynchronous: Write in a thread: `save` returns when tensors are copied to host memory.
            Processes that train together write before they go on, whatever is given here.
        components: What to save, each under a name of your choice: modules, optimizers,
            schedulers, gradient scalers, loaders, averaged models, generators, `Streams`, dicts of
            plain values, or anything with `state_dict()` and `load_state_dict()`.

    Attributes:
        path: The folder.
        step: How often `save` was called in this run, before and after resuming.

    Raises:
        UsageError: An argument cannot be used, or a component has no state.
    """

    def __init__(
        self,
        path: str | Path,
        /,
        *,
        keep: int = 3,
        asynchronous: bool = False,
        **components: Any,
    ) -> None:
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
            raise UsageError(f"keep must be a number of checkpoints from 1 on, not {keep!r}")
        self.path = Path(path)
        self.step = 0
        self._keep = keep
        self._asynchronous = asynchronous
        self._folder = CheckpointFolder(self.path)
        self._components: dict[str, Component] = {}
        self._writer = BackgroundWriter()
        self._copy = HostCopy()
        self._epochs = EpochCounter()
        # One thread at a time saves or restores; a signal handler of that thread comes between.
        self._turn = threading.RLock()
        self._restoring = False
        _alive.add(self)
        for name, target in components.items():
            self.register(name, target)

    def register(self, name: str, target: Any) -> None:
        """Add a component after the checkpoint was made, or under a name that is an option's.

        Args:
            name: As it will be called in checkpoints and messages.
            target: As for `Checkpoint`.

        Raises:
            UsageError: The name is taken, or the object has no state.
        """
        if not isinstance(name, str) or not name or name in self._components:
            why = "is taken" if name in self._components else "is none"
            raise UsageError(f"a component needs a name of its own, and {name!r} {why}")
        for other in self._components.values():
            if other.target is target:
                raise UsageError(f"{name} is the same object as {other.name}; give it once")
        self._components[name] = component(name, target)
        self._epochs.watch(name, target)

    @property
    def epoch(self) -> int:
        """The number of the current epoch, counted from 0."""
        return self._epochs.current

    def epochs(self, count: int) -> Iterator[int]:
        """The numbers of the epochs that are still to be run, the current one first.

        On a resume in the middle of an epoch that epoch comes first, and the loader goes on where
        it was; what stands after the loop over the loader then runs as it would have.

        Args:
            count: How many epochs the whole run has.
        """
        return self._epochs.run(count)

    def save(self, *, every: int = 1) -> Path | None:
        """Save a checkpoint, at each `every`-th call.

        Call it as the last statement of a loop's body: a resumed run goes on with the loop's next
        round. In the loop over the loader it saves a place within the epoch; after that loop, the
        end of the epoch.

        Args:
            every: Save at the calls whose number is a multiple of this.

        Returns:
            The checkpoint's folder; None where this call saved nothing, or only began to.

        Raises:
            CheckpointError: It could not be written, or, with `asynchronous`, an earlier one could
                not. Earlier checkpoints are as they were.
            UsageError: `every` is no number from 1 on.
        """
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise UsageError(f"every must be a number of calls from 1 on, not {every!r}")
        inside = self._turn._is_owned()  # type: ignore[attr-defined]
        with self._turn, torch.no_grad(), _disable_current_modes():
            if inside:
                return self._save_within()
            self.step += 1
            return None if self.step % every else self._save()

    def _save_within(self) -> Path:
        """Save in the middle of a save or a restore: a signal handler has been called.

        The save that it interrupted has counted the step, and is of the same state. This one is on
        the disk when it returns, since the handler may end the process.
        """
        if self._restoring:
            raise CheckpointError(
                "save() was called in the middle of restore(), by a signal handler; nothing was "
                "saved: the state was neither that of the checkpoint nor one of this run",
                hint="The checkpoint that is being restored is as it was.",
            )
        if is_distributed():
            raise CheckpointError(
                "save() was called in the middle of a save(), by a signal handler; processes that "
                "train together cannot begin another one there",
                hint="Let the handler set a flag, and call save() in the loop when it is set.",
            )
        contents = self._collected()
        return self._folder.write(
            self.step, lambda folder: write_files(folder, contents), keep=self._keep
        )

    def _save(self) -> Path | None:
        step = self.step
        if is_distributed():
            return self._save_together()
        if not self._asynchronous:
            contents = self._collected()
            return self._folder.write(
                step, lambda folder: write_files(folder, contents), keep=self._keep
            )
        self._writer.wait()  # its memory is about to be used again
        contents = self._collected()
        copied = Contents(manifest=contents.manifest, entries=self._copy.take(contents.entries))
        # No reference to the run: when that is gone, the thread tells of a failure itself.
        folder, keep = self._folder, self._keep
        self._writer.start(
            lambda: folder.write(step, lambda partial: write_files(partial, copied), keep=keep),
            f"step {step}",
        )
        return None

    def _save_together(self) -> Path:
        from samebits.training.checkpoint.distributed import collect_shared, write_together

        parts = list(self._components.values())
        contents, shards = collect_shared(parts, step=self.step, epoch=self._epochs.to_resume())
        return write_together(self._folder, self.step, contents, shards, keep=self._keep)

    def _collected(self) -> Contents:
        return collect(
            list(self._components.values()), step=self.step, epoch=self._epochs.to_resume()
        )

    def wait(self) -> None:
        """Return when the last checkpoint is on the disk and what it replaced is removed.

        Without `asynchronous` a checkpoint is on the disk when `save` returns; only the space of
        older ones may still be being freed. With it, a program that ends without this call still
        has its last checkpoint written; where that fails, it is only printed.

        Raises:
            CheckpointError: It could not be written.
        """
        self._writer.wait()
        self._folder.finish_removing()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.wait()

    def restore(self, path: str | Path | None = None, *, strict: bool = True) -> Restored | None:
        """Go on from the latest checkpoint, if there is one.

        Everything is read, checked and compared with the live objects before any of them is
        changed; if one of them still refuses, those before it are put back. A damaged checkpoint
        is passed over, with a `ResumeWarning`, for the one before it.

        Call it when everything is built and nothing was drawn that the loop does not draw.

        Args:
            path: A certain checkpoint, `ckpt/step-00000100`; the latest unless given.
            strict: Refuse what cannot continue with the same bits: missing and extra components,
                another kind of device, generators that are not there. Otherwise these are notes.

        Returns:
            What the run goes on from; None where there is no checkpoint yet.

        Raises:
            CheckpointError: No checkpoint is whole, or it does not fit; the message names the keys.
        """
        notes: list[str] = []
        with self._turn, torch.no_grad(), _disable_current_modes():
            self._restoring = True
            try:
                settled(self._writer.wait)
                found = find_values(self._folder, path, self._components, notes)
                if found is None:
                    return None
                passed_over = len(notes)
                give_values(*found, self._components, strict=strict, notes=notes)
                place, values = found
                self.step = values.manifest.step
                self._epochs.resume(values.manifest.epoch)
            finally:
                self._restoring = False
        warn_of(notes, place, passed_over)
        return Restored(path=place, step=self.step, epoch=values.manifest.epoch, notes=tuple(notes))

    def missing(self) -> list[str]:
        """What is alive in this process and would not be in a checkpoint, a sentence each.

        Generators of Python, NumPy and torch, optimizers, schedulers, scalers, loaders, modules
        with parameters or running statistics, copies of weights in dicts and lists, iterators,
        deques, and objects with a `state_dict()`, that were not given. It looks through all
        objects, which takes a moment. Plain numbers it cannot tell from constants.
        """
        return find_missing(one.target for one in self._components.values())


_alive: weakref.WeakSet[Checkpoint] = weakref.WeakSet()


def _renew_turns() -> None:
    """In a forked child: the thread that saves or restores is the parent's."""
    for one in _alive:
        one._turn = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_turns)
