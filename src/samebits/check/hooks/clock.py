"""The clock: one that goes the same way in every run, or one that shows another day."""

from __future__ import annotations

import datetime
import os
import signal
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.callers import caller_module
from samebits.core.interposition.file_times import FileTimes, asks_for_file_times
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

BEGINS_AT = 1_704_189_600.0
"""Where a pinned clock begins: 2024-01-02 10:00:00 UTC, in seconds since 1970."""

_NANO = 10**9
_MICRO = 10**6
_UNIT = 2**40
"""Parts of a second in which a pinned clock counts."""

_WAITING = frozenset(
    {
        "asyncio",
        "concurrent",
        "http",
        "multiprocessing",
        "queue",
        "sched",
        "select",
        "selectors",
        "signal",
        "socket",
        "socketserver",
        "ssl",
        "subprocess",
        "threading",
        "urllib",
    }
)
"""The standard library's modules that measure how long they wait: they get the real time, since a
wait that goes by a made-up clock would end too early or never."""

_SHOWING = frozenset({"alive_progress", "progressbar", "rich", "tqdm"})
"""Libraries that show progress: how often they ask goes by the time itself. Their clock goes on by
their questions as well, and nobody else's does, or everybody's durations would go by them."""

_FOR_OTHERS = _WAITING | {"samebits"}
"""Modules in which the main thread waits for other threads; a pinned order of theirs is ours."""
_POLL_S = 0.01
_POLLS_ALIKE = 5
"""How often in a row the main thread is seen at the same place of a module that waits, ..."""
_POLLS_IDLE = 20
"""... or without having computed anything."""
_LONGEST_HOLD_S = 20.0
"""Longer than that no thread is held: the main thread may wait in a way that does not show."""

_LEAST, _MOST = 0.25, 4.0
"""Between these parts of an advance an uneven clock goes on."""


class _Moment(NamedTuple):
    """A time, counted twice: how long something took is then the same whenever it began.

    What a float holds of an advance that is a power of two loses nothing, so that two such moments
    differ by the same bits early and late; nor does what is counted in whole microseconds. The two
    counts part, by a twentieth of what has passed at most.

    Attributes:
        units: In parts of a second as small as `_UNIT`.
        nanoseconds: Advances, each rounded to microseconds.
    """

    units: int
    nanoseconds: int

    @classmethod
    def of(cls, nanoseconds: int) -> _Moment:
        """A time that is real."""
        return cls(nanoseconds * _UNIT // _NANO, nanoseconds)

    @property
    def seconds(self) -> float:
        """As `time.time` gives it."""
        return self.units / _UNIT

    def after(self, other: _Moment) -> _Moment:
        """So much later."""
        return _Moment(self.units + other.units, self.nanoseconds + other.nanoseconds)

    def faster(self, rate: float) -> _Moment:
        """Where so many times as much passes."""
        if rate == 1.0:
            return self
        return _Moment(int(self.units * rate), int(self.nanoseconds * rate))

    def later(self, seconds: float) -> _Moment:
        """Later by a time that is cut to microseconds."""
        micros = max(round(seconds * _MICRO), 1) if seconds > 0 else 0
        return _Moment(self.units + round(seconds * _UNIT), self.nanoseconds + micros * 1000)


_NOTHING = _Moment(0, 0)
_LONG_AGO = _Moment.of(1000 * _NANO)  # what the clocks without a date start from


class ClockHook(Hook):
    """Takes the place of the functions that tell the time.

    They are those of `time`, `datetime.datetime.now`, `utcnow` and `today`, and
    `datetime.date.today`. Waits take as long as ever.

    Settings:
        mode: "fixed": time begins at `start` and goes on by `advance` at each call, and by what a
            `time.sleep` takes; each thread has a clock of its own, so that what one thread asks
            does not depend on what others do, and calls that are made to show progress move on
            nobody else's; files' times that the script asks for begin there
            too, and keep their order; timers of `signal` do not go off, and what a thread does now
            and then it does while the main thread waits. "shifted": the date and the
            time of day are `offset` later than they are, and durations are real.
        start: Seconds since 1970.
        advance: Seconds.
        rate: How many times as much of all that passes.
        uneven: Any number but 0: it goes on by more or less at each call, another way for each
            such number.
        offset: Seconds.
        sites: Acts at these lines alone.
    """

    name: ClassVar[str] = "clock"
    defaults: ClassVar[Mapping[str, Setting]] = {
        "mode": "fixed",
        "start": BEGINS_AT,
        "advance": 0.01,
        "rate": 1.0,
        "uneven": 0,
        # Another year, month, day of the week and half of the day.
        "offset": 400 * 86_400.0 + 43_200.0,
    }

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._start = _Moment.of(int(self.settings["start"] * _NANO))
        self._advance = float(self.settings["advance"])
        self._rate = float(self.settings["rate"])
        self._uneven = int(self.settings["uneven"])
        self._offset = int(self.settings["offset"] * _NANO)
        self._threads = threading.local()
        self._real_time_ns = time.time_ns
        self._file_times = FileTimes(self._start.nanoseconds)

    def put_in_place(self) -> None:
        """Stand in for the functions of `time` and the methods of `datetime`."""
        self._stand_in_for_readings("time", self._wall)
        for name in ("localtime", "gmtime", "ctime"):
            self.replace(time, name, self._of_now_if_not_given)
        self.replace(time, "asctime", self._asctime)
        self.replace(time, "strftime", self._strftime)
        # date.today() and datetime.today() ask time.time().
        self.replace(datetime.datetime, "now", self._now)
        self.replace(datetime.datetime, "utcnow", self._utcnow)
        if self.settings["mode"] == "fixed":
            for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
                self._stand_in_for_readings(name, self._lasting)
            self.replace(time, "clock_gettime", lambda _: self._clock(whole=False))
            self.replace(time, "clock_gettime_ns", lambda _: self._clock(whole=True))
            self.replace(time, "sleep", self._sleep)
            self.replace(threading.Event, "wait", self._wait)
            self.replace(signal, "setitimer", self._timer((0.0, 0.0)))
            self.replace(signal, "alarm", self._timer(0))
            for name in ("stat", "lstat", "fstat"):
                self._stand_in_for_times_of_files(name)

    def _stand_in_for_times_of_files(self, name: str) -> None:
        original = getattr(os, name)
        self.replace(os, name, self._times_of_files)
        # Modules ask by these what the function can do.
        for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if original in known:
                known.add(getattr(os, name))

    def _times_of_files(self, original: Function) -> Function:
        def stat(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            if getattr(self._threads, "asking", False):  # to tell who asks takes a look at files
                return found
            self._threads.asking = True
            try:
                asked = asks_for_file_times(self._lines.is_users)
            finally:
                self._threads.asking = False
            if not asked:
                return found
            self.acted += 1
            return self._file_times.held(found)

        return stat

    def _stand_in_for_readings(self, name: str, reading: _Reading) -> None:
        self.replace(time, name, lambda original: _as_float(original, reading))
        self.replace(time, f"{name}_ns", lambda original: _as_integer(original, reading))

    def _elapsed(self, shows: bool = False) -> _Moment:
        """What has passed since the start, one more advance at each call.

        Args:
            shows: Whether the time is asked for to show progress.
        """
        self.acted += 1
        elapsed: _Moment = getattr(self._threads, "elapsed", _NOTHING)
        if shows:
            shown = getattr(self._threads, "shown", 0) + 1
            self._threads.shown = shown
            return elapsed.later(shown * self._advance).faster(self._rate)
        self._threads.elapsed = elapsed = elapsed.later(
            self._uneven_advance() if self._uneven else self._advance
        )
        return elapsed.faster(self._rate)

    def _uneven_advance(self) -> float:
        self._threads.calls = calls = getattr(self._threads, "calls", 0) + 1
        drawn = zlib.crc32(f"{self._uneven}:{calls}".encode()) / 2**32
        return float(self._advance * _LEAST * (_MOST / _LEAST) ** drawn)

    def _wall(self, shows: bool = False) -> _Moment:
        if self.settings["mode"] == "fixed":
            return self._elapsed(shows).after(self._start)
        self.acted += 1
        return _Moment.of(self._real_time_ns() + self._offset)

    def _lasting(self, shows: bool = False) -> _Moment:
        return self._elapsed(shows).after(_LONG_AGO)

    def _clock(self, *, whole: bool) -> Function:
        with_date = {getattr(time, name, None) for name in ("CLOCK_REALTIME", "CLOCK_TAI")}

        def clock_gettime(clock: int, /) -> float | int:
            moment = self._wall() if clock in with_date else self._lasting()
            return moment.nanoseconds if whole else moment.seconds

        return clock_gettime

    def _of_now_if_not_given(self, original: Function) -> Function:
        def convert(seconds: float | None = None, /) -> Any:
            return original(self._wall().seconds if seconds is None else seconds)

        return convert

    def _asctime(self, original: Function) -> Function:
        def asctime(*moment: Any) -> Any:
            # Asked from here, time.localtime is the real one.
            return original(*(moment or (time.localtime(self._wall().seconds),)))

        return asctime

    def _strftime(self, original: Function) -> Function:
        def strftime(form: str, *moment: Any) -> Any:
            return original(form, *(moment or (time.localtime(self._wall().seconds),)))

        return strftime

    def _now(self, _: Function) -> Function:
        def now(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> Any:
            seconds, rest = divmod(self._wall().nanoseconds, _NANO)
            return cls.fromtimestamp(seconds, tz).replace(microsecond=rest // 1000)

        return now

    def _utcnow(self, original: Function) -> Function:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            original(datetime.datetime)  # newer Pythons advise against it, in words of their own

        def utcnow(cls: type[datetime.datetime]) -> Any:
            for warning in said:
                warnings.warn(str(warning.message), warning.category, stacklevel=2)
            seconds, rest = divmod(self._wall().nanoseconds, _NANO)
            moment = cls.fromtimestamp(seconds, datetime.timezone.utc)
            return moment.replace(microsecond=rest // 1000, tzinfo=None)

        return utcnow

    def _timer(self, before: object) -> Callable[[Function], Function]:
        """A timer that never goes off; setting one returns what was left of the one before."""

        def acting(_: Function) -> Function:
            def set_timer(*args: Any) -> Any:
                self.acted += 1
                return before

            return set_timer

        return acting

    def _sleep(self, original: Function) -> Function:
        def sleep(seconds: float, /) -> None:
            original(seconds)
            if _is_beside_the_main_thread():
                _hold_until_main_waits(lambda: original(_POLL_S))
            before: _Moment = getattr(self._threads, "elapsed", _NOTHING)
            # Cut to parts that a date leaves room for in a float.
            self._threads.elapsed = before.later(round(float(seconds) * 2**20) / 2**20)

        return sleep

    def _wait(self, original: Function) -> Function:
        def wait(event: threading.Event, timeout: float | None = None) -> bool:
            happened = bool(original(event, timeout))
            if happened or timeout is None or not _is_beside_the_main_thread():
                return happened
            self.acted += 1
            _hold_until_main_waits(lambda: original(event, _POLL_S))
            return event.is_set()

        return wait


_Reading = Callable[[bool], _Moment]


def _as_float(original: Function, reading: _Reading) -> Function:
    def seconds() -> float:
        library = _asking()
        return float(original()) if library in _WAITING else reading(library in _SHOWING).seconds

    return seconds


def _as_integer(original: Function, reading: _Reading) -> Function:
    def nanoseconds() -> int:
        library = _asking()
        if library in _WAITING:
            return int(original())
        return reading(library in _SHOWING).nanoseconds

    return nanoseconds


def _is_beside_the_main_thread() -> bool:
    return threading.current_thread() is not threading.main_thread()


def _hold_until_main_waits(poll: Callable[[], object]) -> None:
    """Hold a thread whose timer has gone off until the main thread waits for something, or ends.

    How far the main thread has come when a timer goes off is chance: a heartbeat would tell
    something else in every run. Where the main thread waits for others, they go on.

    Args:
        poll: Lets a moment pass; ends the hold where it returns something true.
    """
    main = threading.main_thread().ident or 0
    place, alike, spent, idle = None, 0, None, 0
    for _ in range(int(_LONGEST_HOLD_S / _POLL_S)):
        frame = sys._current_frames().get(main)
        if frame is None or not threading.main_thread().is_alive():
            return
        module = str(frame.f_globals.get("__name__") or "").partition(".")[0]
        before, place = place, (module in _FOR_OTHERS, frame.f_code, frame.f_lasti)
        alike = alike + 1 if place == before and place[0] else 0
        # In a lock of its own the main thread waits without a frame that says so.
        earlier, spent = spent, time.clock_gettime(time.pthread_getcpuclockid(main))
        idle = idle + 1 if spent == earlier else 0
        if alike >= _POLLS_ALIKE or idle >= _POLLS_IDLE or poll():
            return


def _asking() -> str:
    """The package that asks."""
    return caller_module().partition(".")[0]
