"""Linting of texts that stand in no file."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.finding import Finding
from samebits.lint.runner import lint_files


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sequence[Finding]]:
    """Writes files and lints them: lint("code") is train.py, lint({"a.py": "code"}) several."""
    monkeypatch.chdir(tmp_path)

    def run(files: str | dict[str, str], *paths: str, **options) -> Sequence[Finding]:
        texts = {"train.py": files} if isinstance(files, str) else files
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        found = find_files([Path(p) for p in paths or (".",)], **options)
        return lint_files(found, jobs=1).findings

    return run


@pytest.fixture
def codes(lint) -> Callable[..., list[str]]:
    """As `lint`, but only the codes."""

    def run(files: str | dict[str, str], *paths: str, **options) -> list[str]:
        return [finding.code for finding in lint(files, *paths, **options)]

    return run
