"""Source files that pack other files into archives."""

from __future__ import annotations

import pytest

from samebits.core.source.archives import lines_that_pack, makes_an_archive, packs_files


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


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (
            "with tarfile.open(path, 'w') as tar:\n    for one in files:\n        tar.add(one)\n",
            [4],
        ),
        ("tar = tarfile.open(path, 'w')\nsave(tar)\n", [2]),
        ("self.tar = tarfile.open(path, 'w')\nself.tar.addfile(info, data)\n", [3]),
        ("tar = tarfile.open(path, 'w')\ntar.add(one)\ntar.add(two)\n", [3, 4]),
        ("tar = tarfile.open(path)\nnames.add(tar.getnames())\n", []),
    ],
    ids=["in a loop", "handed on", "of an object", "twice", "read"],
)
def test_the_line_counts_that_puts_something_into_an_archive(tmp_path, source, lines):
    file = tmp_path / "pack.py"
    file.write_text(f"import tarfile\n{source}")
    assert lines_that_pack(str(file)) == tuple(lines)


@pytest.mark.parametrize(
    ("function", "makes"),
    [
        ("gzip.open", True),
        ("zipfile.ZipFile.writestr", True),
        ("shutil.make_archive", True),
        ("pandas.core.generic.NDFrame.to_csv", True),
        ("pandas.core.generic.NDFrame.to_numpy", False),
        ("shutil.make_archive_later", False),
        ("time.time", False),
    ],
)
def test_functions_that_write_the_time_into_an_archive_are_known(function, makes):
    assert makes_an_archive(function) == makes
