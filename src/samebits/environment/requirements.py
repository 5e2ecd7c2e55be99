"""Requirements with hashes, as pip's `--require-hashes` demands them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.core.names import printable
from samebits.environment.facts import Environment
from samebits.environment.packages import normalised
from samebits.errors import UsageError

_SECONDS = 900.0
_LINE = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)")


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One line of the lock.

    Attributes:
        name: Normalised name.
        version: Exact version, with its local part: "2.13.0+cpu".
        hashes: Such as "sha256:…", of the file that is right for this machine.
    """

    name: str
    version: str
    hashes: tuple[str, ...]


def resolve_requirements(versions: Mapping[str, str]) -> tuple[Requirement, ...]:
    """Ask the package indexes for the hashes of what is installed; nothing is installed.

    pip does it, with its own configuration: PIP_INDEX_URL, PIP_FIND_LINKS and pip.conf count.

    Args:
        versions: Name → version.

    Raises:
        UsageError: pip is missing or failed, or an index gives no hash.
    """
    if not versions:
        return ()
    wanted = [f"{name}=={version}" for name, version in sorted(versions.items())]
    options = ["--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", "-"]
    options += ["--only-binary", ":all:"]
    done = run_pip([sys.executable, "-m", "pip", "install", *options, *wanted])
    if done.returncode != 0:
        raise UsageError(
            f"pip finds no file for some package: {last_error(done.stderr)}",
            hint="Give the index that it came from (PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS), or leave "
            "the package out: --skip NAME.",
        )
    try:
        found = [_requirement(entry) for entry in json.loads(done.stdout)["install"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"pip's report cannot be read: {error!r:.120}",
            hint="samebits env lock needs pip 23 or newer: python -m pip install --upgrade pip",
        ) from error
    missing = sorted(set(versions) - {requirement.name for requirement in found})
    if missing:
        raise UsageError(f"pip says nothing of {', '.join(missing)}")
    return tuple(sorted(found, key=lambda requirement: requirement.name))


def render_requirements(requirements: Iterable[Requirement], environment: Environment) -> str:
    """The text of requirements.lock."""
    python, system = environment.python.get("version"), environment.system
    lines = [
        "# Every package with the hash of its file; written by samebits env lock.",
        f"# Python {python}, {system.get('name')} on {system.get('machine')}: elsewhere the files,",
        "# and so the hashes, are others.",
        "# pip install --require-hashes --no-deps -r requirements.lock",
    ]
    index = torch_index(environment)
    if index is not None:
        lines.append(f"--extra-index-url {index}")
    for requirement in requirements:
        hashes = [f"    --hash={digest}" for digest in requirement.hashes]
        lines.append(" \\\n".join([f"{requirement.name}=={requirement.version}", *hashes]))
    return "\n".join(lines) + "\n"


def torch_index(environment: Environment) -> str | None:
    """The index that has this build of torch, for builds that are not on PyPI."""
    _, plus, build = str(environment.torch.get("version", "")).partition("+")
    known = re.fullmatch(r"cpu|cu\d+|rocm[\d.]+|xpu", build)
    return f"https://download.pytorch.org/whl/{build}" if plus and known else None


def read_versions(path: Path) -> dict[str, str]:
    """Name → version of every requirement in a lock.

    Raises:
        UsageError: It cannot be read, or holds no requirement.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {printable(str(path), 200)}: {error.strerror}") from error
    matches = (_LINE.match(line) for line in text.splitlines())
    found = {normalised(m["name"]): m["version"] for m in matches if m is not None}
    if not found:
        raise UsageError(
            f"{printable(str(path), 200)} names no package with its version",
            hint="Give a requirements.lock that `samebits env lock` wrote.",
        )
    return found


def run_pip(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run pip, its output captured.

    Raises:
        UsageError: It cannot be started, or takes longer than a quarter of an hour.
    """
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"pip cannot be run: {printable(str(error), 200)}") from error


def last_error(text: str) -> str:
    """The line of pip's output that says what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return printable((errors or lines or ["it printed nothing"])[-1], 300)


def _requirement(entry: Mapping[str, Any]) -> Requirement:
    archive = entry["download_info"].get("archive_info") or {}
    hashes = archive.get("hashes") or {}
    name, version = normalised(entry["metadata"]["name"]), str(entry["metadata"]["version"])
    if not hashes:
        raise UsageError(
            f"the index gives no hash for {printable(name, 80)}=={printable(version, 80)}",
            hint="It comes from a folder or a repository; leave it out: --skip NAME.",
        )
    digests = tuple(f"{kind}:{digest}" for kind, digest in sorted(hashes.items()))
    return Requirement(name=name, version=version, hashes=digests)
