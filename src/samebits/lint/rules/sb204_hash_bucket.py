"""SB204: hash() that assigns data to buckets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if len(node.args) != 1 or isinstance(node.args[0], ast.Constant | ast.Tuple):
        return
    function = module.tree.function_of(node)
    if function is not None and function.name == "__hash__":
        return
    current: ast.AST = node
    for ancestor in module.tree.ancestors(node):
        if isinstance(ancestor, ast.BinOp) and isinstance(ancestor.op, ast.Mod):
            if ancestor.left is not current or not module.is_numeric:
                return
            yield Objection(
                node=node,
                message="hash() assigns items to buckets; for text it differs in each process",
                remedy="use zlib.crc32(text.encode()), which depends on the text alone",
            )
            return
        if module.names.called(ancestor) != "builtins.abs":
            return
        current = ancestor


RULE = Rule(
    code="SB204",
    name="hash-bucket",
    summary="`hash()` decides which bucket or split an item falls into",
    explanation="""
`hash(name) % 10` puts the same name into another split in each process, since the hash of text is
salted when Python starts. zlib.crc32(name.encode()) % 10 is as short and depends on the name alone.
""",
    bad="""\
import torch

names = ["a", "b", "c"]
test = [name for name in names if ⟦hash(name)⟧ % 10 == 0]
""",
    good="""\
import zlib

import torch

names = ["a", "b", "c"]
test = [name for name in names if zlib.crc32(name.encode()) % 10 == 0]
""",
    check=check,
    calls=frozenset({"builtins.hash"}),
)
