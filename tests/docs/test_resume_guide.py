"""The guide to resuming: its commands print what it shows, and its Python runs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import samebits
from samebits.training.control import isolated_rng

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "resume.md"


@pytest.mark.slow
def test_every_command_prints_what_the_guide_shows(check_commands: Callable[[Path], None]) -> None:
    check_commands(PAGE)


def test_every_python_block_runs(run_blocks: Callable[[Path], str]) -> None:
    run_blocks(PAGE)


class Stopped(BaseException):
    """As a kill, in this process."""


def printed(code: str, capsys: pytest.CaptureFixture[str], stop: int | None = None) -> list[str]:
    """What a script prints that is killed after so many calls of `save`."""
    save = samebits.Checkpoint.save

    def stopping(self: samebits.Checkpoint, *, every: int = 1) -> Path | None:
        saved = save(self, every=every)
        if self.step == stop:
            raise Stopped
        return saved

    samebits.Checkpoint.save = stopping  # type: ignore[method-assign]
    try:
        with isolated_rng(), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(code, "exact.py", "exec"), {"__name__": "__main__"})
    except Stopped:
        pass
    finally:
        samebits.Checkpoint.save = save  # type: ignore[method-assign]
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("every", [4, 5])
def test_the_guides_loop_prints_the_same_wherever_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], every: int
) -> None:
    """Every fourth step is, twice an epoch, one with no batch left."""
    found = re.search(r"```python\n(# exact\.py\n.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    code = found[1].replace("run.save(every=5)", f"run.save(every={every})")
    threads = torch.get_num_threads()
    monkeypatch.chdir(tmp_path)
    straight = printed(code.replace('"ckpt"', '"straight"'), capsys)
    assert [line.split()[:2] for line in straight] == [["epoch", str(n)] for n in range(3)]
    for stop in (3, 4, 8, 9, 15, 16, 24):
        mine = code.replace('"ckpt"', f'"stopped-{stop}"')
        before = printed(mine, capsys, stop)
        after = printed(mine, capsys)
        assert before == straight[: len(before)], stop
        assert after == straight[len(straight) - len(after) :], stop
        assert len(before) + len(after) >= len(straight), stop
    assert torch.get_num_threads() == threads
