"""The native tracer beside a recording: which code it follows, threads, children, the limit."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from samebits.check.record.sources import SourceClassifier
from samebits.check.record.values.mentions import mentions_of
from samebits.check.record.values.plain_values import KNOWN, OPAQUE, OWN, is_known, plain_value
from samebits.check.trace.values_format import DIGESTS, EVENTS, MAIN_PROCESS, PLACES, VALUES_FOLDER
from samebits.core import _native
from samebits.core.on_import import when_imported, while_imported


class ValuesTrace:
    """Writes what the variables of the program hold, line by line, into the run folder.

    Args:
        folder: The run folder.
        classify: Tells the program's own code.
        native: The process's recorder, which knows tensors.
        limit: Events (lines, calls and their ends) that a process writes at most.
    """

    def __init__(
        self, folder: str, classify: SourceClassifier, native: _native.Recorder, limit: int
    ) -> None:
        self._folder = Path(folder, VALUES_FOLDER)
        self._classify = classify
        self._native = native
        self._limit = limit
        self._tracer = _native.ValueTracer()
        self._process = MAIN_PROCESS
        self._children = 0
        self._streams = 0
        self._places = -1
        self._known = 0
        self._stopped_early = False
        self._generated: set[CodeType] = set()
        self._follow_imports_again: Callable[[], None] = lambda: None

    def start(self) -> bool:
        """Trace this thread from here on, and every thread that `threading` starts.

        Returns:
            False when the files cannot be made (an old trace, no room).
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._places = self._open_places()
        os.register_at_fork(
            before=self._forks, after_in_parent=self._forked, after_in_child=self._in_child
        )
        when_imported("threading", self._watch_threads)
        self._follow_imports_again = while_imported(self._around_import)
        return self._tracer.start(
            recorder=self._native,
            describe=self._describe,
            kind_of_module=self._kind_of_module,
            known=plain_value,
            stopped=self._reached_limit,
            events=str(self._file(EVENTS)),
            digests=str(self._file(DIGESTS)),
            most_events=self._limit,
        )

    def stop(self) -> list[str]:
        """End it, and say what is missing from it.

        Returns:
            Notes for the manifest.
        """
        notes = []
        if self._stopped_early:
            notes.append(
                f"values were traced for the first {self._tracer.events:,} lines and calls only"
            )
        elif sys.gettrace() is not None:
            notes.append("values were traced until the script set a trace function of its own")
        self._tracer.stop()
        self._follow_imports_again()
        return notes

    def _around_import(self, spec: ModuleSpec) -> AbstractContextManager[None] | None:
        """What a library's module is imported within; its lines may be a million (torch's are)."""
        if not spec.has_location or spec.origin is None or self._classify.is_user(spec.origin):
            return None
        return self._paused()

    @contextmanager
    def _paused(self) -> Iterator[None]:
        """Follow nothing on this thread."""
        paused = self._tracer.pause()
        try:
            yield
        finally:
            if paused and sys.gettrace() is None:
                self._tracer.go_on()

    def _file(self, ending: str) -> Path:
        return self._folder / f"{self._process}{ending}"

    def _open_places(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        return os.open(self._file(PLACES), flags, 0o644)

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._places, json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def _describe(self, code: CodeType) -> tuple[Any, ...] | None:
        """What the tracer must know of a code object; called once for each."""
        if not self._classify.is_user(code.co_filename):
            return None
        if code.co_filename.startswith("<") and self._is_generated(code, sys._getframe(1)):
            return None
        found = mentions_of(code)
        first = self._tracer.reserve_places(1 + 2 * len(found.lines))
        self._write(
            {
                "first": first,
                "file": code.co_filename,
                "function": getattr(code, "co_qualname", code.co_name),
                "line": code.co_firstlineno,
                "arguments": [mention.text for mention in found.arguments],
                "lines": [
                    [line, [mention.text for mention in mentions]] for line, mentions in found.lines
                ],
            }
        )
        return first, *found

    def _is_generated(self, code: CodeType, frame: FrameType) -> bool:
        """Whether a library made it from a string: methods of dataclasses, of named tuples."""
        if code in self._generated or not self._is_users(frame.f_globals):
            return True
        caller = frame.f_back
        if code.co_name != "<module>" or caller is None:
            return False
        if self._classify.is_user(caller.f_code.co_filename):
            return False
        self._generated.update(_code_within(code))
        return True

    def _is_users(self, module: dict[str, Any]) -> bool:
        file = module.get("__file__")
        if isinstance(file, str):
            return self._classify.is_user(file)
        return not str(module.get("__name__")).startswith("namedtuple_")

    def _kind_of_module(self, name: str) -> int:
        """How objects are looked at whose class a module of this name defines."""
        if is_known(name):
            return KNOWN
        if name in ("__main__", "__mp_main__"):
            return OWN
        file = getattr(sys.modules.get(name), "__file__", None)
        return OWN if isinstance(file, str) and self._classify.is_user(file) else OPAQUE

    def _reached_limit(self) -> None:
        self._stopped_early = True

    def _watch_threads(self) -> None:
        import threading

        threading.settrace(self._thread_began)

    def _thread_began(self, frame: FrameType, event: str, argument: Any) -> None:
        """Python's trace function of a new thread: hands it over to the tracer at once."""
        import threading

        if not self._tracer.running:
            sys.settrace(None)
            return
        self._streams += 1
        number = self._streams
        self._write({"stream": number, "name": threading.current_thread().name})
        self._tracer.trace_this_thread(number)

    def _forks(self) -> None:
        # By the time the child reads them, the parent may have written more.
        self._known = os.fstat(self._places).st_size

    def _forked(self) -> None:
        self._children += 1

    def _in_child(self) -> None:
        """Go on in files of the child's own, which know all places that its parent knew."""
        known = self._file(PLACES).read_bytes()[: self._known]
        os.close(self._places)
        self._process = f"{self._process}-{self._children + 1}"
        self._children = self._streams = 0
        self._places = self._open_places()
        os.write(self._places, known)
        self._tracer.follow_fork(str(self._file(EVENTS)), str(self._file(DIGESTS)))


def _code_within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _code_within(constant)
