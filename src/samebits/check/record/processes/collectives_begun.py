"""How many collectives this process has begun in the group of all ranks."""

from __future__ import annotations

import sys
from typing import Any


def collectives_begun() -> int | None:
    """Their number, those of `DistributedDataParallel` included; None outside of a group.

    The number is the one that torch gives to the latest, for its own messages. That it can be asked
    for is not documented: where it cannot, none is told.
    """
    distributed: Any = sys.modules.get("torch.distributed.distributed_c10d")
    try:
        group = distributed.GroupMember.WORLD
        return None if group is None else int(group._get_sequence_number_for_group())
    except Exception:
        return None
