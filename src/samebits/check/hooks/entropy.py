"""Entropy: what the operating system gives as chance comes from a fixed stream."""

from __future__ import annotations

import base64
import errno
import itertools
import os
import random
import secrets
import sys
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from samebits.core.interposition import FixedStream, Hook, UserLines
from samebits.core.interposition.callers import caller_module
from samebits.core.interposition.given_names import note_name
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_FIRST_TIMESTAMP = 0x1EE_A930_0000_0000
"""A moment in January 2024, in the 100 nanoseconds since 1582 that version-1 UUIDs count."""
_NODE = 0x010203040506
"""A hardware address that no network card has: its multicast bit is set."""
_NO_PROCESS = 2**22 + 1
"""A process number that Linux never gives: a signal sent there reaches nobody."""
_FIRST_PORT, _PORTS = 21_000, 11_000
"""Ports that no system gives by itself, unless it is told to: theirs begin at 32,768 or 49,152."""


class EntropyHook(Hook):
    """Gives fixed bytes for os.urandom, os.getrandom, secrets, SystemRandom, uuid1 and uuid4.

    Temporary files and folders get names from a fixed sequence, of which each run takes those that
    are free. The user's own code, libraries aside, gets a fixed number from os.getpid too. A socket
    that may have any port gets the next one of a fixed sequence; one that is still in use is passed
    over.

    What NumPy and Python's generators draw to seed themselves is left alone; that is the matter of
    the hook "seeds".

    Settings:
        seed: Chooses the stream.
        series: Chooses the names that tempfile makes, among those that the seed allows.
        names: Acts on uuid1, uuid4, os.getpid, secrets.token_hex, secrets.token_urlsafe,
            secrets.choice of a character, and the names that tempfile makes, and on nothing else:
            by these, runs, and people in what is published, are named.
        sites: Acts at these lines alone.
    """

    name: ClassVar[str] = "entropy"
    defaults: ClassVar[Mapping[str, Setting]] = {"seed": 0, "series": 0, "names": False}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._stream = FixedStream(self.settings["seed"])
        self._child = 0
        self._ports = self._port_numbers()

    def put_in_place(self) -> None:
        """Stand in for the functions; for uuid and NumPy once they are imported."""
        self._urandom: Function = os.urandom
        self._randbits = secrets.randbits
        self.replace(os, "getpid", self._getpid)
        self.when_imported("uuid", self._uuid_imported)
        self.when_imported("tempfile", self._tempfile_imported)
        if self.settings["names"]:
            self.replace(secrets, "token_hex", self._token_hex)
            self.replace(secrets, "token_urlsafe", self._token_urlsafe)
            self.replace(secrets, "choice", self._character)
            return
        self.when_imported("_socket", self._socket_imported)
        self.replace(os, "urandom", self._bytes)
        self.replace(os, "getrandom", self._bytes)
        # SystemRandom, and through it secrets, has taken the function under a name of its own.
        self.replace(random, "_urandom", self._bytes)
        self.when_imported("numpy", self._numpy_imported)

    def enter_child(self, number: int) -> None:
        """Children draw bytes of their own."""
        self._stream.enter_child(number)
        self._child += number + 1
        self._ports = self._port_numbers()

    def _bytes(self, original: Function) -> Function:
        def urandom(size: int, /, *rest: Any, **flags: Any) -> bytes:
            if size < 0:
                return bytes(original(size, *rest, **flags))  # let it complain
            self.acted += 1
            return self._stream.take("bytes", size)

        return urandom

    def _getpid(self, original: Function) -> Function:
        def getpid() -> int:
            # Libraries compare it with what the system says, and send signals to it. A line of a
            # log is written in the script's place.
            if not self._lines.are_calling() and caller_module() != "logging":
                return int(original())
            self.acted += 1
            return _NO_PROCESS + self._child

        return getpid

    def _socket_imported(self) -> None:
        import _socket

        self.replace(_socket.socket, "bind", self._bind)

    def _port_numbers(self) -> Iterator[int]:
        """Numbers of ports: each process begins elsewhere. One step each, also for threads."""
        return itertools.count(self._stream.take_number("port", 32))

    def _bind(self, original: Function) -> Function:
        def bind(*args: Any) -> None:
            if not _takes_any_port(args):
                original(*args)
                return
            self.acted += 1
            bound, (host, _, *rest) = args
            for _ in range(_PORTS):
                port = _FIRST_PORT + next(self._ports) % _PORTS
                try:
                    original(bound, (host, port, *rest))
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
                else:
                    return
            original(*args)  # none of these is free

        return bind

    def _token_hex(self, _: Function) -> Function:
        def token_hex(nbytes: int | None = None) -> str:
            return note_name(self._token(nbytes)).hex()

        return token_hex

    def _token_urlsafe(self, _: Function) -> Function:
        def token_urlsafe(nbytes: int | None = None) -> str:
            return base64.urlsafe_b64encode(self._token(nbytes)).rstrip(b"=").decode()

        return token_urlsafe

    def _character(self, original: Function) -> Function:
        def choice(seq: Any) -> Any:
            # A code or a password is made of characters; anything else may be a sample.
            if not isinstance(seq, str | bytes) or not seq:
                return original(seq)
            self.acted += 1
            return seq[int.from_bytes(self._stream.take("bytes", 8), "little") % len(seq)]

        return choice

    def _token(self, size: int | None) -> bytes:
        self.acted += 1
        return self._stream.take("bytes", secrets.DEFAULT_ENTROPY if size is None else size)

    def _tempfile_imported(self) -> None:
        import tempfile

        # What mkdtemp, mkstemp and all others ask for a name that nothing has yet.
        sequence = vars(tempfile).get("_RandomNameSequence")
        if sequence is not None:
            self.replace(sequence, "__next__", self._next_name)

    def _next_name(self, _: Function) -> Function:
        def next_name(names: Any) -> str:
            if not self._lines.are_importing_a_library():
                self.acted += 1
            # What an earlier run has left may stand in the way: that must not move later names.
            kind = "taken" if _names_were_taken() else "temporary"
            drawn = self._stream.take(f"{kind}/{self.settings['series']}", 8)
            return "".join(names.characters[byte % len(names.characters)] for byte in drawn)

        return next_name

    def _uuid_imported(self) -> None:
        import uuid

        # uuid4 asks os.urandom; uuid1 asks the clock, the network card and a generator in C.
        self.replace(uuid, "uuid1", self._uuid1)
        if self.settings["names"]:
            self.replace(uuid, "uuid4", self._uuid4)

    def _uuid4(self, original: Function) -> Function:
        def uuid4() -> Any:
            import uuid

            self.acted += 1
            return uuid.UUID(bytes=note_name(self._stream.take("bytes", 16)), version=4)

        return uuid4

    def _uuid1(self, original: Function) -> Function:
        def uuid1(node: int | None = None, clock_seq: int | None = None) -> Any:
            import uuid

            self.acted += 1
            time = _FIRST_TIMESTAMP + self.acted
            sequence = self._stream.take_number("uuid1", 14) if clock_seq is None else clock_seq
            fields = (
                time & 0xFFFFFFFF,
                time >> 32 & 0xFFFF,
                time >> 48 & 0x0FFF,
                sequence >> 8 & 0x3F,
                sequence & 0xFF,
                _NODE if node is None else node,
            )
            return uuid.UUID(fields=fields, version=1)

        return uuid1

    def _numpy_imported(self) -> None:
        from numpy.random import bit_generator

        if vars(bit_generator)["randbits"] != self._randbits:
            return  # held already

        def natural(bits: int) -> int:
            size = (bits + 7) // 8
            return int.from_bytes(self._urandom(size), "big") >> (8 * size - bits)

        self._replacements.replace(bit_generator, "randbits", lambda _: natural)


def _takes_any_port(args: tuple[Any, ...]) -> bool:
    """Whether the arguments of `bind` leave it to the system which port it gives."""
    import _socket

    if len(args) != 2 or args[0].family not in (_socket.AF_INET, _socket.AF_INET6):
        return False
    # In addresses of other families the second number is no port.
    return isinstance(args[1], tuple) and len(args[1]) > 1 and args[1][1] == 0


def _names_were_taken() -> bool:
    """Whether tempfile asks once more, since the first name was there already."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != "tempfile":
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and bool(frame.f_locals.get("seq", 0))
