"""What a traced run writes about its variables: names and codes that writer and reader share.

In the folder `values/` of a run folder, three files a process; "0" is the recorded process, "0-1"
its first forked child, "0-1-2" that one's second::

    0.places     a JSON object a line: a code object and what its lines mention, or a thread
    0.events     a header of 16 bytes, then a uint32 an event, little-endian
    0.digests    a header of 16 bytes, then a uint64 a value, little-endian

A header is 8 bytes of magic and the number of bytes that follow and count; the rest is room. Both
ends import this, one of them before the script's first line: it imports nothing heavy.
"""

from __future__ import annotations

import enum
import struct

VALUES_FOLDER = "values"
MAIN_PROCESS = "0"
EVENTS = ".events"
DIGESTS = ".digests"
PLACES = ".places"

HEADER = struct.Struct("<8sQ")
EVENTS_MAGIC = b"SBEVENT1"
DIGESTS_MAGIC = b"SBDIGST2"

TAG_SHIFT = 30
STREAM_TAG = 2
MOMENT_TAG = 3
CONTENT = (1 << TAG_SHIFT) - 1
"""An event below 2³⁰ is a place. Others carry 30 bits: from here on, the thread of that number (tag
2); it is that many milliseconds on a clock that the processes of a run share (tag 3)."""

KIND_BITS = 5
DEPTH_BITS = 3
HASHES_BITS = 5
"""The lowest bits of a value: its kind, then how many of the mention's attributes were followed,
then by what its elements are hashed, flags of `Hashes`."""


class Hashes(enum.IntFlag):
    """What the order of a set goes by, as in native/python/values/element_hashes.hpp.

    Of a container it is that of its elements, of a dict of its keys, of anything else its own. None
    of them: there is nothing to hash, or too much to look at.

    Attributes:
        IDENTITY: The address: objects without a `__hash__` of their own, functions, classes.
        HASH_SEED: Strings, bytes, dates, and tuples and frozen dataclasses of them.
        VALUE: Numbers, and what is made of them.
        OWN: A `__hash__` that does not show what it goes by.
        NOT_ORDERED: Elements that `<` is not known to compare.
    """

    IDENTITY = 1
    HASH_SEED = 2
    VALUE = 4
    OWN = 8
    NOT_ORDERED = 16


class ValueKind(enum.IntEnum):
    """What kind of value it was, as in native/python/values/plain_digest.hpp."""

    UNBOUND = 0
    NONE = 1
    BOOL = 2
    INT = 3
    FLOAT = 4
    COMPLEX = 5
    STR = 6
    BYTES = 7
    LIST = 8
    TUPLE = 9
    DICT = 10
    SET = 11
    ARRAY = 12
    TENSOR = 13
    OBJECT = 14
    FUNCTION = 15
    TYPE = 16
    MODULE = 17
    PLAIN = 18
    OPAQUE = 19
    UNWRITTEN = 20
    ADDRESS_TEXT = 21


class PlaceKind(enum.IntEnum):
    """What an event at a place says has happened.

    Attributes:
        CALL: A call began. Its first value is the place of the line that called, 0 where no line of
            the program did; the arguments follow.
        LINE: A line ended, and another one begins. Its values are what the line mentions.
        END: A call ended on this line: returned, yielded or raised. The value that it gave follows
            those of the line.
    """

    CALL = 0
    LINE = 1
    END = 2
