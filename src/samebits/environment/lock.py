"""Locks an environment: requirements with hashes, a Dockerfile, and how to run it all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.core.names import printable
from samebits.environment.capture import capture
from samebits.environment.dockerfile import dockerfile
from samebits.environment.facts import Environment
from samebits.environment.instructions import instructions
from samebits.environment.packages import packages_in_no_index
from samebits.environment.requirements import (
    Requirement,
    render_requirements,
    resolve_requirements,
)
from samebits.errors import UsageError

REQUIREMENTS = "requirements.lock"
DOCKERFILE = "Dockerfile"
INSTRUCTIONS = "REPRODUCING.md"
ENVIRONMENT = "environment.json"

_ITSELF = "samebits"
# pip installs itself into every virtual environment; the two others come with old ones.
_OF_EVERY_ENVIRONMENT = frozenset({"pip", "setuptools", "wheel"})


@dataclass(frozen=True, kw_only=True)
class Lock:
    """What was locked.

    Attributes:
        folder: Where the files lie.
        requirements: Every package with its version and hashes.
        left_out: Packages that the lock does not hold, since they are in no index (installed from
            a folder or a repository; samebits itself) or were skipped on request.
    """

    folder: Path
    requirements: tuple[Requirement, ...]
    left_out: tuple[str, ...]


def write_lock(
    folder: Path,
    *,
    command: Sequence[str] = (),
    script: Path | None = None,
    base: str | None = None,
    skip: Collection[str] = (),
    force: bool = False,
) -> Lock:
    """Capture the environment and write the four files that bring it back.

    Args:
        folder: Where the files go; made if it does not exist.
        command: What to run, without the interpreter: `["train.py", "--epochs", "3"]`.
        script: The script, for its digest.
        base: The image that the Dockerfile starts from; a fitting one of Python's unless given.
        skip: Packages to leave out.
        force: Whether files of these names may be replaced.

    Raises:
        UsageError: A file exists or cannot be written, or a package is in no index.
    """
    files = [folder / name for name in (REQUIREMENTS, DOCKERFILE, INSTRUCTIONS, ENVIRONMENT)]
    taken = [path for path in files if path.exists()]
    if taken and not force:
        shown = ", ".join(printable(str(path), 200) for path in taken)
        raise UsageError(
            f"{shown} would be replaced", hint="Give another folder with -o, or --force."
        )
    environment = capture(script=script)
    requirements, left_out = _locked(environment, skip)
    texts = {
        REQUIREMENTS: render_requirements(requirements, environment),
        DOCKERFILE: dockerfile(environment, command=command, base=base, left_out=tuple(left_out)),
        INSTRUCTIONS: instructions(environment, command=command, left_out=left_out),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(
            f"cannot write to {printable(str(folder), 200)}: {error.strerror}"
        ) from error
    environment.write(folder / ENVIRONMENT)
    return Lock(folder=folder, requirements=requirements, left_out=tuple(left_out))


def _locked(
    environment: Environment, skip: Collection[str]
) -> tuple[tuple[Requirement, ...], dict[str, str]]:
    elsewhere = packages_in_no_index()
    # samebits itself is published nowhere yet; only `samebits env check` needs it.
    elsewhere.setdefault(_ITSELF, "")
    left_out = {
        name: elsewhere.get(name, "")
        for name in sorted(environment.packages)
        if name in elsewhere or name in skip
    }
    wanted = {
        name: str(facts["version"])
        for name, facts in environment.packages.items()
        if name not in left_out and name not in _OF_EVERY_ENVIRONMENT
    }
    return resolve_requirements(wanted), left_out
