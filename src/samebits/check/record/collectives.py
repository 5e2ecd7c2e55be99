"""Which group a collective is of, and which of that group's collectives it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


class Collectives:
    """Numbers the groups of one table, and counts the collectives of each group.

    Counted are those whose result is to be the same on all ranks: every rank of a group takes part
    in each of them, in the same order. torch's own numbers count messages between two ranks, too.

    Args:
        begun: Of each group, how many were begun in this process; shared by its threads.
        counts: False where recording begins in the midst of a run, which each rank may reach after
            another number of collectives.
    """

    def __init__(self, begun: dict[str, int], *, counts: bool = True) -> None:
        self._begun = begun
        self._counts = counts
        self._codes: dict[str, int] = {}
        self._fresh: list[str] = []

    def number(self, args: Sequence[Any]) -> tuple[int, int] | None:
        """The number of a collective's group, and its own number in that group, both from 0.

        Args:
            args: The operation's arguments, one of which says the group.

        Returns:
            None where the group is not known.
        """
        name = _group_of(args) if self._counts else None
        if name is None:
            return None
        sequence = self._begun.get(name, 0)
        self._begun[name] = sequence + 1
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self._codes)
            self._fresh.append(name)
        return code, sequence

    def take_fresh(self) -> list[str]:
        """Groups that were numbered since the last call, in the order of their numbers."""
        fresh, self._fresh = self._fresh, []
        return fresh


def _group_of(args: Sequence[Any]) -> str | None:
    """A group's name and its ranks, "0:0,1"; None where torch does not say.

    torch counts groups in the order in which they are made, which is the same on all ranks.
    """
    c10d: Any = sys.modules.get("torch.distributed.distributed_c10d")
    try:
        given = next(one for one in reversed(args) if isinstance(one, str) or _is_group(one))
        find = c10d._resolve_process_group if isinstance(given, str) else c10d.ProcessGroup.unbox
        group = find(given)
        ranks = c10d.get_process_group_ranks(group)
        return f"{group.group_name}:{','.join(map(str, ranks))}"
    except Exception:
        return None


def _is_group(given: Any) -> bool:
    """Whether an argument is a group, as operations are given one."""
    return type(given).__name__ == "ScriptObject" and "ProcessGroup" in str(given._type())
