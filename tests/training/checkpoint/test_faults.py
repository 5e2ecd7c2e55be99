"""Full disks, read-only folders, cut and altered files: an error or the checkpoint before."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import threading
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import samebits
from samebits.errors import CheckpointError, DamagedCheckpointError, ResumeWarning
from samebits.training.checkpoint import eager_file
from samebits.training.checkpoint import folder as folder_module
from samebits.training.checkpoint.folder import CheckpointFolder
from samebits.training.checkpoint.manifest import SCHEMA, seal


class Small:
    """A model with two checkpoints, of steps 1 and 2, and the digests of both."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model, self.optimizer, self.run = self.fresh()
        self.digests = {}
        for step in (1, 2):
            self.model(torch.randn(4, 5)).sum().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.run.save()
            self.digests[step] = self.bits(self.model, self.optimizer)
        self.newest = path / "step-00000002"

    def fresh(self, **options):
        model = nn.Linear(5, 3)
        optimizer = torch.optim.AdamW(model.parameters())
        return (
            model,
            optimizer,
            samebits.Checkpoint(self.path, model=model, optimizer=optimizer, **options),
        )

    def bits(self, model, optimizer):
        return samebits.fingerprint([model, optimizer, torch.get_rng_state()])

    def restored(self):
        """The step that a fresh program goes on from, checked to the bit."""
        model, optimizer, run = self.fresh()
        found = run.restore()
        assert self.bits(model, optimizer) == self.digests[found.step]
        return found.step


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path / "ckpt")


def every_file(small):
    return [small.newest / "tensors.safetensors", small.newest / "checkpoint.json"]


def damaged_copies(file: Path, count: int, kind: str):
    """The content of a file, cut or with one bit flipped, at `count` places."""
    content = file.read_bytes()
    choose = random.Random(f"{file.name} {kind}")
    for number in range(count):
        if kind == "cut":
            yield content[: number * len(content) // count]
        else:
            place = choose.randrange(len(content))
            flipped = bytearray(content)
            flipped[place] ^= 1 << choose.randrange(8)
            yield bytes(flipped)


@pytest.mark.parametrize("kind", ["cut", "flip"])
@pytest.mark.parametrize("which", [0, 1], ids=["tensors", "manifest"])
def test_damage_at_100_places_is_found(small, kind, which):
    file = every_file(small)[which]
    for content in damaged_copies(file, 100, kind):
        file.write_bytes(content)
        with pytest.warns(ResumeWarning, match=r"passed over: .*step-00000002") as warned:
            assert small.restored() == 1
        # The bits from there on are those of a run that was never damaged.
        assert "may differ" not in str(warned[0].message)
    names = {place.path.name for place in CheckpointFolder(small.path).places()}
    assert names == {"step-00000001", "step-00000002"}


@pytest.mark.parametrize("kind", ["cut", "flip"])
def test_damage_is_named_where_the_checkpoint_is(small, kind):
    shutil.rmtree(small.path / "step-00000001")
    for file in every_file(small):
        whole = file.read_bytes()
        for content in damaged_copies(file, 10, kind):
            file.write_bytes(content)
            model, optimizer, run = small.fresh()
            before = small.bits(model, optimizer)
            with pytest.raises(CheckpointError, match=r"is whole: .*(checksum|begin|bytes|ends)"):
                run.restore()
            with pytest.raises(DamagedCheckpointError):
                run.restore(small.newest)
            assert small.bits(model, optimizer) == before
        file.write_bytes(whole)
    assert small.restored() == 2


def test_a_damaged_pointer_never_resumes_wrongly(small):
    file = small.path / "latest"
    content = file.read_bytes()
    for place in range(len(content)):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            file.write_bytes(bytes(flipped))
            with pytest.warns(ResumeWarning, match="latest"):
                assert small.restored() == 2
    file.unlink()
    assert small.restored() == 2


def test_a_checkpoint_without_one_of_its_files(small):
    for file in every_file(small):
        moved = file.rename(small.path / "moved")
        with pytest.warns(ResumeWarning, match="passed over"):
            assert small.restored() == 1
        moved.rename(file)


@pytest.mark.parametrize("what", ["pipe", "folder", "link to nothing"])
def test_what_is_no_file(small, what):
    file = small.newest / "checkpoint.json"
    file.unlink()
    if what == "pipe":
        os.mkfifo(file)
    elif what == "folder":
        file.mkdir()
    else:
        file.symlink_to("nothing")
    with pytest.warns(ResumeWarning, match="passed over"):
        assert small.restored() == 1


def test_an_older_or_newer_format_is_named_as_such(small):
    file = small.newest / "checkpoint.json"
    file.write_bytes(seal({"step": 2}, "samebits.checkpoint/0"))
    _, _, run = small.fresh()
    with pytest.raises(CheckpointError, match=rf"schema is 'samebits.checkpoint/0'; .*'{SCHEMA}'"):
        run.restore()


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"step": "2"},
        {"step": 1, "epoch": 0, "created": "", "world_size": 1, "versions": {}, "components": 3},
        {
            "step": 1,
            "epoch": 0,
            "created": "",
            "world_size": 1,
            "versions": {},
            "components": {"model": {}},
            "generators": 0,
            "surroundings": 0,
            "tensors": {"bytes": -1, "header": "", "tensors": {"a": ["F32", [-1], 0, 4, ""]}},
        },
    ],
)
def test_sense_is_demanded_even_under_a_right_checksum(small, content):
    (small.newest / "checkpoint.json").write_bytes(seal(content, SCHEMA))
    with pytest.warns(ResumeWarning, match="passed over"):
        assert small.restored() == 1


def full_disk(monkeypatch, after: int):
    """Let the disk be full after so many bytes of tensors."""
    original, room = os.write, [after]

    def write(descriptor, content):
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = original(descriptor, content[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(eager_file.os, "write", write)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("after", [0, 100, 700])
def test_a_full_disk_loses_nothing(small, monkeypatch, after, asynchronous):
    _, _, run = small.fresh(keep=1, asynchronous=asynchronous)
    run.restore()
    with monkeypatch.context() as patched:
        full_disk(patched, after)
        with pytest.raises(CheckpointError, match=r"cannot write .*No space left on device"):
            run.save() or run.wait()
    assert sorted(p.name for p in small.path.iterdir()) == [
        ".lock",
        "latest",
        "step-00000001",
        "step-00000002",
    ]
    assert small.restored() == 2
    run.save()
    run.wait()
    assert [place.step for place in CheckpointFolder(small.path).places()] == [4]


def test_a_limit_on_the_size_of_files(small):
    """The system's own refusal, in the middle of a write."""
    _, _, run = small.fresh()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(CheckpointError, match="File too large"):
            run.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert small.restored() == 2


@pytest.mark.parametrize("step", range(1, 9))
def test_a_failure_at_each_file_operation_loses_nothing(small, monkeypatch, step):
    count = [0]

    def failing(original):
        def operation(*args, **kwargs):
            count[0] += 1
            if count[0] == step:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return original(*args, **kwargs)

        return operation

    _, _, run = small.fresh(keep=1)
    run.restore()
    with monkeypatch.context() as patched:
        patched.setattr(folder_module, "force_folder", failing(folder_module.force_folder))
        patched.setattr(os, "fsync", failing(os.fsync))
        for name in ("rename", "replace", "mkdir"):
            patched.setattr(Path, name, failing(getattr(Path, name)))
        try:
            run.save()
        except CheckpointError:
            assert count[0] == step
    small.digests[3] = small.digests[2]  # nothing was trained in between
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert small.restored() in (2, 3)
    run.save()
    small.digests[4] = small.digests[2]
    assert small.restored() == 4


def test_a_folder_that_cannot_be_written(small, monkeypatch):
    """Asked of the system where it holds for this user; the superuser may write everywhere."""
    _, _, run = small.fresh()
    small.path.chmod(0o500)
    try:
        if os.access(small.path, os.W_OK):

            def refuse(self, *args, **kwargs):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

            monkeypatch.setattr(Path, "mkdir", refuse)
        with pytest.raises(CheckpointError, match=r"cannot write .*Permission denied"):
            run.save()
        assert small.restored() == 2
    finally:
        small.path.chmod(0o700)


def test_the_path_is_a_file(tmp_path):
    (tmp_path / "ckpt").write_text("mine")
    run = samebits.Checkpoint(tmp_path / "ckpt", model=nn.Linear(1, 1))
    assert run.restore() is None
    with pytest.raises(CheckpointError, match="cannot write"):
        run.save()


def test_leftovers_of_killed_processes_are_swept_away(small):
    for name in (".step-00000003.77.partial", ".step-00000001.77.deleting"):
        (small.path / name).mkdir()
        (small.path / name / "tensors.safetensors").write_text("half")
    (small.path / ".latest.77.partial").write_text("half")
    (small.path / "mine").mkdir()
    assert small.restored() == 2
    small.run.save()
    assert sorted(p.name for p in small.path.iterdir()) == [
        ".lock",
        "latest",
        "mine",
        "step-00000001",
        "step-00000002",
        "step-00000003",
    ]


def test_two_processes_do_not_write_into_one_folder(small):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: torch has threads
        pid = os.fork()
    if pid == 0:
        status = 1
        try:
            _, _, run = small.fresh()
            run.save()
        except CheckpointError as error:
            status = 0 if "another process writes" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    assert small.restored() == 2


def test_what_lies_ahead_is_kept_when_a_run_is_wound_back(small):
    _, _, run = small.fresh(keep=1)
    run.restore(small.path / "step-00000001")
    run.step = 0
    run.save()
    names = [place.path.name for place in CheckpointFolder(small.path).places()]
    assert names == ["step-00000001-2", "step-00000002"]
    small.digests[1] = small.digests[1]
    assert small.restored() == 1


def test_old_checkpoints_are_removed_beside_what_goes_on(small, monkeypatch):
    """A save does not wait until gigabytes are freed; `wait` and the next save do."""
    release = threading.Event()
    original = shutil.rmtree

    def slow(path, ignore_errors=False):
        release.wait(60)
        original(path, ignore_errors)

    monkeypatch.setattr(folder_module.shutil, "rmtree", slow)
    _, _, run = small.fresh(keep=1)
    run.restore()
    run.save()
    assert [place.step for place in CheckpointFolder(small.path).places()] == [3]
    assert any(path.name.endswith(".deleting") for path in small.path.iterdir())
    release.set()
    run.wait()
    assert not any(path.name.endswith(".deleting") for path in small.path.iterdir())
