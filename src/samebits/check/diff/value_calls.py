"""Where calls end in a traced run, and what they gave back."""

from __future__ import annotations

import numpy as np

from samebits.check.trace import values_format as form
from samebits.check.trace.values_format import PlaceKind, ValueKind
from samebits.check.trace.values_reader import ProcessValues, Stream

_CHANGES = {PlaceKind.CALL: 1, PlaceKind.END: -1}
_EVENTS_AT_ONCE = 4096
_SAY_NOTHING = frozenset({ValueKind.UNBOUND, ValueKind.NONE, ValueKind.OBJECT, ValueKind.OPAQUE})
"""Of these a digest does not hold what was computed."""


class CallEnds:
    """The calls of one thread.

    Args:
        process: The process.
        stream: The thread's events.
    """

    def __init__(self, process: ProcessValues, stream: Stream) -> None:
        self._process = process
        self._stream = stream
        changes = np.zeros(len(process.counts), np.int64)
        for number, place in process.places.items():
            changes[number] = _CHANGES.get(place.kind, 0)
        self._depths = np.cumsum(changes[stream.places])
        self._shallowest = int(self._depths.min()) if len(self._depths) else 0

    def after(self, event: int) -> int | None:
        """The event at which the call ends that is under way when this event is over."""
        outside = int(self._depths[event]) - 1
        if outside < self._shallowest:
            return None  # no call is under way
        begin, width = event + 1, _EVENTS_AT_ONCE
        while begin < len(self._depths):
            found = np.flatnonzero(self._depths[begin : begin + width] == outside)
            if len(found):
                return begin + int(found[0])
            begin, width = begin + width, 4 * width
        return None

    def result(self, event: int) -> int | None:
        """The digest of what a call gave back that ended; None where that says nothing."""
        place = self._process.places[int(self._stream.places[event])]
        if place.kind is not PlaceKind.END:
            return None
        first = int(self._stream.first_value[event])
        value = int(self._process.values[first + len(place.mentions)])
        code = value & ((1 << form.KIND_BITS) - 1)
        return None if code in _SAY_NOTHING else value
