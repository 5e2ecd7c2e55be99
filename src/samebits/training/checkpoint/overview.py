"""What a checkpoint holds, in numbers and names, without decoding it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.core.names import printable
from samebits.errors import CheckpointError
from samebits.training.checkpoint.folder import CheckpointFolder, CheckpointPlace
from samebits.training.checkpoint.manifest import MANIFEST_FILE, TENSORS_FILE, CheckpointManifest
from samebits.training.checkpoint.tensor_file import BLOCK_BYTES, TensorReader

_SCRATCH_BYTES = 512 * BLOCK_BYTES


@dataclass(frozen=True, kw_only=True)
class Part:
    """One component, or the generators.

    Attributes:
        name: As the person called it.
        type: Its class.
        tensors: Tensors in it.
        nbytes: Their size in bytes; memory that several share is counted where it comes first.
        gradients: Bytes of it that are gradients.
    """

    name: str
    type: str
    tensors: int
    nbytes: int
    gradients: int = 0


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What a checkpoint holds.

    Attributes:
        path: Its folder.
        manifest: Its manifest.
        parts: Its components, in the order in which they were given, and the generators.
        generators: What has a state: "python", "numpy", "torch-cpu", "2 cuda", streams …
        nbytes: Bytes of all its files.
    """

    path: Path
    manifest: CheckpointManifest
    parts: tuple[Part, ...]
    generators: tuple[str, ...]
    nbytes: int


def checkpoint_path(path: Path) -> Path:
    """A checkpoint's own folder: the path itself, or the latest one in the folder it names.

    Raises:
        CheckpointError: There is no checkpoint.
    """
    if (path / MANIFEST_FILE).exists():
        return path
    folder = CheckpointFolder(path)
    latest = folder.latest()
    if latest is None:
        places = folder.places()
        if not places:
            raise CheckpointError(
                f"there is no checkpoint in {printable(str(path))}",
                hint="Name a folder that samebits.Checkpoint wrote, or one of its step-… folders.",
            )
        latest = places[-1]
    return latest.path


def overview(path: Path) -> Overview:
    """What the checkpoint at a path holds; its tensors are not read.

    Raises:
        CheckpointError: There is none, or its manifest is damaged.
    """
    path = checkpoint_path(path)
    manifest = CheckpointManifest.read(path / MANIFEST_FILE)
    counted: set[str] = set()
    parts = []
    for name, component in manifest.components.items():
        state = component["state"]
        own = list(_entries(state, counted))
        gradients = _gradients(state) if component["kind"] == "module" else set()
        sizes = {entry: _size(manifest, entry) for entry in own}
        parts.append(
            Part(
                name=name,
                type=component["type"],
                tensors=len(own),
                nbytes=sum(sizes.values()),
                gradients=sum(size for entry, size in sizes.items() if entry in gradients),
            )
        )
    files = (file for file in path.iterdir() if file.is_file())
    return Overview(
        path=path,
        manifest=manifest,
        parts=tuple(parts),
        generators=tuple(_generators(manifest.generators)),
        nbytes=sum(file.stat().st_size for file in files),
    )


def verify(path: Path) -> int:
    """Read a checkpoint and check every byte of it.

    Args:
        path: The checkpoint's own folder.

    Returns:
        How many bytes were checked.

    Raises:
        CheckpointError: A file is missing, cut off or altered; the message says which bytes.
    """
    manifest = CheckpointManifest.read(path / MANIFEST_FILE)
    scratch = memoryview(bytearray(_SCRATCH_BYTES))
    with TensorReader(path / TENSORS_FILE, manifest.tensors) as reader:
        for name in manifest.tensors.tensors:
            reader.verify(name, scratch)
    return (path / MANIFEST_FILE).stat().st_size + manifest.tensors.nbytes


def places(path: Path) -> list[CheckpointPlace]:
    """The checkpoints that a path stands for: itself, or all in that folder.

    Raises:
        CheckpointError: There is none.
    """
    if (path / MANIFEST_FILE).exists():
        return [CheckpointPlace(0, 1, path)]
    found = CheckpointFolder(path).places()
    if not found:
        checkpoint_path(path)  # says what is missing
    return found


def damaged_pointer(path: Path) -> str | None:
    """What is wrong with the file that names a folder's latest checkpoint, if anything is."""
    try:
        CheckpointFolder(path).latest()
    except CheckpointError as error:
        return error.message
    return None


def _entries(node: Any, counted: set[str]) -> Iterator[str]:
    """Names of the entries in a tree that were not counted before."""
    todo = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            name = one.get("entry")
            if "$" in one and isinstance(name, str) and name not in counted:
                counted.add(name)
                yield name
            todo += one.values()
        elif isinstance(one, list):
            todo += one


def _gradients(state: Any) -> set[str]:
    return set(_entries(state.get("gradients"), set())) if isinstance(state, dict) else set()


def _size(manifest: CheckpointManifest, entry: str) -> int:
    stored = manifest.tensors.tensors.get(entry)
    return 0 if stored is None else stored.nbytes


def _generators(states: Any) -> Iterator[str]:
    if not isinstance(states, dict):
        return
    if states.get("python") is not None:
        yield "python"
    if states.get("numpy") is not None:
        yield "numpy"
    if states.get("torch_cpu") is not None:
        yield "torch-cpu"
    for kind, devices in (states.get("devices") or {}).items():
        count = len(devices.get("items", ())) if isinstance(devices, dict) else 0
        yield f"{count} {kind}"
    for name, streams in (states.get("streams") or {}).items():
        yield f"{len(streams)} streams of {name}"
    for what in ("generators", "sources"):
        yield from states.get(what) or {}
