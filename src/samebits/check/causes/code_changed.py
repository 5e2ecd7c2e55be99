"""Another version of the code."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause


class CodeChanged(KnownCause):
    """The two runs are of two programs."""

    code: ClassVar[str] = "code-changed"
    meaning: ClassVar[str] = "The two runs ran different versions of the code."
    look: ClassVar[str] = "Compare runs of one version; the note above the cause names the files."
