"""Watching a run: the recorder, source sites, what a step did, and the launcher.

Called as `samebits.record(...)`, the package is the context manager of `samebits.record.block`.
"""

from __future__ import annotations

from samebits.callable_package import make_callable

make_callable(__name__, "samebits.record.block", "record")
