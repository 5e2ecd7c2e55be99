"""Another environment."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause


class EnvironmentChanged(KnownCause):
    """The two runs were made with other libraries, processors or settings."""

    code: ClassVar[str] = "environment-changed"
    meaning: ClassVar[str] = "Another version of a library, another processor, another setting."
    look: ClassVar[str] = "Install the same versions; compare the manifests of the two run folders."
