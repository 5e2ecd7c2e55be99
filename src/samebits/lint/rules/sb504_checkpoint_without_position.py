"""SB504: a checkpoint that forgets how far the data was read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.checkpoints import SAVES, saved_entries
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_WORDS = ("epoch", "step", "iter", "batch", "sampler", "loader", "position", "seen", "round")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    entries = saved_entries(module, node)
    if entries is None or any(word in entry for entry in entries for word in _WORDS):
        return
    yield Objection(
        node=node,
        message="this checkpoint does not say how far the data was read: a resumed run repeats it",
        remedy='add "epoch": epoch, and the number of the batch when saving within an epoch',
    )


RULE = Rule(
    code="SB504",
    name="checkpoint-without-position",
    summary="A checkpoint lacks the position in the data",
    explanation="""
Without an epoch or a step in the checkpoint, a resumed run reads the data from the beginning again:
it trains on some of it twice, in another order than the run that was never interrupted.
""",
    bad="""\
import torch


def save(model, optimizer):
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
    }
    ⟦torch.save(state, "checkpoint.pt")⟧
""",
    good="""\
import torch


def save(model, optimizer, epoch):
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
        "epoch": epoch,
    }
    torch.save(state, "checkpoint.pt")
""",
    check=check,
    calls=SAVES,
)
