"""Who starts a process, and from where in the script: read off the stack of the starter."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LOADER_WORKER = "loader-worker"
POOL_WORKER = "pool"
HELPER = "helper"

# The first that stands on the stack tells: what lies further out is more telling.
_STARTERS = (
    ("torch.utils.data.dataloader", "DataLoader", LOADER_WORKER),
    ("torch.utils.data._utils.worker", "DataLoader", LOADER_WORKER),
    ("torch._inductor", "torch.compile", HELPER),
    ("multiprocessing.resource_tracker", "multiprocessing", HELPER),
    ("multiprocessing.resource_sharer", "multiprocessing", HELPER),
    ("multiprocessing.pool", "multiprocessing.Pool", POOL_WORKER),
    ("concurrent.futures.process", "ProcessPoolExecutor", POOL_WORKER),
    ("joblib", "joblib", POOL_WORKER),
    ("torch.distributed.elastic", "torchrun", ""),
    ("torch.multiprocessing.spawn", "mp.spawn", ""),
    ("multiprocessing.forkserver", "forkserver", ""),
    ("multiprocessing.process", "multiprocessing.Process", ""),
    ("multiprocessing.managers", "multiprocessing.Manager", HELPER),
    ("asyncio", "asyncio", ""),
    ("subprocess", "subprocess", ""),
)
"""Module (or package) on the stack → what it is called, and what its processes are."""

_LIBRARIES = frozenset({"torch", "multiprocessing", "concurrent", "subprocess", "joblib"})
_TORCH = os.path.join("site-packages", "torch", "")
ONLY_ASKING = frozenset({"cc", "gcc", "ldconfig", "lscpu", "nvidia-smi", "uname"})
"""Programs that libraries start to learn about the machine."""
_SPAWNED = "multiprocessing.spawn"
SHELLS = frozenset(
    {
        *("sh", "bash", "dash", "ksh", "zsh", "env", "nice", "nohup", "setsid", "stdbuf"),
        *("taskset", "time", "timeout", "xargs", "make", "numactl"),
    }
)
"""Programs that start others, which may be Python."""
_CONTAINERS = frozenset(
    {"apptainer", "docker", "docker-compose", "enroot", "nerdctl", "podman", "singularity"}
)
_STARTING = frozenset({"exec", "run", "start", "up"})


class Origin(NamedTuple):
    """Where a process comes from.

    Attributes:
        via: What started it, such as "mp.spawn".
        role: "loader-worker", "pool", "helper", or "" for any other process.
        file: The script's file; "" where no line of the script stands on the stack.
        line: Its line.
    """

    via: str
    role: str
    file: str
    line: int


def origin(is_user: Callable[[str], bool], otherwise: str) -> Origin:
    """What the stack of this thread says of a process that is being started.

    Args:
        is_user: Tells the script's own files.
        otherwise: What it is called when no library starts it.
    """
    modules: set[str] = set()
    file, line = "", 0
    frame: Any = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        modules.add(module)
        library = is_library(module, frame.f_code.co_filename)
        if not file and not library and is_user(frame.f_code.co_filename):
            file, line = frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    for module, via, role in _STARTERS:
        if any(name == module or name.startswith(f"{module}.") for name in modules):
            return Origin(via, role, absolute_name(file), line)
    return Origin(otherwise, "", absolute_name(file), line)


def is_library(module: str, file: str) -> bool:
    """Whether code belongs to a library that starts things for whoever calls it.

    The program that `-m` runs counts as the script's own, and may be a part of torch.

    Args:
        module: The name of its module.
        file: Where it is.
    """
    return module.partition(".")[0] in _LIBRARIES or _TORCH in file


def in_loader_worker() -> bool:
    """Whether this thread works for a DataLoader, in a worker process of its own."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "torch.utils.data._utils.worker":
            return True
        frame = frame.f_back
    return False


def absolute_name(file: str) -> str:
    """A path that a change of folder leaves alone; what names no file stays what it is."""
    return file if not file or file.startswith("<") else os.path.abspath(file)


def program_name(arguments: Sequence[Any]) -> str:
    """A command without what may differ from run to run: the program, and what it runs."""
    words = [os.fsdecode(word) for word in arguments if isinstance(word, str | bytes | os.PathLike)]
    if not words:
        return ""
    name = Path(words[0]).name
    container = started_in_a_container(words)
    if container:
        return container
    if not is_python(words):
        return name
    name = "python"
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0] not in ("-c", "-m"):
        rest = rest[2:] if rest[0] in ("-W", "-X") else rest[1:]
    if not rest:
        return name
    if rest[0] == "-c":
        code = rest[1] if len(rest) > 1 else ""
        return _SPAWNED if f"{_SPAWNED} import" in code else f"{name} -c"
    if rest[0] == "-m":
        return f"{name} -m {rest[1]}" if len(rest) > 1 else name
    return f"{name} {Path(rest[0]).name}"


def is_python(words: Sequence[str]) -> bool:
    """Whether a command starts a Python interpreter."""
    name = Path(words[0]).name
    return os.path.realpath(words[0]) == os.path.realpath(sys.executable) or name.startswith(
        ("python", "pypy")
    )


def started_in_a_container(words: Sequence[str]) -> str:
    """What a command starts in a container, as "docker run"; "" for other commands.

    Args:
        words: The command. Of a shell's, and of programs that start others, all words are looked
            at.
    """
    if not words:
        return ""
    for at, word in enumerate(_words_within(words)):
        name = Path(word).name
        if name in _CONTAINERS:
            rest = _words_within(words)[at + 1 :]
            does = next((one for one in rest if one in _STARTING), "")
            return f"{name} {does}" if does else ""
    return ""


def _words_within(words: Sequence[str]) -> list[str]:
    """The words of a command that may name the program which is started in the end."""
    if Path(words[0]).name not in SHELLS:
        return [*words] if Path(words[0]).name in _CONTAINERS else []
    if "-c" not in words[1:]:
        return [*words]
    text = " ".join(words[words.index("-c") + 1 :][:1])
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # a quotation that does not end: it is for the shell to say so
        return text.split()


def leaves_environment_alone(words: Sequence[str]) -> bool:
    """Whether a Python command takes no notice of PYTHONPATH, or of what is found there."""
    for word in words[1:]:
        if not word.startswith("-") or word in ("-c", "-m"):
            return False
        if not word.startswith("--") and not {"I", "E", "S"}.isdisjoint(word):
            return word[1] not in "WX"
    return False
