"""Writes and reads the file that holds a checkpoint's bytes: safetensors, checked as it is read.

The format is that of the safetensors library, which reads these files and whose files these
functions read: eight bytes with the header's length, a JSON header, the tensors' bytes without
gaps. It is written here and not by the library so that bytes go from a tensor's memory to the file
and back without a copy between, and are digested on the way, while they are in the cache.

Each tensor's digest is its fingerprint as stored (`samebits.fingerprint` of what the library would
load); a changed word is always noticed.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from samebits.core import _native
from samebits.core.files import open_regular
from samebits.core.names import printable
from samebits.errors import DamagedCheckpointError, TraceError
from samebits.training.checkpoint.dtypes import FINGERPRINT_CODES, ITEM_BYTES
from samebits.training.checkpoint.eager_file import EagerFile
from samebits.training.checkpoint.entries import StoredEntry, memory_of

CHUNK_BYTES = 4 * 2**20
"""Written and digested at a time: small enough for the cache, a multiple of a digest's block."""
BLOCK_BYTES = 8192
_LENGTH_BYTES = 8
MAX_HEADER_BYTES = 2**30
MAX_BYTES = 2**62
_ALIGNMENT = 64

_MANIFEST = "checkpoint.json"
DAMAGED = "The checkpoint is damaged; restore an earlier one."


@dataclass(frozen=True, kw_only=True)
class StoredTensor:
    """Where and how a tensor's bytes lie in the file.

    Attributes:
        dtype: As safetensors calls it.
        shape: Its shape there.
        begin: First byte, counted from the end of the header.
        end: The byte after its last.
        digest: Its fingerprint, 16 hexadecimal digits; "" until it is written.
    """

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int
    digest: str = ""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.end - self.begin

    def to_json(self) -> list[Any]:
        """As the manifest has it."""
        return [self.dtype, list(self.shape), self.begin, self.end, self.digest]


@dataclass(frozen=True, kw_only=True)
class TensorFile:
    """What a manifest says of a file of tensors.

    Attributes:
        nbytes: Size of the file.
        header_digest: BLAKE2b-256 of everything before the first tensor's bytes.
        tensors: Each tensor in it, by name.
    """

    nbytes: int
    header_digest: str
    tensors: Mapping[str, StoredTensor]

    @property
    def data_begin(self) -> int:
        """Where the tensors' bytes begin in the file."""
        return self.nbytes - max((t.end for t in self.tensors.values()), default=0)

    def to_json(self) -> dict[str, Any]:
        """As the manifest has it."""
        return {
            "bytes": self.nbytes,
            "header": self.header_digest,
            "tensors": {name: tensor.to_json() for name, tensor in self.tensors.items()},
        }

    @classmethod
    def from_json(cls, content: Any, where: str) -> TensorFile:
        """Check what a manifest says.

        Raises:
            DamagedCheckpointError: It makes no sense.
        """
        try:
            tensors = {
                str(name): StoredTensor(
                    dtype=dtype, shape=tuple(shape), begin=begin, end=end, digest=digest
                )
                for name, (dtype, shape, begin, end, digest) in content["tensors"].items()
            }
            end = 0
            for tensor in sorted(tensors.values(), key=lambda t: (t.begin, t.end)):
                if not all(type(at) is int for at in (tensor.begin, tensor.end)):
                    raise ValueError("places are no integers")
                if not isinstance(tensor.digest, str):
                    raise ValueError("a digest is no text")
                if tensor.begin != end or tensor.nbytes != _nbytes(tensor.dtype, tensor.shape):
                    raise ValueError("tensors overlap or leave gaps")
                end = tensor.end
            nbytes, header = content["bytes"], content["header"]
            if type(nbytes) is not int or not isinstance(header, str):
                raise ValueError("sizes are no integers")
            if not (_LENGTH_BYTES <= nbytes - end <= MAX_HEADER_BYTES and nbytes < MAX_BYTES):
                raise ValueError("sizes do not add up")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedCheckpointError(
                f"{printable(where)} describes its tensors in a way that makes no sense "
                f"({printable(str(error), 100)})",
                hint=DAMAGED,
            ) from error
        return cls(nbytes=nbytes, header_digest=header, tensors=tensors)


def layout(
    entries: Iterable[StoredEntry],
) -> tuple[list[StoredEntry], bytes, dict[str, StoredTensor]]:
    """The entries in the order of the file, the file's first bytes, and each tensor's place."""
    # Large items first: then every tensor is aligned to its own item size.
    ordered = sorted(entries, key=lambda entry: -ITEM_BYTES[entry.dtype])
    places: dict[str, StoredTensor] = {}
    end = 0
    for entry in ordered:
        places[entry.name] = StoredTensor(
            dtype=entry.dtype, shape=entry.shape, begin=end, end=end + entry.nbytes
        )
        end += entry.nbytes
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            **{
                name: {"dtype": p.dtype, "shape": p.shape, "data_offsets": [p.begin, p.end]}
                for name, p in places.items()
            },
        },
        separators=(",", ":"),
    ).encode()
    header += b" " * (-(len(header) + 8) % _ALIGNMENT)
    return ordered, len(header).to_bytes(8, "little") + header, places


def write_tensors(descriptor: int, entries: Iterable[StoredEntry]) -> TensorFile:
    """Write entries to an open file, and force them to the disk.

    Args:
        descriptor: Open for writing, empty.
        entries: What to write; entries on other devices are fetched one by one.

    Returns:
        What the manifest has to say of it.

    Raises:
        OSError: The disk is full, or failed.
    """
    ordered, head, places = layout(entries)
    file = EagerFile(descriptor)
    file.write(memoryview(head))
    described = {}
    for entry in ordered:
        source = entry.source
        if isinstance(source, torch.Tensor) and source.device.type != "cpu":
            source = source.cpu()
        word_sum = 0
        for start, piece in _chunks(memory_of(source)):
            address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
            word_sum += _native.sum_words(address, len(piece), start // BLOCK_BYTES)
            file.write(piece)
        place = places[entry.name]
        described[entry.name] = StoredTensor(
            dtype=place.dtype,
            shape=place.shape,
            begin=place.begin,
            end=place.end,
            digest=_digest(word_sum, place.dtype, place.shape),
        )
    file.force()
    end = max((place.end for place in places.values()), default=0)
    return TensorFile(nbytes=len(head) + end, header_digest=_header_digest(head), tensors=described)


class TensorReader:
    """Reads tensors of a file; gives out only bytes whose digest is right.

    Args:
        path: The file.
        described: What the manifest says of it.

    Raises:
        DamagedCheckpointError: It is missing, no regular file, of another size, or its header is
            altered.
    """

    def __init__(self, path: Path, described: TensorFile) -> None:
        self._path = path
        self._described = described
        try:
            self._file = open_regular(path, DAMAGED)
        except TraceError as error:
            raise DamagedCheckpointError(error.message, hint=error.hint) from error
        try:
            self._check_size_and_header()
        except BaseException:
            self._file.close()
            raise

    def _check_size_and_header(self) -> None:
        size = os.fstat(self._file.fileno()).st_size
        if size != self._described.nbytes:
            what = "is cut off" if size < self._described.nbytes else "has grown"
            raise DamagedCheckpointError(
                f"{printable(str(self._path))} {what}: it has {size:,} bytes, and was written "
                f"with {self._described.nbytes:,}",
                hint=DAMAGED,
            )
        head = bytearray(self._described.data_begin)
        self._fill(memoryview(head), 0)
        if _header_digest(head) != self._described.header_digest:
            raise DamagedCheckpointError(
                f"{printable(str(self._path))}: the header (bytes 0 to {len(head):,}) is not "
                "what was written: its checksum differs",
                hint=DAMAGED,
            )

        if not _says(bytes(head), self._described):
            raise DamagedCheckpointError(
                f"{printable(str(self._path))}: its header does not say what {_MANIFEST} says",
                hint=DAMAGED,
            )

    def __enter__(self) -> TensorReader:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def load(self, name: str) -> tuple[torch.Tensor, StoredTensor]:
        """A tensor's bytes in memory of their own: one-dimensional, uint8, on the CPU.

        Raises:
            DamagedCheckpointError: There is no such tensor, or its checksum differs.
        """
        stored = self._described.tensors.get(name)
        if stored is None:
            raise DamagedCheckpointError(
                f"{printable(str(self._path))} has no tensor {printable(name)}", hint=DAMAGED
            )
        memory = torch.empty(stored.nbytes, dtype=torch.uint8)
        self._read(memory_of(memory), name, stored)
        return memory, stored

    def verify(self, name: str, scratch: memoryview) -> None:
        """Read a tensor and check it, without keeping it.

        Args:
            name: Which.
            scratch: Writable memory, a multiple of `BLOCK_BYTES` long.

        Raises:
            DamagedCheckpointError: There is no such tensor, or its checksum differs.
        """
        stored = self._described.tensors[name]
        word_sum = 0
        for start in range(0, stored.nbytes, len(scratch)):
            piece = scratch[: min(len(scratch), stored.nbytes - start)]
            word_sum += self._read_piece(piece, stored, start)
        self._compare(word_sum, name, stored)

    def _read(self, target: memoryview, name: str, stored: StoredTensor) -> None:
        word_sum = sum(self._read_piece(piece, stored, start) for start, piece in _chunks(target))
        self._compare(word_sum, name, stored)

    def _read_piece(self, piece: memoryview, stored: StoredTensor, start: int) -> int:
        self._fill(piece, self._described.data_begin + stored.begin + start)
        address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
        return _native.sum_words(address, len(piece), start // BLOCK_BYTES)

    def _compare(self, word_sum: int, name: str, stored: StoredTensor) -> None:
        if _digest(word_sum, stored.dtype, stored.shape) != stored.digest:
            first = self._described.data_begin + stored.begin
            raise DamagedCheckpointError(
                f"{printable(str(self._path))}: the bytes of {printable(name)} ({first:,} to "
                f"{first + stored.nbytes:,}) are not what was written: their checksum differs",
                hint=DAMAGED,
            )

    def _fill(self, target: memoryview, offset: int) -> None:
        filled = 0
        try:
            while filled < len(target):
                self._file.seek(offset + filled)
                count = self._file.readinto(target[filled:])
                if not count:
                    raise DamagedCheckpointError(
                        f"{printable(str(self._path))} ends at byte {offset + filled:,}",
                        hint=DAMAGED,
                    )
                filled += count
        except OSError as error:
            raise DamagedCheckpointError(
                f"cannot read {printable(str(self._path))}: {error.strerror}", hint=DAMAGED
            ) from error


def _says(head: bytes, described: TensorFile) -> bool:
    """Whether a file's header describes the tensors that the manifest describes."""
    if int.from_bytes(head[:_LENGTH_BYTES], "little") != len(head) - _LENGTH_BYTES:
        return False
    try:
        found = json.loads(head[_LENGTH_BYTES:])
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict):
        return False
    found.pop("__metadata__", None)
    return found == {
        name: {"dtype": t.dtype, "shape": list(t.shape), "data_offsets": [t.begin, t.end]}
        for name, t in described.tensors.items()
    }


def _chunks(memory: memoryview) -> Iterator[tuple[int, memoryview]]:
    for start in range(0, len(memory), CHUNK_BYTES):
        yield start, memory[start : start + CHUNK_BYTES]


def _digest(word_sum: int, dtype: str, shape: Sequence[int]) -> str:
    return f"{_native.finalise(word_sum % 2**64, FINGERPRINT_CODES[dtype], shape):016x}"


def _header_digest(head: bytes | bytearray) -> str:
    return hashlib.blake2b(head, digest_size=32).hexdigest()


def _nbytes(dtype: str, shape: Sequence[int]) -> int:
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("a shape is no list of sizes")
    if math.prod(max(size, 1) for size in shape) >= MAX_BYTES:
        raise ValueError("a shape is too large")
    return math.prod(shape) * ITEM_BYTES[dtype]
