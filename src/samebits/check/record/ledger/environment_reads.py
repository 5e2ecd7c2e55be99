"""Which variables of the environment the script's own lines ask for."""

from __future__ import annotations

import os
import sys
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native
from samebits.core.names import storable


def watch_environment(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch `os.environ` and `os.getenv`; a name and a digest are recorded, never a value."""
    environ: Any = os.environ
    reading = type(environ).__getitem__.__code__
    source, event = source_code("environment"), event_code("read")

    def asked(args: tuple[Any, ...], kwargs: dict[str, Any], key: Any) -> None:
        # The same function encodes the names of variables that are set.
        if sys._getframe(1).f_code is not reading or not args or not isinstance(args[0], str):
            return
        value = environ._data.get(key)
        digest = 0
        if value is not None:
            digest = _native.Ledger.digest_text(storable(os.fsdecode(value)))
        watching.native.note(source, event, storable(args[0]), digest, direct=True)

    watching.undo_with(hook_function(recorder, environ, "encodekey", CALL, asked))
