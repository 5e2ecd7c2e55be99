"""Tells the ledger of each batch that a loader's worker has made."""

from __future__ import annotations

import sys

from samebits.check.record.function_hooks import hook_function
from samebits.check.record.ledger.watching import Watching
from samebits.core import _native
from samebits.core.on_import import when_imported

_FETCH = "torch.utils.data._utils.fetch"
_KIND = 7  # of hooks, as in native/python/call_hook.hpp


def watch_worker_batches(watching: Watching, recorder: _native.Recorder) -> None:
    """Listen to the fetching of samples by their numbers, in this process and its children.

    Streams are left out: workers of a stream may all draw the same order, to take turns in it.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """

    def listen() -> None:
        fetcher = getattr(sys.modules[_FETCH], "_MapDatasetFetcher", None)
        if fetcher is not None and "fetch" in vars(fetcher):
            watching.undo_with(hook_function(recorder, fetcher, "fetch", _KIND))

    when_imported(_FETCH, listen)
