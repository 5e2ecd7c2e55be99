"""Scripts run in fresh processes of plain Python, with hooks and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

_START = """
import json, runpy, sys
from samebits.check.hooks import install
from samebits.core.interposition.surroundings import HookSpec
script, specs = sys.argv[1], json.loads(sys.argv[2])
install(
    [HookSpec(name=name, settings=settings) for name, settings in specs.items()],
    lambda file: file == script,
)
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
"""

Run = Callable[..., list[str]]


@pytest.fixture
def run(tmp_path) -> Run:
    """Runs a script: run(source, {"clock": {}}, **environment) -> the lines that it prints."""
    script = tmp_path / "script.py"

    def run_script(
        source: str,
        hooks: Mapping[str, Any] | None = None,
        cwd: Path = tmp_path,
        **environment: str,
    ) -> list[str]:
        script.write_text(textwrap.dedent(source))
        done = subprocess.run(
            [sys.executable, "-c", _START, str(script), json.dumps(hooks or {})],
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run_script


@pytest.fixture
def held(run) -> Callable[..., list[str]]:
    """Demands that every line differs between two plain runs and agrees between two held ones."""

    def demand(source: str, hooks: Mapping[str, Any]) -> list[str]:
        first, second = run(source), run(source)
        assert first
        assert not [line for line, other in zip(first, second, strict=True) if line == other]
        first, second = run(source, hooks), run(source, hooks)
        assert first == second
        return first

    return demand
