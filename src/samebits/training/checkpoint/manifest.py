"""checkpoint.json: what a checkpoint holds, as JSON that is checked before it is believed.

The file's first line holds the schema and the BLAKE2b-256 digest of everything after that line::

    {"schema": "samebits.checkpoint/1", "blake2b": "5d41402a…",
    "step": 100, "epoch": 2, …}

It is one JSON object to any reader, and no bit of it can change unseen.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import CheckpointError, DamagedCheckpointError, TraceError
from samebits.training.checkpoint.tensor_file import TensorFile

SCHEMA = "samebits.checkpoint/1"
MANIFEST_FILE = "checkpoint.json"
TENSORS_FILE = "tensors.safetensors"
MAX_BYTES = 2**30

DAMAGED = "The checkpoint is damaged or was edited; restore an earlier one."

_FIRST_LINE = re.compile(rb'\{"schema": "([^"\n]{1,200})", "blake2b": "([0-9a-f]{64})",')


@dataclass(frozen=True, kw_only=True)
class CheckpointManifest:
    """What checkpoint.json says.

    Attributes:
        step: How often `save` had been called.
        epoch: The epoch to go on with, or None where nobody counts epochs.
        created: ISO 8601, UTC.
        versions: Of samebits, Python, torch, NumPy.
        components: For each component by name: `{"kind", "type", "state"}`, the state encoded.
        generators: The states of all global generators, encoded.
        surroundings: Switches, threads, devices, encoded.
        tensors: What is stored in tensors.safetensors.
        world_size: Number of processes that wrote it together.
        extra: Keys that this version does not know.
    """

    step: int
    epoch: int | None
    created: str
    versions: dict[str, str]
    components: dict[str, dict[str, Any]]
    generators: Any
    surroundings: Any
    tensors: TensorFile
    world_size: int = 1
    extra: dict[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The content of checkpoint.json."""
        known = {
            "step": self.step,
            "epoch": self.epoch,
            "created": self.created,
            "world_size": self.world_size,
            "versions": self.versions,
            "components": self.components,
            "generators": self.generators,
            "surroundings": self.surroundings,
            "tensors": self.tensors.to_json(),
        }
        return seal({**known, **self.extra}, SCHEMA)

    @classmethod
    def read(cls, path: Path) -> CheckpointManifest:
        """Read and check a checkpoint.json.

        Raises:
            CheckpointError: It is missing, altered, of another version, or makes no sense.
        """
        return cls.from_bytes(read_bytes(path), str(path))

    @classmethod
    def from_bytes(cls, content: bytes, where: str) -> CheckpointManifest:
        """Check the content of a checkpoint.json.

        Args:
            content: All of it.
            where: Its path, for messages.

        Raises:
            CheckpointError: It is altered, of another version, or makes no sense.
        """
        where = printable(where)
        parsed = parse_sealed(content, where, SCHEMA)
        try:
            known = {key: parsed.pop(key) for key in _REQUIRED}
            tensors = TensorFile.from_json(known.pop("tensors"), where)
            for key, kind in _REQUIRED.items():
                if key in known and not isinstance(known[key], kind):
                    raise ValueError(f"'{key}' is of the wrong type")
            for key, least in (("step", 0), ("epoch", 0), ("world_size", 1)):
                if known[key] is not None and not _is_count(known[key], least):
                    raise ValueError(f"'{key}' is no number from {least} on")
            if not all(isinstance(version, str) for version in known["versions"].values()):
                raise ValueError("'versions' is of the wrong type")
            for name, component in known["components"].items():
                texts = all(isinstance(component[key], str) for key in ("kind", "type"))
                if not texts or "state" not in component:
                    raise ValueError(f"component {name!r} makes no sense")
        except (KeyError, ValueError, TypeError) as error:
            raise DamagedCheckpointError(
                f"{where} makes no sense ({printable(str(error), 100)})", hint=DAMAGED
            ) from error
        return cls(**known, tensors=tensors, extra=parsed)


MAX_COUNT = 10**18
"""Steps, epochs and processes are fewer: a step has at most 18 digits in its folder's name."""


def _is_count(value: Any, least: int) -> bool:
    return type(value) is int and least <= value < MAX_COUNT


_REQUIRED: dict[str, Any] = {
    "step": int,
    "epoch": (int, type(None)),
    "created": str,
    "world_size": int,
    "versions": dict,
    "components": dict,
    "generators": object,
    "surroundings": object,
    "tensors": dict,
}


def seal(content: dict[str, Any], schema: str) -> bytes:
    """A JSON object as bytes that `parse_sealed` can check."""
    body = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()[1:] + b"\n"
    return f'{{"schema": "{schema}", "blake2b": "{_digest(body)}",\n'.encode() + body


def parse_sealed(content: bytes, where: str, schema: str) -> dict[str, Any]:
    """The object that `seal` wrote, without its schema and digest.

    Raises:
        CheckpointError: It is altered, of another schema, or no JSON.
    """
    first, newline, body = content.partition(b"\n")
    match = _FIRST_LINE.fullmatch(first)
    if match is None or not newline:
        raise DamagedCheckpointError(f"{where} does not begin like a {schema} file", hint=DAMAGED)
    found = match[1].decode("utf-8", "replace")
    if found != schema and _digest(body) == match[2].decode():
        raise CheckpointError(
            f"{where}: schema is '{printable(found, 60)}'; this version reads '{schema}'",
            hint="Restore it with the version of samebits that wrote it.",
        )
    if found != schema or _digest(body) != match[2].decode():
        raise DamagedCheckpointError(
            f"{where} is not what was written: its checksum (BLAKE2b) differs", hint=DAMAGED
        )
    try:
        parsed = json.loads(b"{" + body)
    except (ValueError, RecursionError) as error:
        raise DamagedCheckpointError(
            f"{where} is no JSON: {printable(str(error), 100)}", hint=DAMAGED
        ) from error
    assert isinstance(parsed, dict)
    return parsed


def read_bytes(path: Path) -> bytes:
    """All of a small file.

    Raises:
        CheckpointError: It cannot be read, or is absurdly large.
    """
    try:
        return read_regular(
            path, MAX_BYTES, f"A checkpoint is a folder with a {MANIFEST_FILE}; copy all of it."
        )
    except TraceError as error:
        raise DamagedCheckpointError(error.message, hint=error.hint) from error


def write_new(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet, and force it to the disk.

    Raises:
        OSError: The disk is full or failed.
    """
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=32).hexdigest()
