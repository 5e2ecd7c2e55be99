"""What one process besides the script's own notes of itself: print, files, and whether it computes.

It listens and changes nothing: no generator is drawn from, nothing is imported that is slow, and
where the journal cannot be written the process goes on without.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samebits.check.record.processes.journal import Journal
from samebits.check.record.processes.origin import in_loader_worker

if TYPE_CHECKING:
    from samebits.check.record.processes.saved_values import SavedValues

PRINTED_CHARACTERS = 1 << 18
"""Of what a process prints no more is kept."""
_WRITING = frozenset("wax+")
_MOST_FILES = 2000
_OF_PYTHON = (".pyc", ".pyo")
_WRITERS = (
    ("torch.serialization", "_open_zipfile_writer"),
    ("safetensors.torch", "serialize_file"),
    ("safetensors.numpy", "serialize_file"),
)
"""Functions that are given the name of a file that code in C++ or Rust then opens."""
_NO_CONTENT = ("/dev/", "/proc/", "/sys/")


class Watcher:
    """Notes what this process does in its journal.

    Args:
        journal: This process's own.
        stdout: Device and file number of the run's standard output: what a process prints
            elsewhere is read by somebody else.
        record: Called once torch is imported: records the process, and tells whether each of its
            operations is recorded from there on.
        saved: Called with the path of each file that is written without Python hearing of it.
        values: Gives what is to be told of files that are written and renamed; None before torch.
    """

    def __init__(
        self,
        journal: Journal,
        stdout: tuple[int, int] | None,
        record: Callable[[], bool],
        saved: Callable[[str], None] | None = None,
        values: Callable[[], SavedValues | None] = lambda: None,
    ) -> None:
        self._saved = saved
        self._values = values
        self._journal = journal
        self._record = record
        self._stdout = stdout
        self._process = os.getpid()
        self._for_loader: bool | None = None
        self._printed = 0
        self._files: set[str] = set()
        self._waits_for_torch = False

    def begin(self) -> None:
        """Listen to output, files and torch from here on."""
        self._journal.note("python", str(self._process), os.environ.get("RANK", ""))
        self._listen_to_output()
        sys.addaudithook(self._heard)
        if "torch" in sys.modules:
            self._torch_imported()

    @property
    def _here(self) -> bool:
        return os.getpid() == self._process

    def _note(self, event: str, *fields: str) -> None:
        if self._for_loader is None:
            # A fork server's children do not say by their origin what they are for.
            self._for_loader = in_loader_worker()
            if self._for_loader:
                self._journal.note("worker")
        if not self._for_loader:
            self._journal.note(event, *fields)

    def _listen_to_output(self) -> None:
        stream: Any = sys.stdout
        if stream is None or not hasattr(stream, "__dict__") or not self._is_of_run(stream):
            return
        original: Callable[[str], int] = stream.write

        def write(text: str) -> int:
            result = original(text)
            if self._here:
                self._wrote(text)
            return result

        stream.write = write

    def _is_of_run(self, stream: Any) -> bool:
        try:
            found = os.fstat(stream.fileno())
        except (OSError, ValueError, AttributeError):
            return False
        return (found.st_dev, found.st_ino) == self._stdout

    def _wrote(self, text: object) -> None:
        if not isinstance(text, str) or not text or self._printed > PRINTED_CHARACTERS:
            return
        self._printed += len(text)
        if self._printed > PRINTED_CHARACTERS:
            self._note("out-full")
        else:
            self._note("out", text)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            if self._here:
                with contextlib.suppress(Exception):
                    self._opened(*args)
        elif event == "os.rename":
            if self._here:
                with contextlib.suppress(Exception):
                    names = [os.path.abspath(os.fsdecode(path)) for path in args[:2]]
                    if (values := self._values()) is not None:
                        values.renamed(*names)
                    if not names[1].endswith(_OF_PYTHON):
                        self._note("rename", *names)
        elif event == "import" and args[0] == "torch" and self._here:
            self._wait_for_torch()

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str):
            return
        writes = flags & (os.O_WRONLY | os.O_RDWR) if mode is None else set(mode) & _WRITING
        if not writes:
            return
        if (values := self._values()) is not None:
            values.written(os.path.abspath(path))
        if len(self._files) >= _MOST_FILES:
            return
        appends = "a" in mode if mode is not None else bool(flags & os.O_APPEND)
        self._writes(path, appends=bool(appends))

    def _writes(self, path: str, *, appends: bool = False) -> None:
        path = os.path.abspath(path)
        if path in self._files or path.startswith(_NO_CONTENT) or ".pyc." in path:
            return
        if path.endswith(_OF_PYTHON) or Path(path).is_dir():  # a file without a name, in a folder
            return
        self._files.add(path)
        begin = os.path.getsize(path) if appends and os.path.isfile(path) else 0
        self._note("write", str(begin), path)

    def _wait_for_torch(self) -> None:
        if self._waits_for_torch:
            return
        # Imported now: most processes never come here, and it takes as long as their start.
        self._waits_for_torch = True
        from samebits.core.on_import import when_imported

        when_imported("torch", self._torch_imported)

    def _torch_imported(self) -> None:
        if not self._here:
            return
        # One note, once all is in place: a worker may be ended at any moment before its first work.
        told = "torch"
        with contextlib.suppress(Exception):
            if not self._record():
                from samebits.check.record.processes.first_operation import FirstOperation

                FirstOperation(lambda: self._note("computed")).__enter__()  # type: ignore[no-untyped-call]
            told = "listening"
        self._note(told)
        from samebits.core.on_import import when_imported

        for module, writer in _WRITERS:
            when_imported(module, functools.partial(self._listen_to_writer, module, writer))

    def _listen_to_writer(self, module: str, name: str) -> None:
        """Hear of files that are opened outside Python, which tells nobody of them."""
        original = getattr(sys.modules[module], name, None)
        if original is None:
            return

        @functools.wraps(original)
        def writer(*args: Any, **kwargs: Any) -> Any:
            if self._here:
                for given in (*args, *kwargs.values()):
                    if isinstance(given, str | os.PathLike):
                        with contextlib.suppress(Exception):
                            if self._saved is not None:
                                self._saved(os.fspath(given))
                            self._writes(os.fspath(given))
            return original(*args, **kwargs)

        setattr(sys.modules[module], name, writer)
