"""Where a class puts a saved state back into a generator that it also makes without a seed."""

from __future__ import annotations

import ast

from samebits.check.causes.culprit import Culprit
from samebits.core.source.statement import Statement, class_around

_PUTTING_BACK = frozenset({"__setstate__", "set_state", "setstate"})
_STATES = ("", ".bit_generator")
"""What a state belongs to: the generator, or of NumPy what it draws its bits from."""


def state_put_back(statement: Statement, culprit: Culprit) -> str | None:
    """A line on the statement that should have given the generator the state of an earlier run.

    Args:
        statement: What makes the generator, as `self.rng = np.random.default_rng(seed)`.
        culprit: Where it stands.

    Returns:
        None where nothing in the class puts a state back.
    """
    around = class_around(culprit.file, culprit.line)
    match statement.node:
        case ast.Assign(targets=[ast.Attribute() as target]) if around is not None:
            owners = {f"{ast.unparse(target)}{part}" for part in _STATES}
        case _:
            return None
    for node in ast.walk(around):
        if isinstance(node, ast.Assign | ast.Call) and _puts_back(node, owners):
            return (
                f"# Line {node.lineno} puts a saved state into it. Where a run goes on from a "
                "checkpoint, see that it\n# comes there and finds the state: no seed does that. "
                "Else:"
            )
    return None


def _puts_back(node: ast.Assign | ast.Call, owners: set[str]) -> bool:
    match node:
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="state")]):
            return ast.unparse(owner) in owners
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _PUTTING_BACK:
            return ast.unparse(owner) in owners
    return False
