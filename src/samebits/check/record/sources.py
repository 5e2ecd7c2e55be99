"""Telling the user's own code from everybody else's.

A line inside torch, NumPy or the standard library is never the line that a person can change; the
innermost frame outside those is.
"""

from __future__ import annotations

import contextlib
import functools
import os
import site
import sys
import sysconfig
from pathlib import Path

from samebits.check.record.working_folder import absolute, working_folder

LIBRARY = 0
USER = 1
ENGINE = 2
"""The frame that runs the autograd engine: what is called below it belongs to a backward pass."""
OWN = 3
"""samebits at its watching: what it does itself is no part of the run."""
IMPORT = 4
"""Python's import machinery, which lists folders and reads files on its own account."""

PASSED_OVER = 5
"""Passed over, as if the frame below had been called directly: samebits giving seeds in the place
of the script, or a watcher to a process that the script's line has started, and wrappers that
decorators put around a function, whose own name is the one that says something."""
_WATCHING = ("check/record", "check/trace", "core/fingerprint", "check/hooks")
"""Parts of samebits that act without having been called by the script."""
_WRAPPERS = tuple(
    os.path.join("torch", *parts)
    for parts in (("_compile.py",), ("_dynamo", "eval_frame.py"), ("utils", "_contextlib.py"))
)
_WRITTEN_BY_PROGRAMS = "<string>"
"""Where dataclasses and named tuples compile the methods that they write, and `exec` what it is
given: no line that a person could look at, so the line that called is named instead."""
_GENERATED = (
    *("<frozen", "<attrs", "<__array_function__", "<eval_with_key>", "<decorator"),
    "<timeit-src>",
)


def library_folders() -> tuple[str, ...]:
    """The folders of installed code.

    The standard library, samebits itself, this interpreter's site-packages, and what else
    `sys.path` names that an installer has filled: by `pip --target`, for another environment.
    """
    folders = {str(Path(__file__).resolve().parents[2]), str(Path(os.__file__).resolve().parent)}
    folders.update(
        sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )
    folders.update(site.getsitepackages())
    folders.add(site.getusersitepackages())
    found = {os.path.join(os.path.realpath(f), "") for f in folders}
    searched = {os.path.join(os.path.realpath(f), "") for f in sys.path if f and isinstance(f, str)}
    program = _program_folders()
    for folder in searched - found:
        # The program's own folder may hold a million files: it is not looked into.
        if not any(p.startswith(folder) for p in program) and _is_filled_by_installer(folder):
            found.add(folder)
    return tuple(sorted(found))


def _program_folders() -> tuple[str, ...]:
    """Where the program lies: packages may have been installed beside it, it stays the user's."""
    places = []
    with contextlib.suppress(OSError):  # a working folder that was removed
        places.append(working_folder())
    if sys.argv and os.path.isfile(sys.argv[0]):
        places.append(os.path.dirname(sys.argv[0]))
    return tuple(os.path.join(os.path.realpath(place), "") for place in places)


@functools.cache
def _is_filled_by_installer(folder: str) -> bool:
    """Whether a folder holds packages with the records that installers leave.

    An editable install leaves them elsewhere, so a project's own sources are not meant.
    """
    if Path(folder).name in ("site-packages", "dist-packages"):
        return True
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.endswith(".dist-info") for entry in entries)
    except OSError:
        return False


def _is_given_as_text() -> bool:
    """Whether the program itself has no file: `python -c`."""
    return sys.argv[:1] == ["-c"]


class SourceClassifier:
    """Decides for a code object's file whether it is the user's.

    Args:
        also_user: Files or folders that count as the user's although they are installed, such as
            the package that `-m` runs.
    """

    def __init__(self, also_user: tuple[str, ...] = ()) -> None:
        self._searched: tuple[str, ...] = ()
        self._libraries: tuple[str, ...] = ()
        self._folders: dict[str, str] = {}
        self._installed: dict[str, bool] = {}
        self._also_user = tuple(self._place(path) for path in also_user)
        package = Path(self._place(__file__)).parents[2]
        self._seeding = (
            os.path.join(package, "core", "interposition", ""),
            os.path.join(package, "check", "hooks", "seeds.py"),
            os.path.join(package, "check", "record", "processes", "between.py"),
            os.path.join(package, "check", "record", "processes", "messages.py"),
            os.path.join(package, "check", "record", "threads", "between.py"),
        )
        self._importing = os.path.join(package, "core", "on_import.py")
        self._own = tuple(os.path.join(package, part, "") for part in _WATCHING)
        self._known: dict[str, int] = {}

    def is_user(self, filename: str) -> bool:
        """True for the user's code, which includes code that was typed in."""
        # A thousand files of a few hundred folders are asked about when a process ends.
        return not self._is_of_a_library(filename) and self._kind(filename) == USER

    def __call__(self, filename: str, function: str) -> int:
        """One of the kinds above, as the recorder's frame walk asks once a code object."""
        if function == "_engine_run_backward" and filename.endswith(
            os.path.join("torch", "autograd", "graph.py")
        ):
            return ENGINE
        kind = self._known.get(filename)
        if kind is None:
            kind = self._known[filename] = self._kind(filename)
        return kind

    def _kind(self, filename: str) -> int:
        if filename.startswith("<"):
            if filename.startswith("<frozen importlib"):
                return IMPORT
            if filename == _WRITTEN_BY_PROGRAMS and not _is_given_as_text():
                return LIBRARY
            return LIBRARY if filename.startswith(_GENERATED) else USER
        path = self._place(filename)
        if path.startswith(self._seeding):
            return PASSED_OVER
        if path.startswith(self._own):
            return OWN
        if path == self._importing:
            return IMPORT
        if any(path == one or path.startswith(os.path.join(one, "")) for one in self._also_user):
            return USER
        self._look_for_libraries()
        if path.startswith(self._libraries):
            return PASSED_OVER if path.endswith(_WRAPPERS) else LIBRARY
        # torch.compile names its folder here as soon as it has generated code.
        generated = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        if generated and path.startswith(os.path.join(os.path.realpath(generated), "")):
            return LIBRARY
        # The prefix itself holds a virtual environment's scripts, never a person's program.
        scripts = os.path.join(os.path.realpath(sysconfig.get_path("scripts")), "")
        return LIBRARY if path.startswith(scripts) or path == sys.executable else USER

    def _is_of_a_library(self, filename: str) -> bool:
        """Whether all files of a file's folder are installed, and nothing beneath is the user's."""
        folder = os.path.dirname(filename)
        self._look_for_libraries()
        installed = self._installed.get(folder)
        if installed is None:
            place = os.path.join(os.path.dirname(self._place(filename)), "")
            kept = any(one.startswith(place) or place.startswith(one) for one in self._also_user)
            installed = folder.startswith(os.sep) and place.startswith(self._libraries) and not kept
            self._installed[folder] = installed
        return installed

    def _look_for_libraries(self) -> None:
        if self._searched != (searched := tuple(sys.path)):
            self._searched, self._libraries = searched, library_folders()
            self._installed.clear()

    def _place(self, filename: str) -> str:
        """The path of a file with no link among its folders.

        A process asks for some thousand files in a few hundred folders, and to follow links takes
        a call of the system for every part of a path: each folder is followed once. A link to a
        single file is none of a user's making where an installer makes it (uv, conda), so the file
        is where the link is.
        """
        folder, name = os.path.split(absolute(filename))
        place = self._folders.get(folder)
        if place is None:
            place = self._folders[folder] = os.path.realpath(folder)
        return os.path.join(place, name)
