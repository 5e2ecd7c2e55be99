"""`samebits.Checkpoint`: save everything that decides the next bits, and go on from there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.errors import CheckpointError, DamagedCheckpointError, ResumeWarning, UsageError
from samebits.resume.applying import apply_values, objections, restore_generators
from samebits.resume.background import BackgroundWriter, HostCopy
from samebits.resume.components import Component, component
from samebits.resume.contents import Contents, Values, collect, read_values, write_files
from samebits.resume.epochs import EpochCounter
from samebits.resume.folder import CheckpointFolder, Place, candidates
from samebits.resume.manifest import MANIFEST_FILE
from samebits.resume.missing import find_missing
from samebits.resume.surroundings import other_versions, restore_surroundings
from samebits.trace.names import printable


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What a run goes on from.

    Attributes:
        path: The checkpoint's folder.
        step: How often `save` had been called.
        epoch: The epoch that goes on.
        notes: What is not as it was, one sentence each; also given as a `ResumeWarning`.
    """

    path: Path
    step: int
    epoch: int | None
    notes: tuple[str, ...] = ()


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
        self.step += 1
        if self.step % every:
            return None
        with torch.no_grad(), _disable_current_modes():
            return self._save()

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
        self._writer.start(
            lambda: self._folder.write(
                step, lambda folder: write_files(folder, copied), keep=self._keep
            )
        )
        return None

    def _save_together(self) -> Path:
        from samebits.resume.distributed import collect_shared, write_together

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
        older ones may still be being freed.

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
        self._writer.wait()
        notes: list[str] = []
        with torch.no_grad(), _disable_current_modes():
            found = self._read(path, notes)
            if found is None:
                return None
            place, values = found
            return self._apply(place, values, strict, notes)

    def missing(self) -> list[str]:
        """What is alive in this process and would not be in a checkpoint, a sentence each.

        Generators of Python, NumPy and torch, and optimizers, schedulers, scalers, loaders and
        modules with parameters, that were not given. It looks through all objects, which takes a
        moment.
        """
        return find_missing(one.target for one in self._components.values())

    def _read(self, path: str | Path | None, notes: list[str]) -> tuple[Path, Values] | None:
        if path is not None:
            named = Path(path)
            if not (named / MANIFEST_FILE).exists() and CheckpointFolder(named).places():
                return self._read_latest(CheckpointFolder(named), notes)
            return named, self._values(named)
        return self._read_latest(self._folder, notes)

    def _values(self, path: Path) -> Values:
        if not is_distributed():
            return read_values(path, self._components)
        from samebits.resume.distributed import read_rank

        return read_rank(path, self._components)

    def _read_latest(
        self, folder: CheckpointFolder, notes: list[str]
    ) -> tuple[Path, Values] | None:
        damaged: list[CheckpointError] = []
        for candidate in _same_for_all(candidates(folder)):
            if not isinstance(candidate, Place):
                damaged.append(candidate)
                continue
            try:
                values = self._values(candidate.path)
            except DamagedCheckpointError as error:
                damaged.append(error)
                continue
            notes += [f"passed over: {error.message}" for error in damaged]
            return candidate.path, values
        if damaged:
            raise CheckpointError(
                f"no checkpoint in {printable(str(folder.path))} is whole: "
                + "; ".join(error.message for error in damaged),
                hint="Copy the folder again, or remove it to begin anew.",
            )
        return None

    def _apply(self, path: Path, values: Values, strict: bool, notes: list[str]) -> Restored:
        passed_over = len(notes)
        size = torch.distributed.get_world_size() if is_distributed() else 1
        found = list(
            objections(values, self._components, strict=strict, notes=notes, world_size=size)
        )
        refusal: CheckpointError | None = None
        if found:
            shown = "\n".join(f"  {printable(one, 300)}" for one in found[:10])
            more = f"\n  and {len(found) - 10} more" if len(found) > 10 else ""
            refusal = CheckpointError(
                f"{printable(str(path))} does not fit this run; nothing was changed:\n"
                f"{shown}{more}",
                hint="Build the run as the one that was saved, or name another folder."
                + (" strict=False lets devices and components differ." if strict else ""),
            )
        _settle(refusal)
        apply_values(values, self._components, strict=strict, notes=notes, settle=_settle)
        notes += restore_surroundings(values.surroundings)
        notes += other_versions(values.manifest.versions)
        self.step = values.manifest.step
        self._epochs.resume(values.manifest.epoch)
        if values.manifest.world_size == size:
            # Last: what was loaded before may have drawn numbers.
            restore_generators(values)
        if notes:
            differ = ", and the bits may differ" if len(notes) > passed_over else ""
            warnings.warn(
                f"resumed from {path}{differ}:\n"
                + "\n".join(f"  {printable(note, 300)}" for note in notes),
                ResumeWarning,
                stacklevel=3,
            )
        return Restored(
            path=path,
            step=self.step,
            epoch=values.manifest.epoch,
            notes=tuple(notes),
        )


def is_distributed() -> bool:
    """Whether this process is one of several that train together."""
    parts = torch.distributed
    return parts.is_available() and parts.is_initialized() and parts.get_world_size() > 1


def _settle(failure: CheckpointError | None) -> None:
    """Raise if this process failed, or another that trains with it."""
    if is_distributed():
        from samebits.resume.distributed import settled

        settled(failure)
    elif failure is not None:
        raise failure


def _same_for_all(found: Iterator[Place | CheckpointError]) -> Iterator[Place | CheckpointError]:
    """What rank 0 finds, on every rank; a folder may change between two looks at it."""
    if not is_distributed():
        yield from found
        return
    from samebits.resume.distributed import agreed

    first = torch.distributed.get_rank() == 0
    while True:
        one = agreed(next(found, None) if first else None)
        if one is None:
            return
        yield one
