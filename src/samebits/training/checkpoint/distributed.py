"""One checkpoint of several processes: what all ranks share once, the rest once a rank.

Each rank encodes its own state. Distributed tensors go into shards, through
`torch.distributed.checkpoint`. Of everything else the digests are compared across ranks: an entry
that has the same bits on rank 0 is written by rank 0 alone. So nothing is taken to be replicated
that is not, as the buffers of unsynchronised batch norm are not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict_loader import load as load_shards
from torch.distributed.checkpoint.state_dict_saver import save as save_shards

from samebits.core.fingerprint.tensor import fingerprint_tensor
from samebits.errors import CheckpointError, DamagedCheckpointError
from samebits.training.checkpoint.component import Component
from samebits.training.checkpoint.contents import (
    Contents,
    Values,
    collect,
    decode_values,
    load_tensors,
)
from samebits.training.checkpoint.contents import write_files as write_own_files
from samebits.training.checkpoint.dtypes import dtype_name
from samebits.training.checkpoint.entries import StoredEntry
from samebits.training.checkpoint.folder import CheckpointFolder, force_folder
from samebits.training.checkpoint.manifest import MANIFEST_FILE, TENSORS_FILE, CheckpointManifest
from samebits.training.checkpoint.ranks import agreed, agreed_any, from_first, together
from samebits.training.checkpoint.shards import SHARDS_FOLDER, ShardReader, ShardWriter


class Shards:
    """Distributed tensors of a tree, set aside while it is encoded."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}

    def node(self, tensor: torch.Tensor, path: str) -> dict[str, Any] | None:
        """The node of a distributed tensor; None for any other."""
        if not _is_sharded(tensor):
            return None
        name, number = path, 1
        while name in self.tensors:
            number += 1
            name = f"{path}~{number}"
        self.tensors[name] = tensor
        return {
            "$": "sharded",
            "name": name,
            "dtype": dtype_name(tensor.dtype),
            "shape": list(tensor.shape),
        }


def collect_shared(
    components: Sequence[Component], *, step: int, epoch: int | None
) -> tuple[Contents, Shards]:
    """This rank's contents without what rank 0 has alike, and its shards.

    Raises:
        CheckpointError: Something cannot be stored, here or on another rank.
    """
    shards = Shards()

    def take() -> tuple[Contents, dict[str, int]]:
        contents = collect(components, step=step, epoch=epoch, foreign=shards.node)
        return contents, {entry.name: _digest(entry) for entry in contents.entries}

    contents, digests = together(take)
    reference = agreed(digests)
    shared = (
        [name for name, digest in digests.items() if reference.get(name) == digest]
        if dist.get_rank()
        else []
    )
    own = [entry for entry in contents.entries if entry.name not in set(shared)]
    manifest = replace(
        contents.manifest, world_size=dist.get_world_size(), extra={"shared": shared}
    )
    return Contents(manifest=manifest, entries=own), shards


def write_together(
    folder: CheckpointFolder, step: int, contents: Contents, shards: Shards, *, keep: int
) -> Path:
    """Write one checkpoint by all ranks; call it on every rank.

    Rank 0 makes the folder and gives it its name once all ranks have written their parts.

    Raises:
        CheckpointError: It failed, here or on another rank; earlier checkpoints are as they were.
    """
    announced = False

    def fill(partial: Path) -> None:
        nonlocal announced
        announced = True
        agreed(str(partial.absolute()))
        write_rank(partial, contents, shards)

    def write() -> Path:
        try:
            return folder.write(step, fill, keep=keep)
        finally:
            if not announced:
                agreed("")

    if dist.get_rank():
        place = agreed("")
        if place:
            with contextlib.suppress(CheckpointError):  # rank 0 tells everybody
                write_rank(Path(place), contents, shards)
    return from_first(write)


def write_rank(folder: Path, contents: Contents, shards: Shards) -> None:
    """Write this rank's part into a folder that all ranks see; call it on every rank.

    Raises:
        CheckpointError: It failed, here or on another rank.
    """
    rank = dist.get_rank()

    def write() -> None:
        own = folder if rank == 0 else folder / f"rank-{rank}"
        if rank:
            own.mkdir()
        write_own_files(own, contents)
        if rank:
            force_folder(own)

    together(write)
    if agreed_any(bool(shards.tensors)):
        place = folder / SHARDS_FOLDER
        together(lambda: place.mkdir() if rank == 0 else None)
        try:
            with _quiet():
                save_shards(dict(shards.tensors), storage_writer=ShardWriter(place, rank))
        except CheckpointException as error:  # raised on every rank; no Exception of Python's
            raise CheckpointError(_told(error)) from error
        together(lambda: force_folder(place) if rank == 0 else None)


def read_rank(folder: Path, components: Mapping[str, Component]) -> Values:
    """Read and check this rank's part of a checkpoint; call it on every rank.

    A rank that the checkpoint does not know reads the part of rank 0.

    Raises:
        DamagedCheckpointError: A file is missing, cut off or altered, for this rank or another.
        CheckpointError: It holds what this program does not know.
    """
    rank = dist.get_rank()
    templates = together(lambda: _Templates(components))

    def read() -> tuple[CheckpointManifest, dict[str, Any]]:
        first = CheckpointManifest.read(folder / MANIFEST_FILE)
        loaded = load_tensors(folder / TENSORS_FILE, first.tensors)
        if rank == 0 or rank >= first.world_size:
            return first, loaded
        own = folder / f"rank-{rank}"
        manifest = CheckpointManifest.read(own / MANIFEST_FILE)
        if (manifest.step, manifest.world_size) != (first.step, first.world_size):
            raise DamagedCheckpointError(f"{own} is of another checkpoint than rank 0's")
        mine = load_tensors(own / TENSORS_FILE, manifest.tensors)
        try:
            mine.update({name: loaded[name] for name in manifest.extra["shared"]})
        except (KeyError, TypeError) as error:
            raise DamagedCheckpointError(f"{own} shares what rank 0 does not have") from error
        return manifest, mine

    manifest, loaded = together(read)
    values = together(lambda: decode_values(folder, manifest, loaded, components, templates.make))
    if agreed_any(bool(templates.made)):
        with _quiet():
            try:
                reader = ShardReader(folder / SHARDS_FOLDER)
                load_shards(dict(templates.made), storage_reader=reader)
            except CheckpointException as error:
                raise DamagedCheckpointError(_told(error)) from error
    return values


def _told(error: CheckpointException) -> str:
    """What went wrong on the first rank that failed, without torch's traceback of it."""
    rank, (cause, _) = min(error.failures.items())
    return f"rank {rank}: {getattr(cause, 'message', cause)}"


class _Templates:
    """Makes empty distributed tensors, laid out as this run lays out the parameter beside them."""

    def __init__(self, components: Mapping[str, Component]) -> None:
        self.made: dict[str, torch.Tensor] = {}
        self._like: dict[str, Any] = {}
        self._by_size: dict[tuple[int, ...], Any] = {}
        for name, part in components.items():
            if isinstance(part.target, torch.nn.Module):
                for key, tensor in part.target.state_dict().items():
                    if _is_sharded(tensor):
                        self._like[f"{name}.state_dict.{key}"] = tensor
                        self._by_size.setdefault(tuple(tensor.shape), tensor)
            elif isinstance(part.target, torch.optim.Optimizer):
                groups = part.target.param_groups
                for number, p in enumerate(p for group in groups for p in group["params"]):
                    if _is_sharded(p):
                        self._like[f"{name}.state.{number}"] = p

    def make(self, node: dict[str, Any], path: str) -> torch.Tensor:
        """An empty tensor for a "sharded" node; it is filled when all are made."""
        from torch.distributed import tensor as distributed_tensor

        if node["$"] != "sharded":
            raise CheckpointError(f"{path} is of a kind that this version does not know")
        shape = tuple(node["shape"])
        keys = (path, path.rpartition(".")[0], path.replace(".gradients.", ".state_dict."))
        like = next((self._like[key] for key in keys if key in self._like), None)
        if like is None:
            like = self._by_size.get(shape)
        if like is None:
            raise CheckpointError(
                f"{path} is sharded in the checkpoint, and nothing like it is now",
                hint="Shard the model before the checkpoint is restored.",
            )
        self.made[node["name"]] = distributed_tensor.zeros(
            shape,
            dtype=getattr(torch, node["dtype"]),
            device_mesh=like.device_mesh,
            placements=like.placements,
        )
        return self.made[node["name"]]


def _is_sharded(tensor: Any) -> bool:
    # Asked by attribute: importing DTensor costs time that runs without shards need not spend.
    return isinstance(tensor, torch.Tensor) and hasattr(tensor, "device_mesh")


def _digest(entry: StoredEntry) -> int:
    source = entry.source
    if not isinstance(source, torch.Tensor):
        source = torch.from_numpy(source.reshape(-1).view("u1"))
    return fingerprint_tensor(source)


@contextlib.contextmanager
def _quiet() -> Any:
    """Let torch's own advice about process groups and storages be; nobody here can follow it."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
