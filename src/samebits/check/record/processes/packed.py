"""What archives and compressed files hold: their headers tell the time, and are not looked at."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

_MOST = 16 * 2**20
"""Bytes up to which what is packed is looked into."""
_MOST_MEMBERS = 10_000
_GZIP, _BZIP2, _XZ, _ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"
_TAR, _AT = b"ustar", 257
_BLOCK = 1 << 20


def decompressed(file: BinaryIO, start: bytes) -> bytes | None:
    """What gzip, bzip2 or xz have compressed; None where they have not, or it is large or broken.

    Args:
        file: The file, of which the place is moved.
        start: Its first bytes.
    """
    file.seek(0)
    with contextlib.suppress(*_broken()):
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
    if start.startswith(_BZIP2):
        import bz2

        return bz2.BZ2File(file)
    if start.startswith(_XZ):
        import lzma

        return lzma.LZMAFile(file)
    raise ValueError


def _of_zip(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    import zipfile

    with zipfile.ZipFile(file) as archive:
        yield "", archive.comment
        for info in archive.infolist():
            if info.file_size > _MOST:
                raise ValueError
            yield info.filename, b"" if info.is_dir() else archive.read(info)


def _of_tar(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    import tarfile

    with tarfile.open(fileobj=file, mode="r:") as archive:
        for info in archive:
            if not (info.isfile() or info.isdir()) or info.size > _MOST:
                raise ValueError  # a link may lead anywhere
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
