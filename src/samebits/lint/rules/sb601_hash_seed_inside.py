"""SB601: PYTHONHASHSEED set in a process that has hashed already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import is_constant
from samebits.lint.facts import HASH_VARIABLE
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

# Whoever starts another Python from here may well mean that one.
_STARTING = ("os.exec", "os.spawn", "os.posix_spawn", "subprocess.")


def check(module: Module, node: ast.Assign | ast.Call, name: str) -> Iterator[Objection]:
    if isinstance(node, ast.Call):
        if not node.args or not is_constant(node.args[0], HASH_VARIABLE):
            return
    elif not any(
        isinstance(t, ast.Subscript)
        and is_constant(t.slice, HASH_VARIABLE)
        and module.names.qualified(t.value) == "os.environ"
        for t in node.targets
    ):
        return
    if any(called.startswith(_STARTING) for called in module.called_names):
        return
    yield Objection(
        node=node,
        message="PYTHONHASHSEED has no effect here: this Python chose its hashes when it started",
        remedy="set it before Python starts, or use `samebits run`, which does",
    )


RULE = Rule(
    code="SB601",
    name="hash-seed-inside",
    summary="`PYTHONHASHSEED` is set inside the running program",
    explanation="""
Python reads PYTHONHASHSEED once, when it starts. Setting it in the program changes nothing for the
program itself: the order of its sets still differs from run to run. Set it in the shell or the
launcher; better still, depend on no hash order. Programs that start other processes are not
reported.
""",
    bad="""\
import os

⟦os.environ["PYTHONHASHSEED"] = "0"⟧
""",
    good="""\
import os

if os.environ.get("PYTHONHASHSEED") != "0":
    raise SystemExit("start me with PYTHONHASHSEED=0")
""",
    check=check,
    nodes=(ast.Assign,),
    calls=frozenset({"os.environ.setdefault", "os.putenv"}),
)
