"""Programs on the PATH that are Python: `torchrun` and the like, as what they are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from samebits.errors import UsageError

_SHEBANG = b"#!"
_LONGEST = 4096


def python_program(name: str) -> Path | None:
    """The script that a command of this name runs.

    Commands beside this interpreter come first: they are of the same environment.

    Args:
        name: What a person typed, such as "torchrun".

    Returns:
        None where it is no bare name, or no such command is found.

    Raises:
        UsageError: The command is no Python script, or one of another environment.
    """
    if not name or os.sep in name or name.startswith("-"):
        return None
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        return None
    path = Path(found)
    interpreter = _interpreter(path)
    if interpreter is None:
        raise UsageError(
            f"{name} ({path}) is no Python script",
            hint="samebits runs Python: name the script that this command runs in the end",
        )
    if not _is_this_environment(path, interpreter):
        raise UsageError(
            f"{name} ({path}) belongs to another Python, {interpreter}",
            hint="install samebits there, or run the module behind the command with -m, for "
            "instance -m torch.distributed.run",
        )
    return path


def _interpreter(path: Path) -> str | None:
    """The Python interpreter that a script's first line asks for; None where it asks for none."""
    try:
        with open(path, "rb") as file:
            first, *rest = file.read(_LONGEST).split(b"\n")[:4]
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    if not first.startswith(_SHEBANG):
        return None
    words = os.fsdecode(first[len(_SHEBANG) :]).split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if words and Path(words[0]).name.startswith("python"):
        return words[0]
    # Paths that a first line cannot hold: "#!/bin/sh" and then "'''exec' /long path/python …".
    second = os.fsdecode(rest[0]) if rest else ""
    if second.startswith("'''exec'"):
        return second.removeprefix("'''exec'").strip().split('" "')[0].strip('"').split()[0]
    return None


def _is_this_environment(path: Path, interpreter: str) -> bool:
    if os.sep not in interpreter:  # "python3", found on the PATH
        interpreter = shutil.which(interpreter) or interpreter
    # A link to the interpreter stands in each virtual environment: the folder is what tells.
    same = os.path.realpath(interpreter) == os.path.realpath(sys.executable)
    folder = os.path.realpath(Path(interpreter).parent)
    return same and folder == os.path.realpath(Path(sys.executable).parent)
