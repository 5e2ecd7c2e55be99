"""Emptying a process's output pipes without keeping more than their end."""

from __future__ import annotations

import subprocess
import threading
from typing import IO

_TAIL_BYTES = 8192
_JOIN_SECONDS = 5.0
_MOST_KEPT = 8 * 2**20


class Drain:
    """Reads a process's standard output and error until they end, in threads of its own.

    The script's printed output is recorded inside its process; what arrives here only has to go
    away, however much it is, except for the end of standard error, which explains a failure, and
    for the beginning of standard output, where other programs may have printed.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._tail = b""
        self._output = bytearray()
        self._threads = [
            threading.Thread(target=self._read, args=(stream, keep), daemon=True)
            for stream, keep in ((process.stdout, False), (process.stderr, True))
            if stream is not None
        ]
        for thread in self._threads:
            thread.start()

    def finish(self) -> str:
        """Wait for the pipes to close, and return the end of standard error."""
        for thread in self._threads:
            thread.join(_JOIN_SECONDS)
        return self._tail.decode("utf-8", "replace")

    def _read(self, stream: IO[bytes], keep: bool) -> None:
        with stream:
            while block := stream.read1(65536):  # type: ignore[attr-defined]
                if keep:
                    self._tail = (self._tail + block)[-_TAIL_BYTES:]
                else:
                    if len(self._output) <= _MOST_KEPT:
                        self._output += block

    @property
    def stdout(self) -> str | None:
        """Everything on standard output, after `finish`; None where it was too much to keep.

        Bytes that are no text stand as their numbers, so that other bytes stay other text.
        """
        if len(self._output) > _MOST_KEPT:
            return None
        return self._output.decode("utf-8", "backslashreplace")
