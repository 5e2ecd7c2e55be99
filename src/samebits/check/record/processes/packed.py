"""What archives and compressed files hold: their headers tell the time, and are not looked at."""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

_MOST = 16 * 2**20
"""Bytes up to which what is packed is looked into."""
_MOST_MEMBERS = 10_000
_MOST_STREAMS = 64
"""Streams of bzip2 one after another: what is left is copied after each of them."""
_GZIP, _BZIP2, _XZ, _ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"
_TAR, _AT = b"ustar", 257
_END_OF_ZIP = 22
"""Bytes of the record that ends a zip archive, before its comment."""
_BLOCK = 1 << 20


def decompressed(file: BinaryIO, start: bytes) -> bytes | None:
    """What gzip, bzip2 or xz have compressed; None where they have not, or it is large or broken.

    Args:
        file: The file, of which the place is moved.
        start: Its first bytes.
    """
    file.seek(0)
    with contextlib.suppress(*_broken()):
        if start.startswith(_BZIP2):
            return _of_bzip2(file)
        with contextlib.closing(_opened(file, start)) as unpacked:
            content: bytes = unpacked.read(_MOST + 1)
        return content if len(content) <= _MOST else None
    return None


def members(file: BinaryIO, start: bytes) -> list[tuple[str, bytes]] | None:
    """The files of a zip or tar archive, by name; None where it is none, or is large or broken.

    Args:
        file: The archive, of which the place is moved.
        start: Its first bytes.
    """
    file.seek(_AT)
    is_tar = file.read(len(_TAR)) == _TAR
    if not (is_tar or start.startswith(_ZIP)):
        return None
    file.seek(0)
    found: list[tuple[str, bytes]] = []
    left = _MOST
    with contextlib.suppress(*_broken()):
        for name, content in _of_tar(file) if is_tar else _of_zip(file):
            left -= len(content)
            if left < 0 or len(found) >= _MOST_MEMBERS:
                return None
            found.append((name, content))
        return found
    return None


def _opened(file: BinaryIO, start: bytes) -> Any:
    if start.startswith(_GZIP):
        import gzip

        return gzip.GzipFile(fileobj=file)
    if start.startswith(_XZ):
        import lzma

        return lzma.LZMAFile(file)
    raise ValueError


def _of_bzip2(file: BinaryIO) -> bytes | None:
    """What bzip2 has compressed, to the last byte: its module leaves out what follows unseen."""
    import bz2

    content, packed = b"", file.read(_MOST)
    if file.read(1):
        return None
    for _ in range(_MOST_STREAMS):
        if not packed:
            return content
        stream = bz2.BZ2Decompressor()
        content += stream.decompress(packed, _MOST + 1 - len(content))
        if not stream.eof:
            return None
        packed = stream.unused_data
    return None


def _of_zip(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    import zipfile

    with zipfile.ZipFile(file) as archive:
        end = file.seek(0, io.SEEK_END) - len(archive.comment) - _END_OF_ZIP
        file.seek(max(end, 0))
        begins = min((info.header_offset for info in archive.infolist()), default=0)
        if begins or file.read(4) != b"PK\5\6":
            raise ValueError  # there is more in it
        yield "", archive.comment
        for info in archive.infolist():
            if info.file_size > _MOST:
                raise ValueError
            yield info.filename, b"" if info.is_dir() else archive.read(info)


def _of_tar(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    import tarfile

    with tarfile.open(fileobj=file, mode="r:") as archive:
        for info in archive:
            if info.issym() or info.islnk():
                yield info.name, os.fsencode(info.linkname)
                continue
            if not (info.isfile() or info.isdir()) or info.size > _MOST:
                raise ValueError
            content = archive.extractfile(info)
            yield info.name, b"" if content is None else content.read()
        file.seek(archive.offset)
    while block := file.read(_BLOCK):
        if block.strip(b"\0"):
            raise ValueError  # there is more in it


def _broken() -> tuple[type[Exception], ...]:
    import lzma
    import tarfile
    import zipfile

    return (
        *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error),
        *(lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
    )
