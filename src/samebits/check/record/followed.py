"""Follows tensors from one operation to the end of its step: which operation was given what.

A row holds one fingerprint of all that its operation was given, and recording it costs next to
nothing. Which earlier operation made each of the tensors is noted in the runs of `check --explain`
alone: here an input is fingerprinted by itself, and looked up by the memory that it lies in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from samebits.check.trace.followed_format import COLUMNS, MOST_BYTES, NO_MAKER, samples_file
from samebits.core.catalog.memory import CREATES_UNWRITTEN, OVERWRITES
from samebits.core.fingerprint.tensor import fingerprint_tensor
from samebits.errors import SamebitsError

MOST_ROWS = 100_000
"""Operations that are followed at most."""

SAMPLE = 4096
"""Elements of a result that are kept: of more, every second, third … one."""

_MOST_PARTS = 256
"""Stretches of one storage, written by one operation each, that are told apart."""

_NUMBERS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

Given = list[tuple[int, tuple[int, ...], str]]
"""Of each tensor that an operation was given: fingerprint, the rows that made it, dtype and
shape."""


@dataclass
class _Written:
    """Who wrote which bytes of one storage, and what keeps its address from being given away."""

    reference: Any
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    """(first byte, end, row), the newest last."""

    def write(self, begin: int, end: int, row: int) -> None:
        self.parts = [one for one in self.parts if one[0] < begin or one[1] > end]
        self.parts = [*self.parts[-_MOST_PARTS + 1 :], (begin, end, row)]

    def makers(self, begin: int, end: int) -> tuple[int, ...]:
        """The rows that wrote there, but for what a later one has written over as a whole."""
        return tuple(sorted({row for b, e, row in self.parts if b < end and e > begin}))


class FollowedTensors:
    """Notes of each operation which tensors it was given and who made them, and keeps samples.

    Args:
        file: Where the notes go, an Arrow stream; the samples go beside it, as safetensors. Both
            are written by `close`.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._written: dict[int, _Written] = {}
        self._notes: list[tuple[int, int, int, int, str]] = []
        self._samples: dict[str, torch.Tensor] = {}
        self._bytes = 0
        self._rows = 0
        self._is_closed = False

    def given(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Given | None:
        """What an operation is given that is about to run; None where no more are followed."""
        if self._is_closed or self._rows >= MOST_ROWS:
            return None
        return [
            (_fingerprint(tensor), self._makers(tensor), _signature(tensor))
            for value in _read(op, args, kwargs)
            for tensor in _tensors(value)
        ]

    def gave(self, row: int, given: Given, result: Any, written: list[Any]) -> None:
        """Note what it was given, what it gave, and that it made the memory of that."""
        if self._is_closed or self._rows >= MOST_ROWS:
            return
        self._rows += 1
        for place, (digest, makers, signature) in enumerate(given):
            for maker in makers or (NO_MAKER,):
                self._notes.append((row, place, digest, maker, signature))
        results = {id(tensor): tensor for tensor in (*_tensors(written), *_tensors(result))}
        before = {maker for _, makers, _ in given for maker in makers}
        for place, tensor in enumerate(results.values()):
            if any(tensor is one for one in written) or not self._is_known_view(tensor, before):
                self._wrote(tensor, row)
                self._sample(tensor, row, place)

    def close(self) -> None:
        """Write all of it; nothing is followed from now on. What cannot be written is left out."""
        if self._is_closed:
            return
        self._is_closed = True
        self._written.clear()
        try:
            self._write()
        except Exception:  # no room, say: the run stands, without these notes
            self._file.unlink(missing_ok=True)
            samples_file(self._file).unlink(missing_ok=True)

    def _write(self) -> None:
        import pyarrow as pa
        from safetensors.torch import save_file

        from samebits.check.trace.arrow import fixed_width, utf8

        columns = list(zip(*self._notes, strict=True)) or [()] * 5
        arrays = [fixed_width(np.array(column, np.uint64), pa.uint64()) for column in columns[:4]]
        batch = pa.record_batch([*arrays, utf8(columns[4])], names=list(COLUMNS))
        with self._file.open("wb") as stream, pa.ipc.new_stream(stream, batch.schema) as writer:
            writer.write_batch(batch)
        save_file(self._samples, samples_file(self._file))

    def _makers(self, tensor: torch.Tensor) -> tuple[int, ...]:
        place = _place(tensor)
        known = None if place is None else self._written.get(place[0])
        return () if place is None or known is None else known.makers(*place[1:])

    def _is_known_view(self, tensor: torch.Tensor, makers: set[int]) -> bool:
        """Whether a result looks at memory that an operation before has made, and made none."""
        return bool(makers.intersection(self._makers(tensor)))

    def _wrote(self, tensor: torch.Tensor, row: int) -> None:
        place = _place(tensor)
        if place is None:
            return
        address, begin, end = place
        if address not in self._written:
            from torch.multiprocessing.reductions import StorageWeakRef

            reference = StorageWeakRef(tensor.untyped_storage())  # type: ignore[no-untyped-call]
            self._written[address] = _Written(reference)
        self._written[address].write(begin, end, row)

    def _sample(self, tensor: torch.Tensor, row: int, place: int) -> None:
        if tensor.dtype not in _NUMBERS or not tensor.numel() or self._bytes >= MOST_BYTES:
            return
        every = -(-tensor.numel() // SAMPLE)
        kept = _every(tensor.detach(), every).resolve_neg().cpu().clone()
        self._bytes += kept.numel() * kept.element_size()
        self._samples[f"{row}.{place}"] = kept


def _read(op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[Any]:
    """The arguments without those that it writes over and does not read."""
    schema = getattr(op, "_schema", None)
    name = "" if schema is None else schema.name.rpartition("::")[2]
    overwrites = name in OVERWRITES or name in CREATES_UNWRITTEN
    arguments = () if schema is None else schema.arguments
    skipped = {
        key
        for place, one in enumerate(arguments)
        if one.alias_info is not None and one.alias_info.is_write and (one.is_out or overwrites)
        for key in (place, one.name)
    }
    yield from (value for place, value in enumerate(args) if place not in skipped)
    yield from (value for key, value in kwargs.items() if key not in skipped)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _tensors(inner)


def _every(tensor: torch.Tensor, step: int) -> torch.Tensor:
    """Every so-manyeth element, in order; a tensor with gaps is not copied as a whole for it."""
    if tensor.is_contiguous():
        return tensor.view(-1)[::step]
    places = torch.arange(0, tensor.numel(), step, device=tensor.device)
    return tensor[torch.unravel_index(places, tensor.shape)]


def _fingerprint(tensor: torch.Tensor) -> int:
    """0 for what has none: it is not compared."""
    with contextlib.suppress(SamebitsError):
        return fingerprint_tensor(tensor)
    return 0


def _signature(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _place(tensor: torch.Tensor) -> tuple[int, int, int] | None:
    """Its storage, and the first byte and the end of what it can touch there."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return None
    try:
        address = tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None  # a subclass without memory of its own
    last = sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    begin = int(tensor.storage_offset()) * tensor.element_size()
    return address, begin, begin + int(last + 1) * tensor.element_size()
