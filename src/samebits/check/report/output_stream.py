"""Writing to a stream whose encoding may be narrow and whose reader may leave."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

from samebits.errors import UsageError


def write_text(text: str, stream: TextIO) -> None:
    """Write text to a stream; what its encoding lacks becomes an escape, a closed pipe is quiet.

    Raises:
        UsageError: Standard output cannot be written to: its disk is full, say. Where standard
            error cannot, there is nowhere to say so.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)  # what is still in its buffer would fail once more at the end
        if stream is not sys.stderr:
            raise UsageError(
                f"cannot write to standard output: {error.strerror or error}",
                hint="Make room, or send the output elsewhere.",
            ) from error


def silence(stream: TextIO) -> None:
    """Send what is still to be written to a stream nowhere: its reader has gone away."""
    # Python flushes standard output once more at exit, and would complain.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
