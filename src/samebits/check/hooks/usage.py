"""Usage: what the script asks of memory, processor time and load is the same in every run."""

from __future__ import annotations

import builtins
import io
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.callers import caller_module
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_WHOLE = 2**28
_FRACTION, _ADVANCE = 10.0, 0.01

_OF_PYTHON: Mapping[str, tuple[str, ...]] = {
    "resource": ("getrusage",),
    "tracemalloc": ("get_traced_memory", "get_tracemalloc_memory"),
}
_OF_PSUTIL = (
    "cpu_freq",
    "cpu_percent",
    "cpu_stats",
    "cpu_times",
    "cpu_times_percent",
    "disk_io_counters",
    "disk_usage",
    "getloadavg",
    "net_io_counters",
    "swap_memory",
    "virtual_memory",
)
_OF_A_PROCESS = (
    "cpu_percent",
    "cpu_times",
    "io_counters",
    "memory_full_info",
    "memory_info",
    "memory_percent",
    "num_ctx_switches",
    "num_fds",
    "num_threads",
)
_FILES = re.compile(
    r"/proc/(?:meminfo|loadavg|stat|uptime|vmstat|diskstats|pressure/\w+"
    r"|(?:self|\d+)/(?:status|statm?|io|schedstat))"
)
_NUMBER = re.compile(r"\b\d+\b")
_FREE_PAGES = "SC_AVPHYS_PAGES"
_HIGHEST_PROCESS = 2**22
"""The highest number of a process on Linux. The hook "entropy" makes up higher ones."""


class UsageHook(Hook):
    """Gives made-up numbers where the user's own code asks how much of the machine is in use.

    It asks by `os.getloadavg`, `os.times`, `os.statvfs`, `os.sysconf("SC_AVPHYS_PAGES")` and
    `shutil.disk_usage`, by `resource`, `tracemalloc` and `psutil`, and by reading /proc/meminfo and
    its like. Libraries get the real numbers.
    Whole numbers are always the same; others grow at each question, so that what is spent between
    two of them is not zero.

    Settings:
        rate: How many times as large all of these are.
    """

    name: ClassVar[str] = "usage"
    defaults: ClassVar[Mapping[str, Setting]] = {"rate": 1.0}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._rate = float(self.settings["rate"])
        self._whole = int(_WHOLE * self._rate)

    def put_in_place(self) -> None:
        """Stand in for the functions; for modules once they are imported."""
        self._replace_known(os, ("getloadavg", "statvfs", "times"))
        self._replace_known(shutil, ("disk_usage",))
        self.replace(os, "sysconf", self._sysconf)
        for owner in (builtins, io):
            self.replace(owner, "open", self._open)
        self.when_imported("resource", self._resource_imported)
        self.when_imported("tracemalloc", self._tracemalloc_imported)
        self.when_imported("psutil", self._psutil_imported)

    def _resource_imported(self) -> None:
        import resource

        self._replace_known(resource, _OF_PYTHON["resource"])

    def _tracemalloc_imported(self) -> None:
        import tracemalloc

        self._replace_known(tracemalloc, _OF_PYTHON["tracemalloc"])

    def _psutil_imported(self) -> None:
        import psutil  # type: ignore[import-untyped,unused-ignore]

        self._replace_known(psutil, _OF_PSUTIL)
        self._replace_known(psutil.Process, _OF_A_PROCESS)
        self.replace(psutil.Process, "__init__", self._process)

    def _replace_known(self, owner: Any, names: Iterable[str]) -> None:
        """What there is differs from one release and system to another."""
        for name in names:
            if hasattr(owner, name):
                self.replace(owner, name, self._reading)

    def _process(self, original: Function) -> Function:
        def init(process: Any, pid: int | None = None, *rest: Any) -> None:
            made_up = isinstance(pid, int) and pid > _HIGHEST_PROCESS
            original(process, None if made_up else pid, *rest)

        return init

    def _reading(self, original: Function) -> Function:
        def reading(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            if not self._lines.are_calling():
                return found
            self.acted += 1
            return self._made_up(found)

        return reading

    def _sysconf(self, original: Function) -> Function:
        reading = self._reading(original)
        free = {_FREE_PAGES, os.sysconf_names.get(_FREE_PAGES)}
        # As many bytes as others are told of: what a script makes by it has to fit.
        bytes_of_page = os.sysconf("SC_PAGE_SIZE")

        def sysconf(name: int | str, /) -> int:
            return int(reading(name) // bytes_of_page if name in free else original(name))

        return sysconf

    def _open(self, original: Function) -> Function:
        def open_(file: Any, mode: str = "r", *how: Any, **named: Any) -> Any:
            opened = original(file, mode, *how, **named)
            of_system = isinstance(file, (str, os.PathLike)) and _FILES.fullmatch(os.fspath(file))
            # Path.read_text() asks in the user's place.
            asked = self._lines.are_calling() or caller_module().startswith("pathlib")
            if not of_system or not asked:
                return opened
            self.acted += 1
            with opened:
                content = opened.read()
            if isinstance(content, bytes):
                return io.BytesIO(_NUMBER.sub(str(self._whole), content.decode()).encode())
            return io.StringIO(_NUMBER.sub(str(self._whole), content))

        return open_

    def _made_up(self, found: Any) -> Any:
        """The same kind of answer with other numbers."""
        if isinstance(found, bool):
            return found
        if isinstance(found, int):
            return self._whole
        if isinstance(found, float):
            return (_FRACTION + _ADVANCE * self.acted) * self._rate
        if isinstance(found, dict):
            return {key: self._made_up(value) for key, value in found.items()}
        if isinstance(found, (tuple, list)):
            values = [self._made_up(value) for value in found]
            # Named tuples take their fields one by one, those of the system all at once.
            return type(found)(*values) if hasattr(found, "_fields") else type(found)(values)
        return found
