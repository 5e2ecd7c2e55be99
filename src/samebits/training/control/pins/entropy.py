"""What the operating system gives as chance, fixed."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class EntropyPin(Pin):
    """os.urandom, secrets, uuid and process numbers are the same in every run."""

    name: ClassVar[str] = "entropy"
    what: ClassVar[str] = "os.urandom, secrets, uuid and os.getpid returning the same in every run"
    causes: ClassVar[tuple[str, ...]] = ("entropy",)
    hook: ClassVar[str | None] = "entropy"
    by_site: ClassVar[bool] = True
