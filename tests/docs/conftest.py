"""Runs what the pages show: commands with their output, scripts, and blocks of Python.

A page's ```console blocks hold commands after "$ " and what they print. They are run in order, in
an empty folder beside a copy of examples/. A ```python block whose first line is "# NAME.py" is a
script: it is written there under that name. Other ```python blocks run on their own.

With UPDATE_DOCS=1 in the environment the tests write what is printed now into the pages:

    UPDATE_DOCS=1 .venv/bin/python -m pytest tests/docs
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SCRIPT_NAME = re.compile(r"# (\w+\.py)\n")
# Said on standard error while `check` runs; a terminal shows a live line in its place.
_PROGRESS = re.compile(
    r"^samebits: (?:[a-z0-9 ,:=+-]*(?:run \d+(?: of \d+)?|one run|its inputs)|varying [a-z0-9=-]+"
    r"|DIFFERENT[^\n]*; looking for the cause[^\n]*"
    r"|the recorded operations agree, but [^\n]*)\n",
    re.MULTILINE,
)
_TIMEOUT_SECONDS = 300

# What changes from run to run or from machine to machine, and nothing else.
_MASKS = (
    (re.compile(r"runs/\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}"), "runs/FOLDER"),
    (re.compile(r"largest difference [\d.e+-]+"), "largest difference D"),
    (re.compile(r"[\d,]+ ULP"), "N ULP"),
    # Last digits of a loss are the processor's, and move the end of the line.
    (
        re.compile(r"\(loss\s+\S+\s+in\s+A,\s+\S+\s+in\s+B\);\s+so\s+do\s+"),
        "(loss L in A, L in B); so do ",
    ),
    (re.compile(r"\bloss -?[\d.]+"), "loss L"),
    # A row of the table of runs: its seconds, and the blanks that align it.
    (
        re.compile(r"^ +(\d+) +([\d,]+) +([\d,]+) +\d+\.\d +(\S+) +(\S+)$", re.MULTILINE),
        r"  \1 \2 \3 S \4 \5",
    ),
    # Whether further runs went to the script's own end: they do where the first difference is near
    # it, and a slow machine sees that otherwise.
    (re.compile(r"both\s+runs\s+agree\s+past\s+this\s+point\."), "both runs agree."),
    (re.compile(r"^(Under samebits run --seed 0: SAME) up to this point.*$", re.MULTILINE), r"\1"),
)


def masked(text: str) -> str:
    """A page or an output with everything replaced that may differ from one run to the next."""
    for pattern, replacement in _MASKS:
        text = pattern.sub(replacement, text)
    return text


def environment() -> dict[str, str]:
    """This environment's programs first; nothing that changes how output looks."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONWARNINGS")
        and not name.startswith("SAMEBITS_")
    }
    return {**kept, "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}


def rendered(page: str, folder: Path) -> str:
    """The page with the output of each command as it is now.

    Args:
        page: The page's text.
        folder: Where its scripts are written and its commands run.
    """
    status = 0

    def render(block: re.Match[str]) -> str:
        nonlocal status
        language, body = block.groups()
        if language == "python":
            name = _SCRIPT_NAME.match(body)
            if name is not None:
                (folder / name[1]).write_text(body, encoding="utf-8")
            return block[0]
        shown = []
        for command in re.findall(r"^\$ (.*)\n", body, re.MULTILINE):
            # In a shell of its own, but with the status of the command before as its $?.
            done = subprocess.run(
                ["bash", "-c", f"(exit {status})\n{command}"],
                cwd=folder,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
            status = done.returncode
            shown.append(f"$ {command}\n{_PROGRESS.sub('', done.stdout)}")
        return f"```console\n{''.join(shown)}```"

    return _BLOCK.sub(render, page)


def loose_blocks(page: str) -> list[str]:
    """The blocks of Python that are no scripts, in order."""
    return [
        body
        for language, body in _BLOCK.findall(page)
        if language == "python" and not _SCRIPT_NAME.match(body)
    ]


@pytest.fixture
def check_commands(tmp_path: Path) -> Callable[[Path], None]:
    """Demand that every command of a page prints what the page shows."""

    def check(path: Path) -> None:
        page = path.read_text(encoding="utf-8")
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
        now = rendered(page, tmp_path)
        if masked(now) == masked(page):
            return
        if os.environ.get("UPDATE_DOCS"):
            path.write_text(now, encoding="utf-8")
            return
        # Compared as lines: pytest then shows the ones that differ.
        assert masked(now).splitlines() == masked(page).splitlines(), (
            "the page shows another output; UPDATE_DOCS=1 writes the present one into it"
        )

    return check


@pytest.fixture
def run_blocks(tmp_path: Path) -> Callable[[Path], str]:
    """Run every loose block of a page, each with names of its own; its tests are called."""

    def run(path: Path) -> str:
        blocks = loose_blocks(path.read_text(encoding="utf-8"))
        assert blocks, f"{path.name} has no block to run"
        # One interpreter for all of them: importing torch is what costs.
        code = (
            f"for number, block in enumerate({blocks!r}, start=1):\n"
            "    names = {'__name__': 'block'}\n"
            f"    exec(compile(block, f'{path.name}, block {{number}}', 'exec'), names)\n"
            "    for name in [name for name in names if name.startswith('test_')]:\n"
            "        names[name]()\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
