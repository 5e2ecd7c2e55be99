"""Environments made up fact by fact, and a wheel to install."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from samebits.environment import Environment

FACTS: Mapping[str, Mapping[str, Any]] = {
    "python": {"version": "3.11.7", "implementation": "CPython", "compiler": "GCC 12.2.0"},
    "system": {"name": "Linux", "kernel": "6.1", "machine": "x86_64", "libc": "glibc-2.36"},
    "processor": {
        "model": "EPYC",
        "features": "aa",
        "cores": 2,
        "logical": 4,
        "capability": "AVX2",
    },
    "threads": {"torch": 2, "interop": 2},
    "torch": {"version": "2.13.0+cpu", "git": "c0ffee", "cuda": None, "blas": "MKL 2024.2"},
    "packages": {"numpy": {"version": "2.4.6", "files": "11"}, "rich": {"version": "15.0.0"}},
    "variables": {"OMP_NUM_THREADS": "2"},
    "code": {"commit": "1234", "branch": "main", "changes": ""},
    "files": {"data.csv": {"size": 3, "sha256": "ab"}},
}


@pytest.fixture
def environment() -> Environment:
    """A plain environment."""
    return Environment(**FACTS, captured="2026-01-01T00:00:00+00:00")


def changed(environment: Environment, section: str, **facts: Any) -> Environment:
    """An environment with other facts in one section; None takes a fact away."""
    merged = {**environment.section(section), **facts}
    kept = {name: value for name, value in merged.items() if value is not None}
    return dataclasses.replace(environment, **{section: kept})


@pytest.fixture
def wheels(tmp_path) -> Path:
    """A folder with the wheel of a package named tiny-thing, version 1.0+local."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    make_wheel(folder, "tiny_thing", "1.0+local", {"tiny_thing.py": "VALUE = 1\n"})
    return folder


def make_wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Write a wheel of plain Python."""
    info = f"{name}-{version}.dist-info"
    content = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in content.items()
    )
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in content.items():
            archive.writestr(member, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
