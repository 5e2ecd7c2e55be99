"""Shards of distributed tensors on disk, for `torch.distributed.checkpoint`, without pickle.

torch's own file writer pickles its metadata and saves shards with `torch.save`. These two classes
take its place: they speak torch's storage interface, and write safetensors and sealed JSON::

    shards/
      shards-0.safetensors   the chunks that rank 0 wrote
      shards-0.json          their checksums
      shards.json            where each chunk of each tensor lies; written by rank 0
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    SavePlan,
    SavePlanner,
    WriteItemType,
)
from torch.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from torch.futures import Future

from samebits.errors import CheckpointError, DamagedCheckpointError
from samebits.training.checkpoint.decoding import Decoder
from samebits.training.checkpoint.dtypes import dtype_name, dtype_named
from samebits.training.checkpoint.encoding import Encoder
from samebits.training.checkpoint.manifest import parse_sealed, read_bytes, seal, write_new
from samebits.training.checkpoint.tensor_file import TensorFile, TensorReader, write_tensors

SHARDS_FOLDER = "shards"
SCHEMA = "samebits.shards/1"
_INDEX = "shards.json"
_DAMAGED = "The checkpoint is damaged or was edited; restore an earlier one."


class ShardWriter(StorageWriter):
    """Writes this process's chunks; rank 0 writes the index.

    Args:
        folder: The folder of the shards; it exists.
        rank: This process's rank.
    """

    def __init__(self, folder: Path, rank: int) -> None:
        super().__init__()
        self._folder = folder
        self._rank = rank

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Nothing: one object writes one checkpoint."""

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Nothing: the folder exists."""

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """The plan as it is."""
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """The plans as they are."""
        return plans

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the chunks of the plan into one file, forced to the disk."""
        encoder = Encoder()
        nodes: list[tuple[MetadataIndex, dict[str, Any], int]] = []
        for number, item in enumerate(plan.items):
            if item.type is WriteItemType.BYTE_IO:
                raise CheckpointError(f"{item.index.fqn} is no tensor, and was given as a shard")
            tensor = planner.resolve_data(item)
            assert isinstance(tensor, torch.Tensor)
            node = encoder.encode(tensor.detach(), f"{item.index.fqn}@{number}")
            nodes.append((item.index, node, tensor.nbytes))
        name = f"shards-{self._rank}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(self._folder / f"{name}.safetensors", flags, 0o666)
        try:
            described = write_tensors(descriptor, encoder.entries())
        finally:
            os.close(descriptor)
        write_new(self._folder / f"{name}.json", seal({"tensors": described.to_json()}, SCHEMA))
        done: Future[list[WriteResult]] = Future()
        done.set_result(
            [
                WriteResult(index=index, size_in_bytes=size, storage_data={"file": name, **node})
                for index, node, size in nodes
            ]
        )
        return done

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write the index: for each tensor its dtype, size and chunks."""
        places = {result.index: result.storage_data for part in results for result in part}
        tensors: dict[str, Any] = {}
        for name, facts in metadata.state_dict_metadata.items():
            assert isinstance(facts, TensorStorageMetadata)
            tensors[name] = {
                "dtype": dtype_name(facts.properties.dtype),
                "size": list(facts.size),
                "chunks": [[list(chunk.offsets), list(chunk.sizes)] for chunk in facts.chunks],
            }
        stored = [
            {
                "name": index.fqn,
                "offset": None if index.offset is None else list(index.offset),
                "node": node,
            }
            for index, node in places.items()
        ]
        write_new(self._folder / _INDEX, seal({"tensors": tensors, "stored": stored}, SCHEMA))

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """No path is taken; the folder was given."""
        return False


class ShardReader(StorageReader):
    """Reads the chunks that this process needs, each checked.

    Args:
        folder: The folder of the shards.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Nothing: one object reads one checkpoint."""

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """What the index says.

        Raises:
            DamagedCheckpointError: It is missing, altered, or makes no sense.
        """
        path = self._folder / _INDEX
        content = parse_sealed(read_bytes(path), str(path), SCHEMA)
        try:
            tensors: dict[str, Any] = {
                name: TensorStorageMetadata(
                    properties=TensorProperties(dtype=_dtype(facts["dtype"])),
                    size=torch.Size(facts["size"]),
                    chunks=[
                        ChunkStorageMetadata(offsets=torch.Size(first), sizes=torch.Size(sizes))
                        for first, sizes in facts["chunks"]
                    ],
                )
                for name, facts in content["tensors"].items()
            }
            places = {
                MetadataIndex(
                    one["name"], None if one["offset"] is None else torch.Size(one["offset"])
                ): one["node"]
                for one in content["stored"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedCheckpointError(f"{path} makes no sense", hint=_DAMAGED) from error
        return Metadata(state_dict_metadata=tensors, storage_data=places)

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note where the chunks lie."""
        self._places: dict[MetadataIndex, dict[str, Any]] = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """The plan as it is."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are."""
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read what the plan asks for into the planner's tensors."""
        wanted: dict[str, list[Any]] = {}
        for item in plan.items:
            wanted.setdefault(str(self._places[item.storage_index]["file"]), []).append(item)
        for file, items in wanted.items():
            with TensorReader(
                self._folder / f"{file}.safetensors", self._described(file)
            ) as reader:
                decoder = Decoder(reader.load)
                for item in items:
                    if item.type is not LoadItemType.TENSOR:
                        raise CheckpointError(f"{item.dest_index.fqn} is no tensor here")
                    node = self._places[item.storage_index]
                    chunk = decoder.decode(node, item.dest_index.fqn)
                    for dim, (first, length) in enumerate(
                        zip(item.storage_offsets, item.lengths, strict=True)
                    ):
                        chunk = chunk.narrow(dim, first, length)
                    target = planner.resolve_tensor(item).detach()
                    target.copy_(chunk)
                    planner.commit_tensor(item, target)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def _described(self, file: str) -> TensorFile:
        path = self._folder / f"{file}.json"
        return TensorFile.from_json(
            parse_sealed(read_bytes(path), str(path), SCHEMA)["tensors"], str(path)
        )

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """No path is taken; the folder was given."""
        return False


def _dtype(name: Any) -> torch.dtype:
    found = dtype_named(name)
    if found is None:
        raise ValueError(f"there is no dtype {name!r}")
    return found
