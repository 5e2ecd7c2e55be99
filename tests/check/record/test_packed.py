"""What archives and compressed files hold counts, and not when they were packed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from samebits.check.record.processes.file_digests import digest_of
from samebits.check.record.processes.still_written import still_written


@pytest.fixture
def digest(tmp_path):
    def of(content, *, keep_text=False):
        path = tmp_path / "file"
        path.write_bytes(content)
        return digest_of(path, keep_text=keep_text)

    return of


def zipped(content, when=(2026, 1, 1, 0, 0, 0), name="result.json"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, when), content)
    return file.getvalue()


def tarred(content, when=0, name="result.json"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(content), when
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize(
    "pack",
    [
        lambda content, when: gzip.compress(content, mtime=when),
        lambda content, when: bz2.compress(content, 1 + when % 9),
        lambda content, when: lzma.compress(content, preset=when % 9),
    ],
    ids=["gzip", "bzip2", "xz"],
)
def test_a_compressed_text_is_that_text(digest, pack):
    found = digest(pack(b'{"shard": 3}', 1), keep_text=True)
    assert found == digest(pack(b'{"shard": 3}', 2), keep_text=True)
    assert (found.kind, found.lines) == ("text", ('{"shard": 3}',))
    assert found.digest != digest(pack(b'{"shard": 4}', 1)).digest


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_members_of_an_archive_count_with_their_names(digest, pack):
    now = {zipped: (2026, 5, 5, 1, 2, 4), tarred: 1_800_000_000}[pack]
    found = digest(pack(b"took 3.1 s, error 0.25"), keep_text=True)
    assert found.digest == digest(pack(b"took 4.2 s, error 0.25", now)).digest
    assert found.digest != digest(pack(b"took 3.1 s, error 0.26")).digest
    assert found.digest != digest(pack(b"took 3.1 s, error 0.25", name="other.json")).digest
    assert "result.json" in found.lines
    assert digest(gzip.compress(pack(b"a"))).digest == digest(pack(b"a")).digest


def test_members_with_temporary_names_come_in_any_order(digest):
    def packed(names):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in zip(names, ("one", "two"), strict=True):
                archive.writestr(zipfile.ZipInfo(f"{name}/x"), content)
        return digest(file.getvalue()).digest

    assert packed(("tmpaaaaaaaa", "tmpbbbbbbbb")) == packed(("tmpdddddddd", "tmpcccccccc"))


def test_what_follows_an_archive_counts(digest):
    zeros = bytes(4096)
    assert digest(zeros + b"\xff").digest != digest(zeros + b"\xfe").digest
    assert digest(tarred(b"a") + b"\xff").digest != digest(tarred(b"a") + b"\xfe").digest
    for packed in (gzip.compress(b"a"), bz2.compress(b"a"), zipped(b"a")):
        assert len({digest(packed + end).digest for end in (b"", b"\xff", b"\xfe")}) == 3
    assert digest(b"PK\3\4" + zipped(b"a")).digest != digest(zipped(b"a")).digest
    assert digest(bz2.compress(b"a") + bz2.compress(b"b")).digest == digest(b"ab").digest
    assert digest(bz2.compress(b"a") * 65).kind == "bytes"


def test_a_link_in_an_archive_is_where_it_leads(digest):
    def linked(target, when):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w") as archive:
            info = tarfile.TarInfo("latest")
            info.type, info.linkname, info.mtime = tarfile.SYMTYPE, target, when
            archive.addfile(info)
        return digest(file.getvalue()).digest

    assert linked("epoch-1", 1) == linked("epoch-1", 2) != linked("epoch-2", 1)


def test_a_broken_or_endless_archive_is_its_bytes(digest):
    whole = zipped(b"a" * 100)
    for content in (whole[:60], gzip.compress(b"a")[:-3], whole[:40] + b"\0" + whole[41:]):
        assert digest(content).kind == "bytes"
    nested = b"end"
    for _ in range(40):
        nested = gzip.compress(nested, mtime=0)
    assert digest(nested).kind == "bytes"
    assert digest(gzip.compress(bytes(17 * 2**20))).kind == "bytes"


@pytest.mark.parametrize(
    ("header", "date"),
    [
        (b"MATLAB 5.0 MAT-file Platform: posix, Created on: ", b"Fri Nov 27 15:%02d:00 2026"),
        (b"%PDF-1.4 \xff /CreationDate ", b"(D:202611271500%02dZ)"),
    ],
)
def test_dates_in_headers_do_not_count(digest, header, date):
    files = [(header + date % n).ljust(116) + b"\0\xff" for n in (1, 2)]
    assert digest(files[0]).digest == digest(files[1]).digest != digest(files[0] + b"\1").digest


def test_files_that_are_still_written_are_known(tmp_path):
    path = tmp_path / "check.log"
    with path.open("w"):
        status = path.stat()
        assert (status.st_dev, status.st_ino) in still_written()
    with path.open():
        assert (status.st_dev, status.st_ino) not in still_written()
