"""Workers: every DataLoader has another number of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from samebits.control.interposition import Hook
from samebits.control.interposition.hook import Function
from samebits.control.surroundings import Setting


class Workers(Hook):
    """Replaces `num_workers` in each `torch.utils.data.DataLoader` that is made.

    Settings:
        count: The number of workers; below 0 for one more than the script asks for, and 2 where
            it asks for none.
        sites: Acts at these lines alone.
    """

    name: ClassVar[str] = "workers"
    defaults: ClassVar[Mapping[str, Setting]] = {"count": -1}

    def put_in_place(self) -> None:
        """Stand in for the constructor once torch is imported."""
        self.when_imported("torch", self._torch_imported)

    def _torch_imported(self) -> None:
        from torch.utils.data import DataLoader

        self.replace(DataLoader, "__init__", self._init)

    def _init(self, original: Function) -> Function:
        import inspect

        signature = inspect.signature(original)

        def init(*args: Any, **kwargs: Any) -> None:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                original(*args, **kwargs)  # let it complain
                return
            asked = given.arguments.get("num_workers", 0)
            if isinstance(asked, int) and not isinstance(asked, bool) and asked >= 0:
                given.arguments["num_workers"] = self._count(asked)
                self.acted += 1
            original(*given.args, **given.kwargs)

        return init

    def _count(self, asked: int) -> int:
        count = int(self.settings["count"])
        if count >= 0:
            return count
        return asked + 1 if asked else 2
