"""Entries of a manifest's `processes`, as the recorder writes them."""

from __future__ import annotations

from typing import Any

from samebits.check.record.processes.summary import ProcessFacts


def process_entry(name: str, *, rank: int | str = "", **facts: Any) -> dict[str, Any]:
    """A process that torchrun started, that computed, was recorded and ended well.

    Args:
        name: What the manifest calls it: "0.1".
        rank: Its rank; "" for none.
        **facts: What is otherwise, as the manifest has it.
    """
    usual = ProcessFacts(
        token=name,
        via="torchrun",
        program="python train.py",
        kind="python",
        watched=True,
        rank=str(rank),
        torch="computed",
        recorded=True,
        status=0,
    )
    return {**usual.to_json(), **facts}
