"""A tensor in shared memory that is changed while a loader's workers read it: told by the source.

What the workers read of it goes by how far each of them is, and no ledger sees memory being read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.shared_by_tasks import is_what_a_loader_gave
from samebits.core.source.statement import called, statements_in

_SHARES = "share_memory_"
_FIX = (
    "What a worker reads of this tensor goes by how far it is. Send the value along with each "
    "request, as a sampler's or a batch sampler's index can, or change the tensor only between "
    "epochs, with persistent_workers off, when no worker reads ahead."
)


def tensor_changed_under_workers(evidence: Evidence, run: Trace) -> Cause | None:
    """The line that changes a tensor which the workers of a loader can see.

    Args:
        evidence: What both runs have noted up to where they diverge.
        run: One of them, which names the script's own source files.

    Returns:
        None where no data differ, where no loader has workers, where something was drawn without a
        seed, or where no tensor in shared memory is changed.
    """
    if not is_what_a_loader_gave(evidence) or not evidence.of("worker"):
        return None
    sources = (run.manifest.script, *run.manifest.code)
    files = dict.fromkeys(str(source["path"]) for source in sources if source.get("path"))
    known = [(file, statement.node) for file in files for statement in statements_in(file)]
    shared = {name: (file, at) for file, node in known for name, at in _shared(node)}
    for file, node in known:
        name = next((name for name in _changed(node) if name in shared), None)
        if name is None:
            continue
        by, line = shared[name]
        return Cause(
            code="process-timing",
            detail=name,
            file=file,
            line=node.lineno,
            evidence=f"{name} lies in memory that processes share ({base_name(by)}:{line}), and is "
            "changed here while the loader's workers make batches ahead. The data that they gave "
            "differ, and nothing was drawn without a seed.",
            fix=_FIX,
            confidence="likely",
        )
    return None


def _shared(node: ast.stmt) -> Iterator[tuple[str, int]]:
    """Last names of what a statement puts into shared memory."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) else None
    if value is None or called(value) != _SHARES or not isinstance(value, ast.Call):
        return
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    if isinstance(node, ast.Expr) and isinstance(value.func, ast.Attribute):
        targets = [value.func.value]
    for name in map(_last_name, targets):
        if name:
            yield name, node.lineno


def _changed(node: ast.stmt) -> Iterator[str]:
    """Last names of what a statement changes in place."""
    if isinstance(node, ast.AugAssign):
        yield _last_name(node.target)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                yield _last_name(target)
            elif isinstance(target, ast.Attribute) and target.attr == "data":
                yield _last_name(target.value)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        method = node.value.func
        if isinstance(method, ast.Attribute) and _writes(method.attr):
            yield _last_name(method.value)


def _writes(method: str) -> bool:
    """Whether a method of tensors of this name works in place."""
    return method.endswith("_") and not method.startswith("_") and method != _SHARES


def _last_name(node: ast.expr) -> str:
    """Of `self.noise` and of `noise[0]` it is "noise"."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
