"""Saves that something comes between: interrupts, signal handlers, other writers, the end."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import threading
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import samebits
from samebits.errors import CheckpointError
from samebits.training.checkpoint import checkpoint as checkpoint_module
from samebits.training.checkpoint import folder as folder_module
from samebits.training.checkpoint.folder import CheckpointFolder


@pytest.fixture
def model():
    torch.manual_seed(0)
    return nn.Linear(5, 3)


def in_child(action) -> int:
    """The exit status of a forked child: 0, or 1 where the action raised CheckpointError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: torch has threads
        pid = os.fork()
    if pid == 0:
        status = 2
        try:
            action()
            status = 0
        except CheckpointError as error:
            status = 1 if "another process writes" in str(error) else 3
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def is_whole(path: Path, model: nn.Module, step: int) -> bool:
    """Whether a fresh program goes on from there with the model's bits, and without a warning."""
    fresh = nn.Linear(5, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        restored = samebits.Checkpoint(path, model=fresh).restore()
    return restored.step == step and samebits.fingerprint(fresh) == samebits.fingerprint(model)


@pytest.mark.parametrize("begun", [False, True])
def test_an_interrupt_while_the_thread_is_started_spoils_no_later_save(
    tmp_path, model, monkeypatch, begun
):
    run = samebits.Checkpoint(tmp_path, asynchronous=True, model=model)
    start = threading.Thread.start

    def interrupted(self):
        if begun:
            start(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run.save()
    run.wait()
    assert [place.step for place in CheckpointFolder(tmp_path).places()] == ([1] if begun else [])
    run.save()
    run.wait()
    assert is_whole(tmp_path, model, 2)


def test_without_a_thread_it_is_written_at_once(tmp_path, model, monkeypatch):
    run = samebits.Checkpoint(tmp_path, asynchronous=True, model=model)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        run.save()
    assert is_whole(tmp_path, model, 1)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_signal_handler_that_saves_in_the_middle_of_a_save(
    tmp_path, model, monkeypatch, asynchronous
):
    run = samebits.Checkpoint(tmp_path, asynchronous=asynchronous, model=model)
    within: list[Path] = []
    collect = checkpoint_module.collect

    def interrupted(*args, **kwargs):
        if not within:
            within.append(tmp_path)
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pthread_sigmask(signal.SIG_BLOCK, [])  # a place where the handler is run
        return collect(*args, **kwargs)

    monkeypatch.setattr(checkpoint_module, "collect", interrupted)
    before = signal.signal(signal.SIGTERM, lambda *_: within.append(run.save()))
    try:
        run.save()
    finally:
        signal.signal(signal.SIGTERM, before)
    run.wait()
    assert len(within) == 2
    assert within[1].name == "step-00000001"  # no other step: the loop's save has counted it
    assert run.step == 1
    assert is_whole(tmp_path, model, 1)


@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize("ends", [False, True])
def test_a_save_inside_a_save_at_each_file_operation(tmp_path, model, monkeypatch, number, ends):
    run = samebits.Checkpoint(tmp_path, keep=1, model=model)
    run.save()
    count = [0]

    def coming_between(original):
        def operation(*args, **kwargs):
            count[0] += 1
            if count[0] == number:
                run.save()
                if ends:
                    raise SystemExit(0)
            return original(*args, **kwargs)

        return operation

    with monkeypatch.context() as patched:
        patched.setattr(folder_module, "force_folder", coming_between(folder_module.force_folder))
        patched.setattr(os, "fsync", coming_between(os.fsync))
        for name in ("rename", "replace", "mkdir"):
            patched.setattr(Path, name, coming_between(getattr(Path, name)))
        try:
            run.save()
        except SystemExit:
            assert ends
    assert is_whole(tmp_path, model, 2)
    run.wait()
    names = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert names == [".lock"]
    run.save()
    assert is_whole(tmp_path, model, 3)
    assert [place.step for place in CheckpointFolder(tmp_path).places()] == [3]


def test_a_save_in_the_middle_of_a_restore_is_refused(tmp_path, model):
    class Saving:
        def state_dict(self):
            return {}

        def load_state_dict(self, state):
            run.save()

    run = samebits.Checkpoint(tmp_path, model=model, mine=Saving())
    run.save()
    content = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(CheckpointError, match=r"in the middle of restore\(\)"):
        run.restore()
    assert sorted(path.name for path in tmp_path.iterdir()) == content


def failing(folder: Path) -> samebits.Checkpoint:
    """A run whose last asynchronous save fails, as the folder is a file."""
    folder.write_text("mine")
    run = samebits.Checkpoint(folder, asynchronous=True)
    run.save()
    run._writer._fate.job.done.wait(60)
    return run


def test_the_failure_of_a_last_save_is_told(tmp_path, capfd):
    run = failing(tmp_path / "ckpt")
    assert capfd.readouterr().err == ""
    del run  # as at the end of the program: weakref.finalize is called there, too
    gc.collect()
    said = capfd.readouterr().err
    assert said.startswith("samebits: step 1 was not saved: cannot write a checkpoint into ")
    assert said.count("was not saved") == 1


def test_a_failure_that_was_raised_is_not_told_again(tmp_path, capfd):
    run = failing(tmp_path / "ckpt")
    with pytest.raises(CheckpointError, match="cannot write"):
        run.wait()
    del run
    gc.collect()
    assert capfd.readouterr().err == ""


def test_a_failure_after_the_writer_is_gone_is_told_by_the_thread(tmp_path, capfd, monkeypatch):
    go_on, thread = threading.Event(), []
    write = CheckpointFolder.write

    def late(self, *args, **kwargs):
        thread.append(threading.current_thread())
        go_on.wait(60)
        return write(self, *args, **kwargs)

    monkeypatch.setattr(CheckpointFolder, "write", late)
    (tmp_path / "ckpt").write_text("mine")
    run = samebits.Checkpoint(tmp_path / "ckpt", asynchronous=True)
    run.save()
    del run
    gc.collect()
    go_on.set()
    while not thread:
        pass
    thread[0].join()
    assert "step 1 was not saved" in capfd.readouterr().err


def test_the_older_of_two_in_one_process_writes_no_more(tmp_path, model):
    older = samebits.Checkpoint(tmp_path, model=model)
    older.save()
    newer = samebits.Checkpoint(tmp_path, model=model)
    newer.restore()
    newer.save()
    for _ in range(2):
        with pytest.raises(CheckpointError, match="another Checkpoint of this process writes"):
            older.save()
    newer.save()
    assert is_whole(tmp_path, model, 3)


def test_a_newer_one_waits_until_the_older_has_written(tmp_path, model, monkeypatch):
    go_on, begun = threading.Event(), threading.Event()
    original = checkpoint_module.write_files

    def late(folder, contents):
        if not begun.is_set():
            begun.set()
            go_on.wait(60)
        original(folder, contents)

    monkeypatch.setattr(checkpoint_module, "write_files", late)
    older = samebits.Checkpoint(tmp_path, asynchronous=True, model=model)
    older.step = 4
    older.save()
    begun.wait(60)
    newer = samebits.Checkpoint(tmp_path, model=model)
    newer.step = 5
    other = threading.Thread(target=newer.save)
    other.start()
    go_on.set()
    other.join()
    older.wait()
    assert [place.step for place in CheckpointFolder(tmp_path).places()] == [5, 6]


def test_a_copy_of_the_folder_does_not_let_the_lock_go(tmp_path, model):
    run = samebits.Checkpoint(tmp_path / "ckpt", model=model)
    run.save()
    shutil.copytree(tmp_path / "ckpt", tmp_path / "copy")
    assert in_child(lambda: samebits.Checkpoint(tmp_path / "ckpt", model=model).save()) == 1


def test_a_forked_child_does_not_write_with_its_parents_lock(tmp_path, model):
    run = samebits.Checkpoint(tmp_path, model=model)
    run.save()
    assert in_child(run.save) == 1
    assert in_child(run.save) == 1  # nor did that child let the lock go
    run.save()
    assert is_whole(tmp_path, model, 2)


def test_a_forked_child_does_not_wait_for_its_parents_thread(tmp_path, model, monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(CheckpointFolder, "write", lambda *_, **__: go_on.wait(60))
    run = samebits.Checkpoint(tmp_path, asynchronous=True, model=model)
    run.save()
    assert in_child(run.wait) == 0
    go_on.set()
    run.wait()


def test_the_folder_is_free_when_the_run_is_gone(tmp_path, model):
    run = samebits.Checkpoint(tmp_path, model=model)
    run.save()
    del run
    gc.collect()
    assert in_child(lambda: samebits.Checkpoint(tmp_path, model=model).save()) == 0
