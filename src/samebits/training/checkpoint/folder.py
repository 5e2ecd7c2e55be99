"""The folder that checkpoints lie in: written so that a kill at any moment loses none.

::

    ckpt/
      latest                    the name of the newest checkpoint, with a checksum
      step-00000100/            one checkpoint
        checkpoint.json
        tensors.safetensors
      step-00000200/
      .step-00000300.4711-3.partial/  being written; swept away by the next save

A checkpoint is written under a temporary name, forced to the disk, and renamed; the rename is
forced to the disk; then `latest` is replaced in the same way; only then are older checkpoints
removed. So `latest` never names what is not whole, and there is never no checkpoint once there was
one. An existing checkpoint is never written to: saving a step again takes a new name.

A signal handler may save in the middle of a save. Each write has names of its own, and leaves alone
what another one that is under way needs.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samebits.core.names import printable
from samebits.errors import CheckpointError, DamagedCheckpointError
from samebits.training.checkpoint.lock import Claim, claim_of, own_name
from samebits.training.checkpoint.manifest import read_bytes, write_new

LATEST_FILE = "latest"

_NAME = re.compile(r"step-(\d{8,18})(?:-(\d{1,9}))?")
_UNFINISHED = re.compile(r"\.(?:step-[\d-]+|latest)\.[\d-]+\.(?:partial|deleting)")


@dataclass(frozen=True, order=True)
class CheckpointPlace:
    """A checkpoint in its folder, ordered by step.

    Attributes:
        step: The step it was saved at.
        number: 1, or more where the step was saved again.
        path: The checkpoint's own folder.
    """

    step: int
    number: int
    path: Path


class CheckpointFolder:
    """A folder of checkpoints.

    Args:
        path: Where; made when the first checkpoint is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._removers: list[threading.Thread] = []

    def places(self) -> list[CheckpointPlace]:
        """All checkpoints that were written to their end, oldest step first; whole or damaged."""
        found = []
        try:
            names = [entry.name for entry in self.path.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise CheckpointError(
                f"cannot read {printable(str(self.path))}: {error.strerror}"
            ) from error
        for name in names:
            match = _NAME.fullmatch(name)
            if match is not None:
                found.append(CheckpointPlace(int(match[1]), int(match[2] or 1), self.path / name))
        return sorted(found)

    def latest(self) -> CheckpointPlace | None:
        """The checkpoint that `latest` names; None where there is no such file.

        Raises:
            DamagedCheckpointError: `latest` is altered, or names what is not there.
        """
        path = self.path / LATEST_FILE
        if not os.path.lexists(path):
            return None
        content = read_bytes(path)
        name = content.decode("ascii", "replace").partition(" ")[0]
        hint = "Name a checkpoint: restore('…/step-…'), or remove the file."
        if content != _latest_content(name):
            raise DamagedCheckpointError(
                f"{printable(str(path))} is not what was written: its checksum differs", hint=hint
            )
        place = next((place for place in self.places() if place.path.name == name), None)
        if place is None:
            raise DamagedCheckpointError(
                f"{printable(str(path))} names {printable(name)}, which is not there", hint=hint
            )
        return place

    def write(self, step: int, fill: Callable[[Path], None], *, keep: int) -> Path:
        """Write a checkpoint, make it the latest, and remove what is older than the last `keep`.

        Args:
            step: The step it is of.
            fill: Writes the files into the folder it is given, each forced to the disk.
            keep: How many checkpoints up to this step to keep, this one included.

        Returns:
            The checkpoint's folder.

        Raises:
            CheckpointError: It cannot be written; all earlier checkpoints are as they were.
        """
        try:
            claim = claim_of(self.path)
            with claim.turn:
                claim.give_to(self, self.path)
                return self._write(claim, step, fill, keep)
        except OSError as error:
            raise CheckpointError(
                f"cannot write a checkpoint into {printable(str(self.path))}: "
                f"{error.strerror or error}",
                hint="Earlier checkpoints are as they were.",
            ) from error

    def _write(self, claim: Claim, step: int, fill: Callable[[Path], None], keep: int) -> Path:
        self.finish_removing()
        self._sweep(claim.busy)
        partial = self.path / own_name(f"step-{step:08d}", "partial")
        needed = {partial.name}
        claim.busy |= needed
        try:
            partial.mkdir()
            fill(partial)
            force_folder(partial)
            target = self._renamed(partial, step, claim.busy, needed)
            force_folder(self.path)
            self._point_at(target.name, claim, needed)
            # What cannot be removed now will be by a later save.
            with contextlib.suppress(OSError):
                self._prune(target, step, keep, claim)
            return target
        finally:
            claim.busy -= needed
            if partial.exists():
                shutil.rmtree(partial, ignore_errors=True)

    def _renamed(self, partial: Path, step: int, busy: set[str], needed: set[str]) -> Path:
        """Give a complete folder its name."""
        while True:
            target = self.path / self._free_name(step)
            needed.add(target.name)
            busy.add(target.name)  # before it is there: it must not be removed until `latest` is it
            try:
                return partial.rename(target)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise  # otherwise a signal handler has saved this step meanwhile

    def _sweep(self, busy: set[str]) -> None:
        """Remove what killed processes left half written or half removed."""
        for path in list(self.path.iterdir()):
            if path.name not in busy and _UNFINISHED.fullmatch(path.name):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def _free_name(self, step: int) -> str:
        name, number = f"step-{step:08d}", 1
        while (self.path / name).exists():
            number += 1
            name = f"step-{step:08d}-{number}"
        return name

    def _point_at(self, name: str, claim: Claim, needed: set[str]) -> None:
        temporary = self.path / own_name("latest", "partial")
        needed.add(temporary.name)
        claim.busy.add(temporary.name)
        claim.latest = name
        try:
            write_new(temporary, _latest_content(name))
            temporary.replace(self.path / LATEST_FILE)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        force_folder(self.path)

    def _prune(self, newest: Path, step: int, keep: int, claim: Claim) -> None:
        # What lies ahead of this step belongs to a run that went further and was wound back; it is
        # replaced when this one gets there, and may be wanted until then.
        past = [place for place in self.places() if place.step <= step and place.path != newest]
        if claim.latest != newest.name:
            return  # a signal handler has saved since, and removed what is older
        again = [place for place in past if place.step == step]
        older = [place for place in past if place.step < step]
        for place in again + older[: max(len(older) - (keep - 1), 0)]:
            # Renamed first: a folder under its own name is always complete.
            if place.path.name in claim.busy:
                continue
            doomed = place.path.with_name(own_name(place.path.name, "deleting"))
            place.path.rename(doomed)
            self._remove(doomed)

    def _remove(self, doomed: Path) -> None:
        """Remove a folder beside what the process goes on with: freeing gigabytes takes a while."""
        remover = threading.Thread(target=shutil.rmtree, args=(doomed, True), name="samebits-prune")
        try:
            remover.start()
        except RuntimeError:  # no thread can be had any more: the interpreter is ending
            shutil.rmtree(doomed, ignore_errors=True)
        else:
            self._removers.append(remover)

    def finish_removing(self) -> None:
        """Wait until the space of older checkpoints is freed."""
        while self._removers:
            self._removers.pop().join()


def candidates(folder: CheckpointFolder) -> Iterator[CheckpointPlace | CheckpointError]:
    """The checkpoints to try, best first: the latest, then what lies before it.

    Yields:
        A place, or the error that kept `latest` from being read.
    """
    places = folder.places()
    try:
        latest = folder.latest()
    except CheckpointError as error:
        yield error
        latest = None
    if latest is not None:
        yield latest
        places = [place for place in places if place < latest]
    yield from reversed(places)


def force_folder(path: Path) -> None:
    """Force a folder's entries to the disk.

    Raises:
        OSError: The disk failed.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _latest_content(name: str) -> bytes:
    checksum = hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return f"{name} {checksum}\n".encode("utf-8", "replace")
