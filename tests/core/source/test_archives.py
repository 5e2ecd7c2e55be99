"""Source files that pack other files into archives."""

from __future__ import annotations

import pytest

from samebits.core.source.archives import packs_files


@pytest.mark.parametrize(
    ("source", "packs"),
    [
        ("import tarfile\nwith tarfile.open(path, 'w') as tar:\n    tar.add(one)\n", True),
        ("from zipfile import ZipFile\narchive = ZipFile(path, 'w')\n", True),
        ("import shutil\nshutil.make_archive('data', 'zip', folder)\n", True),
        ("import gzip\nx = gzip.compress(b'')\n", True),
        ("import gzip\nwith gzip.open('a', mode='wb') as file: pass\n", True),
        ("import gzip\nx = gzip.compress(b'', mtime=0)\n", False),
        ("import gzip\ntext = gzip.open('a').read()\n", False),
        ("import zipfile\nwith open('a', 'w') as file: pass\n", False),
        ("import tarfile\n", False),
        ("with open(path) as file:\n    pass\n", False),
    ],
)
def test_what_makes_an_archive_is_known(tmp_path, source, packs):
    file = tmp_path / "pack.py"
    file.write_text(source)
    assert packs_files(str(file)) == packs


def test_a_file_that_cannot_be_read_packs_nothing(tmp_path):
    assert not packs_files(str(tmp_path / "none.py"))
