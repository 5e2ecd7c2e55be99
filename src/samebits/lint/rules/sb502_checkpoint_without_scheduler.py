"""SB502: a checkpoint that forgets the learning-rate scheduler."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.checkpoints import SAVES, saved_entries
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_MAKERS = ("torch.optim.lr_scheduler.", "transformers.get_")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if not any(called.startswith(_MAKERS) for called in module.called_names):
        return
    entries = saved_entries(module, node)
    if entries is None or any("sched" in entry for entry in entries):
        return
    yield Objection(
        node=node,
        message="this checkpoint lacks the scheduler: a resumed run starts its schedule anew",
        remedy='add "scheduler": scheduler.state_dict()',
    )


RULE = Rule(
    code="SB502",
    name="checkpoint-without-scheduler",
    summary="A checkpoint lacks the learning-rate scheduler",
    explanation="""
The scheduler counts steps. Without its state a resumed run warms up again, or decays later than
the one that was never interrupted. Only files that make a scheduler are reported.
""",
    bad="""\
import torch


def train(model, optimizer, steps):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for step in range(steps):
        optimizer.step()
        scheduler.step()
    state = {"optimizer": optimizer.state_dict(), "rng": torch.get_rng_state(), "step": steps}
    ⟦torch.save(state, "checkpoint.pt")⟧
""",
    good="""\
import torch


def train(model, optimizer, steps):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for step in range(steps):
        optimizer.step()
        scheduler.step()
    state = {"optimizer": optimizer.state_dict(), "rng": torch.get_rng_state(), "step": steps}
    state["scheduler"] = scheduler.state_dict()
    torch.save(state, "checkpoint.pt")
""",
    check=check,
    calls=SAVES,
)
