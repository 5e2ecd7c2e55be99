"""SB503: a checkpoint that forgets the gradient scaler."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.checkpoints import SAVES, saved_entries
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_MAKERS = frozenset({"torch.amp.GradScaler", "torch.cuda.amp.GradScaler"})


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if _MAKERS.isdisjoint(module.called_names):
        return
    entries = saved_entries(module, node)
    if entries is None or any("scaler" in entry for entry in entries):
        return
    yield Objection(
        node=node,
        message="this checkpoint lacks the gradient scaler: a resumed run starts at another scale",
        remedy='add "scaler": scaler.state_dict()',
    )


RULE = Rule(
    code="SB503",
    name="checkpoint-without-scaler",
    summary="A checkpoint lacks the gradient scaler",
    explanation="""
The scaler of mixed precision finds its scale by trial: too large a one skips steps. A resumed run
that begins at the initial scale skips other steps than the one that went on.
""",
    bad="""\
import torch


def train(model, optimizer, step):
    scaler = torch.amp.GradScaler()
    scaler.step(optimizer)
    state = {"optimizer": optimizer.state_dict(), "rng": torch.get_rng_state(), "step": step}
    ⟦torch.save(state, "checkpoint.pt")⟧
""",
    good="""\
import torch


def train(model, optimizer, step):
    scaler = torch.amp.GradScaler()
    scaler.step(optimizer)
    state = {"optimizer": optimizer.state_dict(), "rng": torch.get_rng_state(), "step": step}
    state["scaler"] = scaler.state_dict()
    torch.save(state, "checkpoint.pt")
""",
    check=check,
    calls=SAVES,
)
