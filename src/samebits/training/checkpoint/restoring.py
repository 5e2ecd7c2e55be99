"""Going on from a checkpoint: the best one is found, read, and given to the live objects."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError, DamagedCheckpointError, ResumeWarning
from samebits.training.checkpoint.applying import apply_values, objections
from samebits.training.checkpoint.component import Component
from samebits.training.checkpoint.contents import Values, read_values
from samebits.training.checkpoint.environment import other_versions
from samebits.training.checkpoint.folder import CheckpointFolder, CheckpointPlace, candidates
from samebits.training.checkpoint.manifest import MANIFEST_FILE
from samebits.training.checkpoint.ranks import from_first, is_distributed, settled


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


def find_values(
    own: CheckpointFolder,
    path: str | Path | None,
    components: Mapping[str, Component],
    notes: list[str],
) -> tuple[Path, Values] | None:
    """Read a checkpoint, with every byte checked; changes nothing.

    Args:
        own: The run's folder.
        path: A certain checkpoint, or another folder of checkpoints; the run's own unless given.
        components: The live components, by name.
        notes: Gets a sentence for each checkpoint that was passed over.

    Returns:
        The checkpoint's folder and what it held; None where there is none yet.

    Raises:
        CheckpointError: None is whole, or what was named is not.
    """
    folder = own if path is None else CheckpointFolder(Path(path))
    if path is not None and from_first(lambda: _is_one(folder)):
        return folder.path, _values(folder.path, components)
    damaged: list[CheckpointError] = []
    for candidate in _same_for_all(candidates(folder)):
        if not isinstance(candidate, CheckpointPlace):
            damaged.append(candidate)
            continue
        try:
            values = _values(candidate.path, components, candidate.step)
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


def give_values(
    path: Path,
    values: Values,
    components: Mapping[str, Component],
    *,
    strict: bool,
    notes: list[str],
) -> None:
    """Give a checkpoint's values to the live objects, all or nothing.

    Args:
        path: The checkpoint's folder, for messages.
        values: What it held.
        components: The live components, by name.
        strict: Refuse what cannot continue with the same bits; otherwise note it.
        notes: Gets what is not as it was.

    Raises:
        CheckpointError: It does not fit this run, or one of several ranks; nothing was changed.
    """
    size = torch.distributed.get_world_size() if is_distributed() else 1

    def compare() -> None:
        found = list(objections(values, components, strict=strict, notes=notes, world_size=size))
        if found:
            shown = "\n".join(f"  {printable(one, 300)}" for one in found[:10])
            more = f"\n  and {len(found) - 10} more" if len(found) > 10 else ""
            raise CheckpointError(
                f"{printable(str(path))} does not fit this run; nothing was changed:\n"
                f"{shown}{more}",
                hint="Build the run as the one that was saved, or name another folder."
                + (" strict=False lets devices and components differ." if strict else ""),
            )

    settled(compare)
    same_ranks = values.manifest.world_size == size
    apply_values(values, components, strict=strict, notes=notes, generators=same_ranks)
    notes += other_versions(values.manifest.versions)


def warn_of(notes: list[str], path: Path, passed_over: int) -> None:
    """Give the notes as a warning, if there are any.

    Args:
        notes: All of them.
        path: The checkpoint's folder.
        passed_over: How many of them, the first ones, speak of other checkpoints.
    """
    if notes:
        differ = ", and the bits may differ" if len(notes) > passed_over else ""
        warnings.warn(
            f"resumed from {path}{differ}:\n"
            + "\n".join(f"  {printable(note, 300)}" for note in notes),
            ResumeWarning,
            stacklevel=3,
        )


def _is_one(folder: CheckpointFolder) -> bool:
    """Whether a path is one checkpoint, and no folder of them."""
    try:
        return (folder.path / MANIFEST_FILE).exists() or not folder.places()
    except OSError as error:
        raise CheckpointError(
            f"cannot read {printable(str(folder.path))}: {error.strerror}"
        ) from error


def _values(path: Path, components: Mapping[str, Component], step: int | None = None) -> Values:
    def check() -> None:
        if step is not None and values.manifest.step != step:
            raise DamagedCheckpointError(
                f"{printable(str(path))} says that it is of step {values.manifest.step}",
                hint="It was renamed or edited; restore another one.",
            )

    if is_distributed():
        from samebits.training.checkpoint.distributed import read_rank

        values = read_rank(path, components)
    else:
        values = settled(lambda: read_values(path, components))
    settled(check)
    return values


def _same_for_all(
    found: Iterator[CheckpointPlace | CheckpointError],
) -> Iterator[CheckpointPlace | CheckpointError]:
    """What rank 0 finds, on every rank; a folder may change between two looks at it."""
    while (one := from_first(lambda: next(found, None))) is not None:
        yield one
