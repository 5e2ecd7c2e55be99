"""A collective that gave another result although every rank gave it the same."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.core.source.statement import Statement

ON_CUDA = "cuda"
"""What `Culprit.detail` ends with where the collective ran on GPUs."""
# A reduction of samebits' own, in a fixed order, is to be named first here once there is one.
_NCCL = (
    "Start every rank with NCCL_ALGO=Ring NCCL_PROTO=Simple, which fixes the algorithm and the "
    "protocol that NCCL otherwise chooses for each size and topology. NVLS, which adds in the "
    "NVLink switch, may add in another order at each call; NCCL_ALGO=^NVLS leaves it out, and so "
    "does torch.use_deterministic_algorithms(True) where NCCL_ALGO is not set. Give each rank the "
    "same GPU in every run: rings and trees follow the hardware. NVIDIA advises against NCCL_PROTO "
    "but for finding faults: drop it where runs agree without."
)
_GLOO = (
    "gloo itself adds in the order of the ranks' numbers, the same in every run. Look for what "
    "touches the tensor while the transfer is under way: after async_op=True, isend or irecv, wait "
    "for each handle before its tensor is read or written. A reduction of one's own, in a "
    "communication hook or with send and recv, has to add in the order of the ranks' numbers."
)


class CollectiveOrder(KnownCause):
    """Sums over ranks come in an order that is not the same each time."""

    code: ClassVar[str] = "collective-order"
    meaning: ClassVar[str] = (
        "A collective, such as all_reduce, gave another result although all ranks gave it the "
        "same: it added in another order, or its tensor was touched while it was under way."
    )
    look: ClassVar[str] = (
        "On GPUs, start every rank with NCCL_ALGO=Ring and NCCL_PROTO=Simple, and give each rank "
        "the same GPU in every run. Anywhere, wait for an asynchronous collective before its "
        "tensor is read or written."
    )

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What fixes the order, for the backend of the tensor's device."""
        return _NCCL if culprit.detail.endswith(ON_CUDA) else _GLOO
