"""What a killed launcher leaves: its process ends with it, its folder goes at the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.check.record.workspace import sweep, workspace

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")

LAUNCHER = """
import os, sys, tempfile
from samebits.check.record.workspace import workspace
tempfile.tempdir = sys.argv[1]
with workspace() as shared:
    shared.used_by(int(sys.argv[2]))
    print(shared.path, flush=True)
    input()
"""
NOBODY = 4194305  # beyond the largest number that Linux gives a process


@pytest.fixture
def launcher(tmp_path):
    """A launcher that lives, with the folder that it has made for a process that does not."""
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, tmp_path, str(NOBODY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_a_folder_goes_once_its_launcher_is_gone(launcher, tmp_path):
    process, folder = launcher
    assert sweep(str(tmp_path)) == []
    process.kill()
    process.wait()
    assert Path(folder, "owner").exists()
    assert sweep(str(tmp_path)) == [folder]
    assert list(tmp_path.iterdir()) == []


def owner(folder, content, *, name="samebits-x"):
    path = folder / name
    path.mkdir()
    (path / "owner").write_text(content)
    return path


@pytest.fixture
def facts(tmp_path_factory, monkeypatch):
    """What a launcher writes of a process: of this one, which is alive."""
    folder = tmp_path_factory.mktemp("facts")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with workspace() as shared:
        shared.used_by(os.getpid())
        written = Path(shared.path, "owner").read_text()
    assert list(folder.iterdir()) == []
    return written


def test_a_process_that_lives_keeps_the_folder(tmp_path, facts):
    path = owner(tmp_path, facts)
    assert sweep(str(tmp_path)) == []
    (path / "owner").write_text(facts.replace(f'"process": {os.getpid()}', f'"process": {NOBODY}'))
    assert sweep(str(tmp_path)) == [str(path)]


def test_what_is_not_provably_left_stays(tmp_path, facts):
    facts = facts.replace(f'"process": {os.getpid()}', f'"process": {NOBODY}')
    owner(tmp_path, "", name="samebits-new")
    owner(tmp_path, "[1", name="samebits-damaged")
    owner(tmp_path, "{}", name="samebits-empty")
    owner(tmp_path, facts.replace('"where": "', '"where": "x'), name="samebits-elsewhere")
    (tmp_path / "samebits-link").symlink_to(owner(tmp_path, facts, name="theirs"))
    (tmp_path / "samebits-file").write_text("theirs")
    (tmp_path / "samebits-none").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert sweep(str(tmp_path)) == []
    assert sorted(tmp_path.rglob("*")) == before


WATCHED = """
import os, sys
from samebits.check.record.ending import end_with
parent = os.getpid()
child = os.fork()
if child == 0:
    end_with(parent if sys.argv[1] == "its own" else parent + 1)
    print("ready", flush=True)
    sys.stdin.read()
    print("went on", flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.parametrize(("parent", "after"), [("its own", ""), ("another", "went on\n")])
def test_a_process_ends_with_its_launcher_and_with_no_other(parent, after):
    command = [sys.executable, "-c", WATCHED, parent]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.kill()
        process.wait()
        process.stdin.close()
        # Both hold standard output: it ends once both are gone.
        assert process.stdout.read() == after
