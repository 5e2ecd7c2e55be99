"""Workers: every DataLoader has another number of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting


class WorkersHook(Hook):
    """Replaces `num_workers` in each DataLoader that is made, torch's or `samebits.DataLoader`.

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
        self.when_imported("samebits.training.data.loader", self._own_loader_imported)

    def _torch_imported(self) -> None:
        from torch.utils.data import DataLoader

        self.replace(DataLoader, "__init__", self._init)

    def _own_loader_imported(self) -> None:
        # It calls torch's constructor itself, and what samebits does is not the script's doing.
        # Where it has no workers it stays so: its samples are made in the recorded process then,
        # and the recording would differ by their operations though their bits agree.
        self.replace(
            sys.modules["samebits.training.data.loader"].DataLoader,
            "__init__",
            functools.partial(self._init, least=1),
        )

    def _init(self, original: Function, least: int = 0) -> Function:
        import inspect

        signature = inspect.signature(original)

        def init(*args: Any, **kwargs: Any) -> None:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                original(*args, **kwargs)  # let it complain
                return
            asked = given.arguments.get("num_workers", 0)
            if isinstance(asked, int) and not isinstance(asked, bool) and asked >= least:
                given.arguments["num_workers"] = self._count(asked)
                self.acted += 1
            original(*given.args, **given.kwargs)

        return init

    def _count(self, asked: int) -> int:
        count = int(self.settings["count"])
        if count >= 0:
            return count
        return asked + 1 if asked else 2
