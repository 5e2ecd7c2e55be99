"""One checkpoint's content: from live objects to files, and from files to checked values.

Writing and reading meet here: `collect` turns components into a manifest and entries, `write_files`
puts them into a folder, `read_values` gives back what they held, with every checksum looked at.
Neither changes anything in memory.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError, SamebitsError
from samebits.training.checkpoint.component import Component
from samebits.training.checkpoint.decoding import Decoder, Elsewhere
from samebits.training.checkpoint.encoding import Encoder, Foreign
from samebits.training.checkpoint.entries import StoredEntry
from samebits.training.checkpoint.environment import capture_environment, versions
from samebits.training.checkpoint.manifest import (
    MANIFEST_FILE,
    TENSORS_FILE,
    CheckpointManifest,
    write_new,
)
from samebits.training.checkpoint.tensor_file import (
    StoredTensor,
    TensorFile,
    TensorReader,
    write_tensors,
)
from samebits.training.control.rng_state import RngState, capture
from samebits.training.control.streams import stream_names

_NO_TENSORS = TensorFile(nbytes=0, header_digest="", tensors={})


@dataclass(frozen=True, kw_only=True)
class Contents:
    """A checkpoint before it is written: the manifest without the tensors, and the tensors."""

    manifest: CheckpointManifest
    entries: Sequence[StoredEntry]


@dataclass(frozen=True, kw_only=True)
class Values:
    """What a checkpoint held, as values.

    Attributes:
        manifest: Its manifest.
        components: The state of each component by name.
        generators: The states of the global generators, but for the named streams.
        streams: The states of the named streams, by the names of `stream_names`.
        surroundings: Switches and devices.
    """

    manifest: CheckpointManifest
    components: Mapping[str, Any]
    generators: RngState
    streams: Mapping[str, Any]
    surroundings: Any


def collect(
    components: Sequence[Component],
    *,
    step: int,
    epoch: int | None,
    foreign: Foreign | None = None,
) -> Contents:
    """Take the state of every component and of all global generators.

    The entries share memory with the objects: write or copy them before anything goes on.

    Args:
        components: What to take it of.
        step: The step it is of.
        epoch: The epoch to go on with.
        foreign: Sets tensors aside that are stored elsewhere, as `Encoder` takes it.

    Raises:
        CheckpointError: Something cannot be stored; the message names the key.
    """
    encoder = Encoder(foreign)
    encoded: dict[str, dict[str, Any]] = {}
    # Before the states: streams that nobody holds any more may go at any moment.
    names = stream_names()
    # The generators first: a state_dict() that draws from one must not change what is stored.
    generators = capture()
    for component in components:
        encoded[component.name] = {
            "kind": component.kind,
            "type": component.type_name,
            "state": encoder.encode(_captured(component), component.name),
        }
    fields = {f.name: getattr(generators, f.name) for f in dataclasses.fields(generators)}
    fields["streams"] = {
        names[number]: states for number, states in generators.streams.items() if states
    }
    manifest = CheckpointManifest(
        step=step,
        epoch=epoch,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        versions=versions(),
        components=encoded,
        generators=encoder.encode(fields, "generators"),
        surroundings=encoder.encode(capture_environment(), "surroundings"),
        tensors=_NO_TENSORS,
    )
    return Contents(manifest=manifest, entries=encoder.entries())


def _captured(component: Component) -> Any:
    try:
        return component.capture()
    except SamebitsError:
        raise
    except Exception as error:
        raise CheckpointError(
            f"{component.name} did not give its state: {type(error).__name__}: {error}",
            hint=f"It comes from state_dict() of {component.type_name}.",
        ) from error


def write_files(folder: Path, contents: Contents) -> None:
    """Write a checkpoint's files into a new folder, each forced to the disk.

    Raises:
        OSError: The disk is full or failed.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(folder / TENSORS_FILE, flags, 0o666)
    try:
        tensors = write_tensors(descriptor, contents.entries)
    finally:
        os.close(descriptor)
    manifest = dataclasses.replace(contents.manifest, tensors=tensors)
    write_new(folder / MANIFEST_FILE, manifest.to_bytes())


def read_values(folder: Path, components: Mapping[str, Component]) -> Values:
    """Read a checkpoint, check every byte of it, and decode it.

    Args:
        folder: The checkpoint's own folder.
        components: The live components, whose functions and classes a file can only name.

    Raises:
        DamagedCheckpointError: A file is missing, cut off or altered.
        CheckpointError: It holds what this program or this version does not know.
    """
    manifest = CheckpointManifest.read(folder / MANIFEST_FILE)
    loaded = load_tensors(folder / TENSORS_FILE, manifest.tensors)
    return decode_values(folder, manifest, loaded, components)


def decode_values(
    folder: Path,
    manifest: CheckpointManifest,
    loaded: Mapping[str, tuple[torch.Tensor, StoredTensor]],
    components: Mapping[str, Component],
    elsewhere: Elsewhere | None = None,
) -> Values:
    """Make values of a manifest and the bytes that belong to it.

    Args:
        folder: The checkpoint's own folder, for messages.
        manifest: Its manifest.
        loaded: Its tensors' bytes, by name.
        components: The live components.
        elsewhere: Makes tensors that are stored elsewhere, as `Decoder` takes it.

    Raises:
        CheckpointError: It holds what this program or this version does not know.
    """
    decoder = Decoder(loaded.__getitem__, elsewhere)
    states: dict[str, Any] = {}
    for name, stored in manifest.components.items():
        live = components[name].live() if name in components else None
        states[name] = decoder.decode(stored["state"], name, live)
    generators = decoder.decode(manifest.generators, "generators")
    surroundings = decoder.decode(manifest.surroundings, "surroundings")
    state, streams = _generators(generators, folder)
    return Values(
        manifest=manifest,
        components=states,
        generators=state,
        streams=streams,
        surroundings=surroundings,
    )


def _generators(decoded: Any, folder: Path) -> tuple[RngState, Mapping[str, Any]]:
    """The states of the generators and of the named streams; what they hold is checked later."""
    known = {f.name for f in dataclasses.fields(RngState)}
    named = ("devices", "streams", "generators", "sources")
    if (
        not isinstance(decoded, dict)
        or decoded.keys() != known
        or not all(isinstance(decoded[name], dict) for name in named)
        or not all(isinstance(key, str) for name in named for key in decoded[name])
    ):
        raise CheckpointError(
            f"{printable(str(folder))}: the states of the generators are of another version",
            hint="Restore it with the version of samebits that wrote it.",
        )
    streams = decoded.pop("streams")
    return RngState(**decoded), streams


def load_tensors(path: Path, described: TensorFile) -> dict[str, tuple[torch.Tensor, StoredTensor]]:
    """All tensors of a file, as bytes in memory of their own, each checked.

    Raises:
        DamagedCheckpointError: The file is missing, cut off or altered.
    """
    names = sorted(described.tensors, key=lambda name: described.tensors[name].begin)
    shares = list(_shares(names, described, max(torch.get_num_threads(), 1)))

    def load(share: Sequence[str]) -> list[tuple[torch.Tensor, StoredTensor]]:
        with TensorReader(path, described) as reader:
            return [reader.load(name) for name in share]

    with ThreadPoolExecutor(max_workers=max(len(shares), 1)) as pool:
        loaded = list(pool.map(load, shares))
    return {
        name: memory
        for share, memories in zip(shares, loaded, strict=True)
        for name, memory in zip(share, memories, strict=True)
    }


def _shares(names: Sequence[str], described: TensorFile, count: int) -> Iterator[Sequence[str]]:
    """The names, cut where about equal numbers of bytes lie on both sides."""
    total = sum(described.tensors[name].nbytes for name in names)
    share: list[str] = []
    size = 0
    for name in names:
        share.append(name)
        size += described.tensors[name].nbytes
        if size * count >= total:
            yield share
            share, size = [], 0
    if share or not names:
        yield share
