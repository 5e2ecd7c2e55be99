"""A process writes down what it makes, and what of it is its own is read off that."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from samebits.check.record.made_files import made_paths, read_made

SCRIPT = """
import os, shutil, sqlite3, sys, tempfile
from pathlib import Path
from samebits.check.record.made_files import MadeFiles

log, root = Path(sys.argv[1]), Path(sys.argv[2])
MadeFiles(log, [str(log.parent)])
os.chdir(root)
open("there", "a").close()
open("fresh", "w").close()
Path("fresh").open("r").close()
os.makedirs("ckpt/part")
os.close(os.open("ckpt/part/rows", os.O_CREAT | os.O_WRONLY))
os.rename("ckpt/part", "ckpt/step-1")
os.symlink("step-1", "ckpt/latest")
Path("tmp").write_text("x")
os.replace("tmp", "there-too")
Path("tmp").write_text("x")
os.replace("tmp", "last")
os.rename("there", "renamed")
os.mkdir("brief"); open("brief/file", "w").close(); shutil.rmtree("brief")
open("removed", "w").close(); os.remove("removed")
shutil.copyfile("fresh", "copy")
sqlite3.connect("base").close()
if os.fork() == 0:
    open("of-child", "w").close()
    os._exit(0)
os.wait()
os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")
try:
    open("nowhere", "w")
except FileNotFoundError:
    pass
"""


@pytest.fixture(scope="module")
def noted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "root").mkdir()
    (folder / "log").mkdir()
    for name in ("there", "there-too"):
        (folder / "root" / name).touch()
    log = folder / "log" / "made.jsonl"
    subprocess.run([sys.executable, "-c", SCRIPT, log, folder / "root"], check=True)
    return folder / "root", log


def test_a_process_owns_what_it_made_and_named(noted):
    root, log = noted
    own = [path for path in made_paths(read_made(log), set()) if os.path.lexists(path)]
    assert [os.path.relpath(path, root) for path in own] == [
        "base",
        "ckpt",
        "ckpt/latest",
        "ckpt/step-1",
        "ckpt/step-1/rows",
        "copy",
        "fresh",
        "last",
        "of-child",
    ]


def test_what_was_there_before_is_never_its_own(noted):
    root, log = noted
    before = {str(root / name) for name in ("fresh", "last", "ckpt/latest")}
    assert not before.intersection(made_paths(read_made(log), before))


def test_half_a_line_of_a_killed_process_is_passed_over(tmp_path):
    log = tmp_path / "made.jsonl"
    log.write_text('["file", "/a"]\n["file", "/b')
    assert made_paths(read_made(log), set()) == ["/a"]
    assert read_made(tmp_path / "missing") == []


def test_a_file_put_over_another_ones_stays_theirs():
    entries = [["saved", "/w/tmp"], ["renamed", "/w/tmp", "/w/last", True]]
    assert made_paths(entries, {"/w/last"}) == []
    assert made_paths([*entries[:1], ["renamed", "/w/tmp", "/w/last", False]], set()) == ["/w/last"]
    assert made_paths([["renamed", "/w/theirs", "/w/mine", False]], set()) == []
