"""SB108: a seed taken from hash()."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import is_constant
from samebits.core.source.generators import SEED_TAKERS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import seed_sources


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    for source, called in seed_sources(module, node, name):
        if called == "builtins.hash" and source.args and not _is_number(source.args[0]):
            yield Objection(
                node=source,
                message="hash() of text becomes a seed: it is another number in each process",
                remedy="write zlib.crc32(text.encode()), which depends on the text alone",
            )


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_is_number(item) for item in node.elts)
    return (
        isinstance(node, ast.Constant)
        and not is_constant(node, None)
        and not isinstance(node.value, str | bytes)
    )


RULE = Rule(
    code="SB108",
    name="seed-from-hash",
    summary="A seed is taken from `hash()`",
    explanation="""
Python salts the hash of str and bytes with a number of its own in each process (unless
PYTHONHASHSEED is set before it starts), so that hash("cat") differs from run to run. A digest that
depends on the text alone does what was meant: zlib.crc32, or hashlib for more bits.
""",
    bad="""\
import numpy as np

name = "fold-1"
rng = np.random.default_rng(abs(⟦hash(name)⟧))
""",
    good="""\
import zlib

import numpy as np

name = "fold-1"
rng = np.random.default_rng(zlib.crc32(name.encode()))
""",
    check=check,
    calls=SEED_TAKERS,
    methods=frozenset({"manual_seed"}),
)
