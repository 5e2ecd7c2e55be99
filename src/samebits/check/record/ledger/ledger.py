"""The ledger of one process and of the children that it forks."""

from __future__ import annotations

import os
import posix
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from samebits.check.record.ledger.alarms import watch_alarms
from samebits.check.record.ledger.drawn_words import DrawnWords
from samebits.check.record.ledger.environment_reads import watch_environment
from samebits.check.record.ledger.event_loops import watch_event_loops
from samebits.check.record.ledger.handed_over import watch_what_is_handed_over
from samebits.check.record.ledger.numpy_random import watch_numpy
from samebits.check.record.ledger.readiness import watch_readiness
from samebits.check.record.ledger.shared_files import watch_shared_files
from samebits.check.record.ledger.shared_values import watch_shared_values
from samebits.check.record.ledger.standard_library import watch_standard_library
from samebits.check.record.ledger.table_files import CHILD, table_file
from samebits.check.record.ledger.torch_random import watch_torch
from samebits.check.record.ledger.watching import Meaning, Watching
from samebits.check.record.ledger.worker_batches import watch_worker_batches
from samebits.core import _native
from samebits.core.catalog.own_names import REAL, OwnNames
from samebits.core.interposition.given_names import given_names

if TYPE_CHECKING:
    from samebits.check.record.ledger.process_table import ProcessTable

_MOST_PROCESSES = 512  # children with a file of their own


class Ledger:
    """Counts what this process draws and reads, from `start` to `stop`.

    Args:
        recorder: The process's recorder, whose sites it shares; it must know how to classify code.
        workspace: A folder for the tables, which survive the process; None keeps this process's in
            memory, and leaves forked children out.
        token: What the process is called where it is not the script's own, and was not forked.

    Attributes:
        table: The name of this process's table.
    """

    def __init__(
        self, recorder: _native.Recorder, workspace: Path | None, *, token: str = ""
    ) -> None:
        self.table = token or "0"
        self._recorder = recorder
        self._workspace = workspace
        self._native = _native.Ledger(recorder)
        self._watching = Watching(self._native)
        self._words = DrawnWords(self._native)
        self._of = token
        self._children = 0
        self._on = False
        self._hears_exit = False

    def start(self) -> bool:
        """Begin to count; false when no file can be made for it, and what is counted is lost."""
        path = "" if self._workspace is None else str(table_file(self._workspace, self.table))
        kept = self._native.start(path, 0)
        if not kept:
            self._native.start("", 0)
        watch_standard_library(self._watching)
        self._words.listen(self._watching, self._recorder)
        watch_environment(self._watching, self._recorder)
        watch_event_loops(self._watching, self._recorder)
        watch_alarms(self._watching, self._recorder)
        watch_shared_values(self._watching)
        watch_readiness(self._watching, self._recorder)
        watch_numpy(self._watching)
        self._on = True
        _Forks.told = self
        return kept

    def torch_imported(self) -> None:
        """Watch torch, too; its recorder must have been attached."""
        if self._on:
            watch_torch(self._watching)
            watch_what_is_handed_over(self._watching, self._recorder)
            watch_worker_batches(self._watching, self._recorder)
            watch_shared_files(self._watching, self._recorder)

    def before_exit(self, action: Callable[[], None]) -> None:
        """Have `action` called before this process, or a child of it, leaves by `os._exit`."""
        self._native.before_exit(action)
        if not self._hears_exit:
            self._watching.function(posix, "_exit", Meaning.EXIT, "process", "os._exit")
            self._hears_exit = True

    def stop(self) -> None:
        """Count no more and put back whatever was put in place."""
        self._on = False
        if _Forks.told is self:
            _Forks.told = None
        self._watching.end()
        self._native.stop()

    @property
    def drawn(self) -> list[str]:
        """The first bytes of uuid4, token_hex, SystemRandom and SeedSequence, in hexadecimal."""
        return [bytes_.hex() for bytes_ in self._native.drawn()]

    @property
    def words(self) -> tuple[str, ...]:
        """Words that were drawn letter by letter and without a seed, where these are few."""
        return self._words.words

    @property
    def spelt(self) -> str:
        """Letters that were drawn one at a time in the same way, one after another."""
        return self._words.spelt

    @property
    def chosen(self) -> tuple[str, ...]:
        """Words and whole numbers that were drawn without a seed, where these are few."""
        return tuple(self._native.chosen())

    def own_names(self, process: int) -> OwnNames:
        """What a process calls itself, by what it has drawn and been given so far.

        Args:
            process: Its number.
        """
        return OwnNames(
            process,
            (*self.drawn, *given_names()),
            words=self.words,
            spelt=self.spelt,
            chosen=self.chosen,
        )

    def is_duration(self, seconds: float) -> bool:
        """Whether a number is, to the last bit, the time between two of the script's readings.

        The later one must be among its latest readings of a clock.
        """
        return self._native.is_duration(seconds)

    def is_time(self, number: float) -> bool:
        """Whether a number is such a duration, what a clock was read to be, or a date's seconds.

        A duration has many digits: another number equals it by chance as good as never.
        """
        if self._native.is_reading(number):
            return True
        return bool(REAL.fullmatch(repr(number))) and self.is_duration(number)

    def own_table(self) -> ProcessTable:
        """What this process has counted, where it was kept in memory."""
        from samebits.check.record.ledger.process_table import parse_table

        return parse_table(*self._native.content())

    def forking(self) -> None:
        """Before a fork, in the parent."""
        self._children += 1

    def belongs_to(self, token: str) -> None:
        """In a forked child that is recorded: what it forks is its own.

        Args:
            token: What the process is called.
        """
        self._of, self._children = token, 0

    def enter_child(self) -> None:
        """After a fork, in the child: count on in a file of its own."""
        if not self._on:
            return
        worker = _worker_number()
        for number in range(self._children, _MOST_PROCESSES):
            # A child of a child may have the number already.
            if self._workspace is None:
                break
            self._children = number
            self.table = f"{self._of}{CHILD}{number}" if self._of else str(number)
            path = str(table_file(self._workspace, self.table))
            if self._native.continue_in(path, number, worker):
                return
            if not self._workspace.is_dir():
                break
        self.table = ""
        self._native.continue_in("", _MOST_PROCESSES, worker)


class _Forks:
    """Tells the ledger of forks: what is registered for them cannot be taken back."""

    told: ClassVar[Ledger | None] = None

    @classmethod
    def before(cls) -> None:
        if cls.told is not None:
            cls.told.forking()

    @classmethod
    def in_child(cls) -> None:
        if cls.told is not None:
            cls.told.enter_child()


os.register_at_fork(before=_Forks.before, after_in_child=_Forks.in_child)


def _worker_number() -> int:
    """The number of the DataLoader's worker that is being forked; -1 for any other process."""
    frame: Any = sys._getframe()
    while frame is not None:
        if (
            frame.f_code.co_name == "__init__"
            and frame.f_globals.get("__name__") == "torch.utils.data.dataloader"
        ):
            number = frame.f_locals.get("i")
            return number if isinstance(number, int) else -1
        frame = frame.f_back
    return -1
