"""Proves a lock: builds a fresh virtual environment from it, and compares the two."""

from __future__ import annotations

import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from samebits.environment.facts import Environment
from samebits.environment.lock import ENVIRONMENT, REQUIREMENTS
from samebits.environment.packages import installed_packages
from samebits.environment.requirements import last_error, read_versions, run_pip
from samebits.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """A package that the fresh environment has otherwise than the lock says.

    Attributes:
        package: Its name.
        locked: The version that the lock names, or the digest of its files.
        found: What the fresh environment has; None where it lacks it.
        what: "version" or "files".
    """

    package: str
    locked: str
    found: str | None
    what: str


def verify_lock(folder: Path, say: Callable[[str], None] = lambda text: None) -> list[Mismatch]:
    """Install a lock into a fresh virtual environment, and compare every package.

    The environment is made in a temporary folder and removed.

    Args:
        folder: A folder that `write_lock` wrote.
        say: Told what is going on.

    Returns:
        What differs: nothing when the lock brings the environment back.

    Raises:
        UsageError: The lock is missing, or pip refuses it (a hash does not match, say).
        TraceError: environment.json is damaged.
    """
    lock = folder / REQUIREMENTS
    versions = read_versions(lock)
    captured = Environment.read(folder / ENVIRONMENT)
    with tempfile.TemporaryDirectory(prefix="samebits-env-") as temporary:
        home = Path(temporary, "venv")
        say("making a virtual environment")
        venv.EnvBuilder(with_pip=True, symlinks=True).create(home)
        python = home / "bin" / "python"
        say(f"installing {len(versions)} packages")
        options = ["--require-hashes", "--no-deps", "--quiet", "--no-cache-dir"]
        done = run_pip([str(python), "-m", "pip", "install", *options, "-r", str(lock)])
        if done.returncode != 0:
            raise UsageError(
                f"the lock cannot be installed: {last_error(done.stderr)}",
                hint="It is for Python "
                f"{captured.python.get('version')} on {captured.system.get('machine')}; this is "
                f"Python {sys.version.split()[0]}.",
            )
        paths = sysconfig.get_paths(vars={"base": str(home), "platbase": str(home)})
        installed = installed_packages([paths["purelib"], paths["platlib"]])
    return mismatches(versions, captured, installed)


def mismatches(
    versions: Mapping[str, str],
    captured: Environment,
    installed: Mapping[str, Mapping[str, str | None]],
) -> list[Mismatch]:
    """Where what is installed is not what was locked.

    Args:
        versions: Name → version, of the lock.
        captured: The environment that was locked.
        installed: Name → `{version, files}`, as found.
    """
    found = []
    for name, version in versions.items():
        own = installed.get(name, {})
        if own.get("version") != version:
            found.append(
                Mismatch(package=name, locked=version, found=own.get("version"), what="version")
            )
            continue
        files = captured.packages.get(name, {}).get("files")
        if files is not None and own.get("files") not in (None, files):
            found.append(Mismatch(package=name, locked=files, found=own.get("files"), what="files"))
    return found
