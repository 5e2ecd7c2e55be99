"""What is in a file that some process has written, by its bytes alone: nothing is unpickled.

Files of tensors are read as far as their formats can be: which tensors, not which archive. Text has
a digest in which times, dates and the like do not count.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from samebits.check.record.processes.kept_lines import lines_of_numbers, lines_of_pickle
from samebits.check.record.processes.packed import decompressed, members
from samebits.check.record.processes.pickle_digest import LONGEST, pickle_digest
from samebits.core.catalog.measurements import (
    Span,
    is_table_header,
    normal_form,
    normal_lines,
    without_run_names,
    without_stamped_names,
)
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.catalog.run_numbers import without_run_numbers

_MOST_TEXT = 16 * 2**20
_LONGEST_RUN_S = 86_400.0
_SHORT = 2**22
_MOST_HEADER = 100 * 2**20
_MOST_NAMES = 2**16
_BLOCK = 1 << 20
_NPY = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"
_MAT, _MAT_TEXT = b"MATLAB 5", 116
"""So many bytes at the beginning of MATLAB's files are text: what made them, and when."""
_PDF, _DATE_IN_PDF = b"%PDF-", re.compile(rb"\(D:\d{8,14}[^)]{0,16}\)")
_PICKLES = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
_ONE_NUMBER = re.compile(r"\s*\d{1,6}\s*")
_MOST_NUMBERS = 64
"""A text with more that may count runs is a table of them."""
_NUMBER_IN_ROW = re.compile(r"(?:^|,)\s*\"?[-+]?\.?\d")


@dataclass(frozen=True)
class FileDigest:
    """What a file holds.

    Attributes:
        kind: "tensors", "text" or "bytes".
        digest: Of the tensors, of the normalised text, or of the bytes; of a pickle, see
            `pickle_digest`.
        beside: Of what a file of tensors holds besides them, in strings as `pickle_digest` counts
            them; "" where that is nothing.
        anonymous: Of a text without the run's own names; "" where it holds none.
        unnamed: Of a text without what may be names of runs besides, such as "amber-7345"; "" where
            it holds none.
        unstamped: Of a text without words before the date and time at which it was written, such as
            "woad-1128-010341", in place of these; "" where it holds none.
        lines: Of a short text, its lines in their normal form, without these names; of a few arrays
            and of a short pickle, see `kept_lines`. Empty unless asked for.
        rows: Of a table, or of what was added to one, without these names and the line that names
            its columns; "" where it is none.
        unnumbered: Of a text without what may be the number of the run; "" where it holds none.
        numbers: These numbers.
    """

    kind: str
    digest: str
    beside: str = ""
    anonymous: str = ""
    unnamed: str = ""
    unstamped: str = ""
    rows: str = ""
    unnumbered: str = ""
    numbers: tuple[int, ...] = ()
    lines: tuple[str, ...] = ()

    def to_json(self, *, added: bool) -> dict[str, Any]:
        """For a manifest.

        Args:
            added: Whether the file was there before the run wrote to it.
        """
        return {
            "kind": self.kind,
            "digest": self.digest,
            **({"anonymous": self.anonymous} if self.anonymous else {}),
            **({"unnamed": self.unnamed} if self.unnamed else {}),
            **({"unstamped": self.unstamped} if self.unstamped else {}),
            **({"rows": self.rows, "added": added} if self.rows else {}),
            **self._numbered(),
            **({"lines": list(self.lines)} if self.lines else {}),
        }

    def _numbered(self) -> dict[str, Any]:
        if not self.unnumbered:
            return {}
        return {"unnumbered": self.unnumbered, "numbers": list(self.numbers)}


def digest_of(
    path: Path,
    *,
    begin: int = 0,
    any_order: bool = False,
    most_text: int = _MOST_TEXT,
    own: OwnNames | None = None,
    keep_text: bool = False,
) -> FileDigest:
    """Look into a file.

    Args:
        path: A regular file.
        begin: Where the run began to write: what stood before is not its own.
        any_order: Whether several processes wrote it, line by line in any order.
        most_text: Bytes up to which text is read as text.
        own: Names of the run that wrote it.
        keep_text: Whether to give the lines of a short text, too.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    # A run that names itself after the time does so when it begins.
    span = Span(status.st_mtime - _LONGEST_RUN_S, status.st_mtime)
    reading = _ReadingOptions(any_order, most_text, own, keep_text, span)
    with path.open("rb") as file:
        return _digest(file, status.st_size, begin, reading)


@dataclass(frozen=True)
class _ReadingOptions:
    """How files are read; see `digest_of`."""

    any_order: bool
    most_text: int
    own: OwnNames | None
    keep_text: bool
    span: Span
    deepest: int = 3
    """Archives in archives that are looked into: some hold themselves."""


def _digest(file: BinaryIO, size: int, begin: int, how: _ReadingOptions) -> FileDigest:
    start = file.read(8)
    found = _tensors(file, start, size) if begin == 0 else None
    if found is not None:
        file.seek(0)
        return replace(found, lines=lines_of_numbers(file, size)) if how.keep_text else found
    text = _text(file, begin) if size - begin <= how.most_text else None
    if text is not None:
        header = _first_line(file) if begin else ""
        header = header if is_table_header(header) else ""
        found = of_text(text, header, how.any_order, how.own, how.span)
        return found if how.keep_text and len(text) <= _SHORT else replace(found, lines=())
    if begin == 0 and start.startswith(_PICKLES) and size <= LONGEST:
        file.seek(0)
        content = file.read()
        lines = lines_of_pickle(content) if how.keep_text else ()
        return FileDigest("bytes", pickle_digest(content), lines=lines)
    if begin == 0 and start.startswith(_MAT):
        return FileDigest("bytes", _digest_from(file, _MAT_TEXT))
    if begin == 0 and start.startswith(_PDF) and size <= _MOST_TEXT:
        file.seek(0)
        return FileDigest("bytes", _hex(_DATE_IN_PDF.sub(b"", file.read())))
    packed = _packed(file, start, how) if begin == 0 and how.deepest else None
    return packed or FileDigest("bytes", _digest_from(file, begin))


def _packed(file: BinaryIO, start: bytes, how: _ReadingOptions) -> FileDigest | None:
    """Of what is packed, not of the headers round it, which tell when that was done."""
    how = replace(how, deepest=how.deepest - 1)
    content = decompressed(file, start)
    if content is not None:
        return _digest(io.BytesIO(content), len(content), 0, how)
    inner = members(file, start)
    if inner is None:
        return None
    told_of: list[tuple[str, str, str, tuple[str, ...]]] = []
    for name, content in inner:
        held = _digest(io.BytesIO(content), len(content), 0, how)
        told = (
            normal_form(name) if how.own is None else without_own_names(normal_form(name), how.own)
        )
        told_of.append((told, held.anonymous or held.digest, held.beside, held.lines))
    told_of.sort()
    facts = "".join(f"{name}\0{held}\0{beside}\0" for name, held, beside, _ in told_of)
    digest = _hex(facts.encode("utf-8", "surrogateescape"))
    all_kept = bool(told_of) and all(lines for *_, lines in told_of)
    lines = tuple(line for told, *_, held in told_of for line in (told, *held))
    return FileDigest("bytes", digest, lines=lines if all_kept else ())


def of_text(
    text: str,
    header: str = "",
    any_order: bool = False,
    own: OwnNames | None = None,
    span: Span | None = None,
) -> FileDigest:
    """What a text holds.

    Args:
        text: What a run has written.
        header: The line that names the columns of the table that it was added to; "" for none.
        any_order: Whether several processes wrote it, line by line in any order.
        own: Names of the run that wrote it.
        span: When it was written; None where that is not known.
    """

    def digest(lines: list[str]) -> str:
        return _hex("\n".join(sorted(lines) if any_order else lines).encode("utf-8"))

    lines = normal_lines(text, header)
    without = text if own is None else without_own_names(text, own)
    nameless = lines if without == text else normal_lines(without, header)
    columns = header or (nameless[0] if is_table_header(nameless[0]) else "")
    # A run may name the columns once more above what it adds. Where no row holds a number, the
    # first line may be a row as well.
    rows = nameless[1:] if nameless[0] == columns else nameless
    if not columns or not any(_NUMBER_IN_ROW.search(row) for row in rows):
        rows = []
    unnamed = [without_run_names(line, span) for line in nameless]
    unstamped = [without_stamped_names(line, span) for line in nameless]
    bare = [without_run_numbers(line) for line in nameless]
    if _ONE_NUMBER.fullmatch(text):
        bare = [("#", [int(text)])]  # a file that a script counts its runs in
    numbers = tuple(number for _, found in bare for number in found)
    counts = 0 < len(numbers) <= _MOST_NUMBERS
    return FileDigest(
        "text",
        digest(lines),
        anonymous="" if without == text else digest(nameless),
        unnamed="" if unnamed == nameless else digest(unnamed),
        unstamped="" if unstamped == nameless else digest(unstamped),
        rows=digest(rows) if rows else "",
        unnumbered=digest([line for line, _ in bare]) if counts else "",
        numbers=numbers if counts else (),
        lines=tuple(nameless),
    )


def _first_line(file: BinaryIO) -> str:
    file.seek(0)
    return file.readline(_MOST_NAMES).decode("utf-8", "replace").rstrip("\r\n")


def _tensors(file: BinaryIO, start: bytes, size: int) -> FileDigest | None:
    if start.startswith(_ZIP):
        return _archive(file)
    if start.startswith(_NPY):
        return _array(file)
    header = int.from_bytes(start, "little") if len(start) == 8 else 0
    if 2 <= header <= min(_MOST_HEADER, size - 8):
        return _safetensors(file, header)
    return None


def _archive(file: BinaryIO) -> FileDigest | None:
    """Of `torch.save` or `numpy.savez`."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if any(name.endswith("/data.pkl") for name in names):
                return _of_torch(archive, names)
            if names and all(name.endswith(".npy") for name in names):
                return _of_numpy(archive, names)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError):
        return None
    return None


def _of_torch(archive: zipfile.ZipFile, names: list[str]) -> FileDigest:
    tensors, beside = hashlib.blake2b(digest_size=16), ""
    # The first folder is called as the file is.
    inner = {name.partition("/")[2]: name for name in names}
    for name in sorted(inner):
        if name.startswith("data/"):
            _add(tensors, archive, name, inner[name])
        elif name == "data.pkl":
            with archive.open(inner[name]) as entry:
                beside = pickle_digest(entry.read())
    return FileDigest("tensors", tensors.hexdigest(), beside)


def _of_numpy(archive: zipfile.ZipFile, names: list[str]) -> FileDigest | None:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(names):
        with archive.open(name) as entry:
            if _holds_objects(entry.read(4096)):
                return None
        _add(digest, archive, name, name)
    return FileDigest("tensors", digest.hexdigest())


def _add(digest: hashlib.blake2b, archive: zipfile.ZipFile, name: str, entry: str) -> None:
    info = archive.getinfo(entry)
    digest.update(f"{name}\0{info.file_size}\0".encode("utf-8", "surrogateescape"))
    with archive.open(entry) as content:
        while block := content.read(_BLOCK):
            digest.update(block)


def _array(file: BinaryIO) -> FileDigest | None:
    file.seek(0)
    if _holds_objects(file.read(4096)):
        return None
    return FileDigest("tensors", _digest_from(file, 0))


def _holds_objects(header: bytes) -> bool:
    """Whether an array's header names objects, which are pickled."""
    return b"'|O'" in header or b"'O'" in header


def _safetensors(file: BinaryIO, size: int) -> FileDigest | None:
    file.seek(8)
    raw = file.read(size)
    try:
        header = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict):
        return None
    beside = header.pop("__metadata__", None)
    digest = hashlib.blake2b(json.dumps(header, sort_keys=True).encode(), digest_size=16)
    while block := file.read(_BLOCK):
        digest.update(block)
    told = "" if beside is None else _hex(json.dumps(beside, sort_keys=True).encode())
    return FileDigest("tensors", digest.hexdigest(), told)


def _text(file: BinaryIO, begin: int) -> str | None:
    file.seek(begin)
    content = file.read(_MOST_TEXT + 1)
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _digest_from(file: BinaryIO, begin: int) -> str:
    digest = hashlib.blake2b(digest_size=16)
    file.seek(begin, io.SEEK_SET)
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _hex(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
