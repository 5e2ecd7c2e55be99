"""SB201: the order of a set in a result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.edits import wrapping
from samebits.core.source.order import order_matters
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_MAKERS = frozenset({"builtins.set", "builtins.frozenset"})


def check(module: Module, node: ast.expr, name: str) -> Iterator[Objection]:
    if isinstance(node, ast.Set) and (
        _has_one_item(node) or all(_is_number(item) for item in node.elts)
    ):
        return
    if isinstance(node, ast.Call) and not node.args:
        return
    if _is_counted(module, node) or not order_matters(module, node, ordered=False):
        return
    comparable = isinstance(node, ast.Set) and all(_is_text(item) for item in node.elts)
    yield Objection(
        node=node,
        message="the order of this set reaches a result; for text it changes with every process",
        remedy="put sorted(...) around it, or keep a dict or a list, which keep their order",
        fix=wrapping(node, "sorted") if comparable else (),
    )


def _has_one_item(node: ast.Set) -> bool:
    return len(node.elts) == 1 and not isinstance(node.elts[0], ast.Starred)


def _is_counted(module: Module, node: ast.expr) -> bool:
    """A set of plain counters: its order depends on the numbers alone."""
    if isinstance(node, ast.Call) and node.args:
        return module.names.called(node.args[0]) == "builtins.range"
    return False


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


RULE = Rule(
    code="SB201",
    name="set-order",
    summary="The order of a set reaches a result",
    explanation="""
A set gives its items in the order of their hashes. Those of str and bytes are salted anew in each
process, those of most objects are addresses: numbering a vocabulary from a set, or training in a
set's order, gives another result each time. Membership, lengths and sorted() are fine and are not
reported; sets of plain numbers are not either.
""",
    bad="""\
words = "the cat saw the dog".split()
number_of = {word: number for number, word in enumerate(⟦set(words)⟧)}
print(number_of)
""",
    good="""\
words = "the cat saw the dog".split()
number_of = {word: number for number, word in enumerate(sorted(set(words)))}
print(number_of)
""",
    check=check,
    calls=_MAKERS,
    nodes=(ast.Set, ast.SetComp),
    fixes=True,
)
