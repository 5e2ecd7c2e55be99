"""Where an environment of Gymnasium gets its seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePath

from samebits.check.causes.culprit import Culprit
from samebits.core.names import printable
from samebits.core.source.statement import Statement

_FIRST_RESET = (
    "Gymnasium makes an environment's generator in its reset: give the first one a seed, "
    "env.reset(seed=0), and later ones none, so that episodes go on differing."
)
_BEFORE_RESET = (
    "self.np_random is used here before any reset: Gymnasium then makes it from the system's "
    "entropy, and a seed that reset is given later changes nothing of what was drawn. Draw from a "
    "generator of its own with a seed, np.random.default_rng(0), or in reset, after "
    "super().reset(seed=seed)."
)


def samples_a_space(detail: str) -> bool:
    """Whether what the ledger names is the `sample` of one of Gymnasium's spaces."""
    return detail.startswith(("gymnasium.spaces.", "gym.spaces.")) and detail.endswith(".sample")


def seeded_space(statement: Statement | None, *, in_tasks: bool = False) -> str:
    """What to write where a space is sampled that nobody has seeded.

    Args:
        statement: What stands there; None where it cannot be read.
        in_tasks: Whether processes run the line that take tasks as they come.
    """
    calls = () if statement is None else statement.expressions()
    spaces = [
        ast.unparse(call.func.value)
        for call in calls
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "sample"
    ]
    space = spaces[0] if len(spaces) == 1 else "env.action_space"
    when = (
        f"at the beginning of each task, with the task's own seed or number: {space}.seed(number)"
        if in_tasks
        else f"once, before the first draw: {space}.seed(0)"
    )
    return (
        f"Seed the space that is sampled, {when}. Each space has a generator of its own, which "
        "neither env.reset(seed=...) nor a seed of another space reaches: action_space of a vector "
        "of environments is another one than single_action_space."
    )


def seeded_environment(culprit: Culprit, statement: Statement | None) -> str:
    """What to write where an environment's own generator has no seed.

    Args:
        culprit: The line that draws from it, or that makes it.
        statement: What stands there; None where it cannot be read.
    """
    if statement is not None and _stands_in_init(statement, culprit.line):
        return _BEFORE_RESET
    kept = None if statement is None else _seed_not_passed_on(statement, culprit.line)
    if kept is None:
        return _FIRST_RESET
    place = f"{printable(PurePath(culprit.file or '').name, 80)}:{kept.lineno}"
    does = (
        f"Begin the reset at {place} with"
        if isinstance(kept, ast.FunctionDef)
        else f"Pass the seed of reset on at {place}:"
    )
    return (
        f"{does} super().reset(seed=seed). Without it Gymnasium "
        "makes the environment's generator from the system's entropy, whatever seed reset is "
        f"given. {_FIRST_RESET}"
    )


def _seed_not_passed_on(
    statement: Statement, line: int | None
) -> ast.Call | ast.FunctionDef | None:
    """The call of `super().reset()` in a reset that is given a seed and keeps it to itself.

    It is looked for in the class that the line stands in, else in those that are environments by
    name. None too where there are several: nobody knows which of them made the generator. A reset
    that calls none, and does nothing with its seed, is given itself.
    """
    found: list[ast.Call | ast.FunctionDef] = []
    for function in _methods(statement, line or 0):
        given = function.args
        names = {argument.arg for argument in (*given.args, *given.kwonlyargs)}
        if function.name != "reset" or "seed" not in names:
            continue
        used = (node.id for node in ast.walk(function) if isinstance(node, ast.Name))
        if "seed" not in used and not any(map(_resets_the_parent, ast.walk(function))):
            found.append(function)
        for node in ast.walk(function):
            if _resets_the_parent(node) and isinstance(node, ast.Call):
                passed = {keyword.arg for keyword in node.keywords}
                if not passed & {"seed", None} and not node.args:
                    found.append(node)
    return found[0] if len(found) == 1 else None


def _stands_in_init(statement: Statement, line: int | None) -> bool:
    """Whether a line draws from `np_random` while the environment is being made."""
    asks = any(
        isinstance(node, ast.Attribute) and node.attr == "np_random"
        for node in statement.expressions()
    )
    around = (
        node
        for node in _methods(statement, line or 0)
        if node.lineno <= (line or 0) <= (node.end_lineno or node.lineno)
    )
    return asks and any(node.name == "__init__" for node in around)


def _methods(statement: Statement, line: int) -> Iterator[ast.FunctionDef]:
    classes = [n for n in statement.parsed.nodes(ast.ClassDef) if isinstance(n, ast.ClassDef)]
    around = [one for one in classes if one.lineno <= line <= (one.end_lineno or one.lineno)]
    for one in around[-1:] or filter(_is_environment, classes):
        yield from (node for node in one.body if isinstance(node, ast.FunctionDef))


def _is_environment(node: ast.ClassDef) -> bool:
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    return any(base.endswith(("Env", "Wrapper")) for base in bases)


def _resets_the_parent(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "reset"
        and isinstance(node.func.value, ast.Call)
        and isinstance(node.func.value.func, ast.Name)
        and node.func.value.func.id == "super"
    )
