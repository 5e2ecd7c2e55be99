"""SB501: a checkpoint that forgets the generators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.checkpoints import SAVES, saved_entries
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_WORDS = ("rng", "random", "generator", "get_state")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    entries = saved_entries(module, node)
    if entries is None or any(word in entry for entry in entries for word in _WORDS):
        return
    yield Objection(
        node=node,
        message="this checkpoint holds no generator state: a resumed run draws other numbers",
        remedy='add "rng": torch.get_rng_state(), and those of NumPy, Python and CUDA if used',
    )


RULE = Rule(
    code="SB501",
    name="checkpoint-without-rng",
    summary="A checkpoint lacks the state of the generators",
    explanation="""
A run that is resumed from a checkpoint without generator states draws its dropout masks and its
shuffles from wherever the new process's seed starts: it is another run from there on. Save
torch.get_rng_state(), torch.cuda.get_rng_state_all(), numpy.random.get_state() and
random.getstate(), as far as they are used. Files that hold a model alone are not reported.
""",
    bad="""\
import torch


def save(model, optimizer, epoch):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    ⟦torch.save(state, "checkpoint.pt")⟧
""",
    good="""\
import torch


def save(model, optimizer, epoch):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    state["rng"] = torch.get_rng_state()
    torch.save(state, "checkpoint.pt")
""",
    check=check,
    calls=SAVES,
)
