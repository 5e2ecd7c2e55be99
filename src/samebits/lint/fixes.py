"""Rewrites that several rules share; each takes and gives a LibCST node.

LibCST is imported only here and in `rewriting`, and only when something is to be rewritten.
"""

from __future__ import annotations

from typing import Any


def sort(node: Any) -> Any:
    """`x` becomes `sorted(x)`."""
    import libcst as cst

    bare = node.with_changes(lpar=(), rpar=())
    call = cst.Call(func=cst.Name("sorted"), args=[cst.Arg(bare)])
    return call.with_changes(lpar=node.lpar, rpar=node.rpar)


def assign_false(node: Any) -> Any:
    """`x = True` becomes `x = False`."""
    import libcst as cst

    return node.with_changes(value=cst.Name("False"))


def set_keyword(name: str, value: str) -> Any:
    """A rewrite that gives a call's keyword another value: f(a, k=1) becomes f(a, k=VALUE)."""

    def rewrite(node: Any) -> Any:
        import libcst as cst

        expression = cst.parse_expression(value)
        return node.with_changes(
            args=[
                arg.with_changes(value=expression)
                if arg.keyword is not None and arg.keyword.value == name
                else arg
                for arg in node.args
            ]
        )

    return rewrite


def first_argument(value: str) -> Any:
    """A rewrite that replaces a call's first argument."""

    def rewrite(node: Any) -> Any:
        import libcst as cst

        first, *others = node.args
        return node.with_changes(
            args=[first.with_changes(value=cst.parse_expression(value)), *others]
        )

    return rewrite
