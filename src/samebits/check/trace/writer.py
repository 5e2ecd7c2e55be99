"""Writes a run folder, in the traced process: little memory, no threads, nothing lost at a kill."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samebits.check.trace import arrow, schema, seal
from samebits.check.trace.frame_stream import FrameStream
from samebits.check.trace.manifest import Manifest
from samebits.core.descriptors import OwnDescriptor
from samebits.core.names import printable
from samebits.errors import TraceError

OUTPUT_CAP = 16 * 2**20
"""Bytes of printed output that output.log keeps; the digest in the manifest covers all of it."""

_SITES_PENDING = 4096


class TraceWriter:
    """Writes the run folder of one process.

    Rows are kept until `schema.MAX_BATCH_ROWS` of them are there, `flush` is called, or the writer
    is closed. After a fork the child's copy does nothing: the folder belongs to the parent.

    Args:
        folder: Made where it does not exist; must hold no run of the same rank yet.
        manifest: What is known at the start; written at once with `complete` false.
        output_cap: Bytes that output.log may grow to.

    Raises:
        TraceError: The folder cannot be made or written, or holds a run already. Every method
            raises it when a write fails; what was flushed before stays readable.
    """

    def __init__(
        self, folder: str | os.PathLike[str], manifest: Manifest, *, output_cap: int = OUTPUT_CAP
    ) -> None:
        self.folder = Path(folder)
        self.manifest = manifest.replaced({"complete": False})
        self.closed = False
        self._owner = os.getpid()
        self._failure: TraceError | None = None
        self._files: dict[str, OwnDescriptor] = {}  # those that are open, by name
        self._phases = arrow.GrowingDictionary(pa.uint8(), schema.PHASES)
        self._ops = arrow.GrowingDictionary(pa.int32())
        self._signatures = arrow.GrowingDictionary(pa.int32())
        self._kinds = arrow.GrowingDictionary(pa.uint8(), schema.STEP_KINDS)
        self._rows = {
            name: np.empty(schema.MAX_BATCH_ROWS, dtype)
            for name, dtype in schema.OPS_DTYPES.items()
        }
        self._count = 0
        self._groups = arrow.GrowingDictionary(pa.int32())
        self._received: list[Mapping[str, npt.NDArray[Any]]] = []
        self._piped: list[Mapping[str, npt.NDArray[Any]]] = []
        # Few runs have collectives, or processes that talk to each other.
        self._received_stream: FrameStream | None = None
        self._piped_stream: FrameStream | None = None
        self._sites: list[tuple[str, int, str, str]] = []
        self._steps: list[Mapping[str, Any]] = []
        self._output_cap = output_cap
        self._output_kept = 0
        self._output_bytes = 0
        self._output_digest = blake2b(digest_size=32)
        self._open()

    def append_ops(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        *,
        new_ops: Sequence[str] = (),
        new_signatures: Sequence[str] = (),
    ) -> None:
        """Add rows of ops.arrow; the arrays are copied.

        Args:
            columns: Every column of `schema.OPS_DTYPES`, shape (n,) each, of a dtype that casts
                to the one there without loss of kind. `op` and `signature` are codes: the index in
                the order in which names were introduced; `phase` is the index in `schema.PHASES`.
            new_ops: Names for the next codes of `op`.
            new_signatures: Texts for the next codes of `signature`.

        Raises:
            TraceError: The folder could not be written.
            ValueError: A column is missing, unknown, or of another length.
        """
        if not self._usable():
            return
        lengths = {len(values) for values in columns.values()}
        if columns.keys() != self._rows.keys() or len(lengths) != 1:
            raise ValueError(
                f"append_ops needs the columns {', '.join(self._rows)}, all of one length"
            )
        self._ops.extend(new_ops)
        self._signatures.extend(new_signatures)
        total, taken = lengths.pop(), 0
        while taken < total:
            count = min(total - taken, schema.MAX_BATCH_ROWS - self._count)
            for name, target in self._rows.items():
                target[self._count : self._count + count] = columns[name][taken : taken + count]
            self._count += count
            taken += count
            if self._count == schema.MAX_BATCH_ROWS:
                self._flush_ops()

    def append_received(
        self, columns: Mapping[str, npt.NDArray[Any]], *, new_groups: Sequence[str] = ()
    ) -> None:
        """Add rows of received.arrow.

        Args:
            columns: Every column of `schema.RECEIVED_DTYPES`, shape (n,) each; `group` is a code,
                as those of `append_ops` are.
            new_groups: Names for the next codes of `group`.

        Raises:
            TraceError: The folder could not be written.
        """
        if self._usable():
            self._groups.extend(new_groups)
            self._received.append(columns)

    def append_piped(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add rows of piped.arrow.

        Args:
            columns: Every column of `schema.PIPED_DTYPES`, shape (n,) each.

        Raises:
            TraceError: The folder could not be written.
        """
        if self._usable():
            self._piped.append(columns)

    def append_sites(self, rows: Sequence[tuple[str, int, str, str]]) -> None:
        """Add source sites: (file, line, function, module); a site's number is its position."""
        if not self._usable():
            return
        self._sites.extend(rows)
        if len(self._sites) >= _SITES_PENDING:
            self._flush_sites()

    def append_steps(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows of steps.arrow.

        Args:
            rows: Mappings from the columns of `schema.STEPS_DTYPES` to numbers, `kind` being
                "step" or "end". A missing digest is 0 (nothing seen), a missing `site` none, a
                missing `loss_value` NaN; `step` must be there.
        """
        if not self._usable():
            return
        self._steps.extend(rows)
        if len(self._steps) >= schema.MAX_BATCH_ROWS // 16:
            self.flush()

    def append_output(self, text: str | bytes) -> None:
        """Add what the script printed; beyond the cap only its digest goes on."""
        if not self._usable():
            return
        content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
        self._output_digest.update(content)
        self._output_bytes += len(content)
        kept = content[: max(self._output_cap - self._output_kept, 0)]
        if kept:
            self._write(schema.for_rank(schema.OUTPUT_FILE, self.manifest.rank), kept)
            self._output_kept += len(kept)

    def flush(self) -> None:
        """Write everything that was appended; a kill after this loses none of it.

        Sites go first, then the rows that name them, then the steps that count those.
        """
        if not self._usable():
            return
        self._flush_ops()
        self._flush_received()
        self._flush_piped()
        self._flush_steps()

    def close(self, **updates: Any) -> None:
        """Flush, end the streams, and write the manifest with `complete` true.

        Args:
            **updates: Attributes of `Manifest` as known at the end (`exit`, `seconds`, `counts`,
                `files`, `notes`, …); other names are kept as extra keys. `stdout` is that of
                `append_output` where it is not given; `seals` is the writer's own.

        Raises:
            TraceError: Something could not be written; the folder then reads as cut.
        """
        if self.closed or not self._usable():
            return
        self.flush()
        streams = [self._ops_stream, self._steps_stream, self._sites_stream]
        later = (self._received_stream, self._piped_stream)
        streams += [stream for stream in later if stream is not None]
        for stream in streams:
            self._seal(stream, stream.finish(), 0)
        self.closed = True
        stdout = {
            "bytes": self._output_bytes,
            "blake2b": self._output_digest.hexdigest(),
            "truncated": self._output_bytes > self._output_kept,
        }
        seals = {stream.name: stream.claim for stream in streams}
        changes = {"stdout": stdout, **updates, "seals": seals, "complete": True}
        self.manifest = self.manifest.replaced(changes)
        self._write_manifest()
        self._close_files()

    def rest(self) -> None:
        """Close the files until something is written again: descriptors are few."""
        if not self.closed and self._failure is None and os.getpid() == self._owner:
            self.flush()
            self._close_files()

    # What follows writes; every OSError becomes the TraceError that later calls raise again.

    def _usable(self) -> bool:
        if os.getpid() != self._owner:
            return False
        if self._failure is not None:
            raise self._failure
        if self.closed:
            raise ValueError(f"the trace writer of {self.folder} is closed")
        return True

    def _open(self) -> None:
        rank = self.manifest.rank
        name = schema.MANIFEST_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = schema.for_rank(schema.MANIFEST_FILE, rank)
            if (self.folder / name).exists():
                raise TraceError(
                    f"{printable(str(self.folder))} holds a recorded run already",
                    hint="Choose another folder, or remove that one.",
                )
            name = schema.for_rank(schema.SEALS_FILE, rank)
            self._create(name)
            name = schema.for_rank(schema.OUTPUT_FILE, rank)
            self._create(name)
            streams = []
            for base, columns in (
                (schema.SITES_FILE, schema.SITES_SCHEMA),
                (schema.OPS_FILE, schema.OPS_SCHEMA),
                (schema.STEPS_FILE, schema.STEPS_SCHEMA),
            ):
                name = schema.for_rank(base, rank)
                streams.append(FrameStream(name, columns))
                self._create(name)
        except OSError as error:
            self._fail(name, error)
        self._sites_stream, self._ops_stream, self._steps_stream = streams
        self._write_manifest()
        self._write_seal(seal.HEADER)

    def _create(self, name: str) -> None:
        self._files[name] = self._opened(name, os.O_CREAT | os.O_TRUNC)

    def _opened(self, name: str, how: int) -> OwnDescriptor:
        # A bare descriptor: a forked child must not inherit a buffer that it would write a second
        # time, and an abrupt end of the script must not make Python warn of an unclosed file.
        flags = os.O_WRONLY | os.O_CLOEXEC | getattr(os, "O_BINARY", 0) | how
        return OwnDescriptor(os.open(self.folder / name, flags, 0o666))

    def _flush_sites(self) -> None:
        if not self._sites:
            return
        files, lines, functions, modules = zip(*self._sites, strict=True)
        arrays = [
            arrow.utf8(files),
            arrow.fixed_width(np.array(lines, dtype="<i4"), pa.int32()),
            arrow.utf8(functions),
            arrow.utf8(modules),
        ]
        self._seal_batch(self._sites_stream, arrays)
        self._sites.clear()

    def _flush_ops(self) -> None:
        self._flush_sites()
        if self._count == 0:
            return
        coded = {"phase": self._phases, "op": self._ops, "signature": self._signatures}
        arrays = []
        for field in schema.OPS_SCHEMA:
            values = self._rows[field.name][: self._count]
            if field.name in coded:
                arrays.append(coded[field.name].encode(values))
            else:
                arrays.append(arrow.fixed_width(values, field.type))
        self._seal_batch(self._ops_stream, arrays)
        self._count = 0

    def _flush_received(self) -> None:
        if not self._received:
            return
        if self._received_stream is None:
            self._received_stream = self._begun(schema.RECEIVED_FILE, schema.RECEIVED_SCHEMA)
        arrays = []
        for field in schema.RECEIVED_SCHEMA:
            values = np.concatenate([columns[field.name] for columns in self._received])
            is_name = field.name == "group"
            arrays.append(
                self._groups.encode(values) if is_name else arrow.fixed_width(values, field.type)
            )
        self._seal_batch(self._received_stream, arrays)
        self._received.clear()

    def _flush_piped(self) -> None:
        if not self._piped:
            return
        if self._piped_stream is None:
            self._piped_stream = self._begun(schema.PIPED_FILE, schema.PIPED_SCHEMA)
        arrays = []
        for field in schema.PIPED_SCHEMA:
            values = np.concatenate([columns[field.name] for columns in self._piped])
            arrays.append(arrow.fixed_width(values, field.type))
        self._seal_batch(self._piped_stream, arrays)
        self._piped.clear()

    def _begun(self, file: str, content: pa.Schema) -> FrameStream:
        """The stream of a file that not every run has."""
        name = schema.for_rank(file, self.manifest.rank)
        try:
            self._create(name)
        except OSError as error:
            self._fail(name, error)
        return FrameStream(name, content)

    def _flush_steps(self) -> None:
        if not self._steps:
            return
        arrays = []
        for field in schema.STEPS_SCHEMA:
            if field.name == "kind":
                codes = [schema.STEP_KINDS.index(row.get("kind", "step")) for row in self._steps]
                arrays.append(self._kinds.encode(np.array(codes, dtype=np.uint8)))
                continue
            default = _STEP_DEFAULTS.get(field.name, 0)
            values = [
                row["step"] if field.name == "step" else row.get(field.name, default)
                for row in self._steps
            ]
            dtype = schema.STEPS_DTYPES[field.name]
            arrays.append(arrow.fixed_width(np.array(values, dtype=dtype), field.type))
        self._seal_batch(self._steps_stream, arrays)
        self._steps.clear()

    def _seal_batch(self, stream: FrameStream, arrays: Sequence[pa.Array]) -> None:
        self._seal(stream, stream.encode(arrays), len(arrays[0]))

    def _seal(self, stream: FrameStream, content: bytes, rows: int) -> None:
        """Write a frame, then the line that vouches for it."""
        self._write(stream.name, content)
        self._write_seal(stream.sealed(content, rows))

    def _write_seal(self, line: str) -> None:
        name = schema.for_rank(schema.SEALS_FILE, self.manifest.rank)
        self._write(name, f"{line}\n".encode())

    def _write(self, name: str, content: bytes) -> None:
        view = memoryview(content)
        try:
            descriptor = self._files.get(name)
            if descriptor is None:  # the writer has rested
                descriptor = self._files[name] = self._opened(name, os.O_APPEND)
            if not descriptor.is_ours:
                raise OSError(errno.EBADF, "the program has closed its descriptor")
            while view:
                view = view[os.write(descriptor.number, view) :]
        except OSError as error:
            self._fail(name, error)

    def _write_manifest(self) -> None:
        name = schema.for_rank(schema.MANIFEST_FILE, self.manifest.rank)
        try:
            self.manifest.write(self.folder / name)
        except OSError as error:
            self._fail(name, error)

    def _fail(self, name: str, error: OSError) -> NoReturn:
        self._failure = TraceError(
            f"cannot write {printable(str(self.folder / name))}: {error.strerror or error}",
            hint="Make room or choose another folder; what was flushed before stays readable.",
        )
        self._close_files()
        raise self._failure from error

    def _close_files(self) -> None:
        for descriptor in self._files.values():
            with contextlib.suppress(OSError):
                descriptor.close()
        self._files.clear()


_STEP_DEFAULTS: dict[str, float] = {"site": schema.NO_SITE, "loss_value": float("nan")}
