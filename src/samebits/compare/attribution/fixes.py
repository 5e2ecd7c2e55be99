"""What to write in place of the culprit: the user's own line, put right where that can be done."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable

from samebits.catalog.causes import causes
from samebits.compare.attribution.culprit import Culprit
from samebits.compare.attribution.rewriting import (
    Statement,
    called,
    imported_at,
    names_at,
    root,
    statement_at,
)
from samebits.compare.attribution.set_order import sorted_objects, sorted_sets
from samebits.trace.names import printable

_MAKES_GENERATOR = frozenset(
    {"default_rng", "RandomState", "SeedSequence", "Random", "PCG64", "PCG64DXSM", "MT19937"}
    | {"Philox", "SFC64"}
)
_TAKES_SEED = _MAKES_GENERATOR | {"seed", "manual_seed", "manual_seed_all", "seed_everything"}
_LISTS = frozenset({"listdir", "scandir", "glob", "iglob", "iterdir", "rglob"})
_ZEROS = {"empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros"}
_AT_START = {
    "python": "random.seed(0)",
    "numpy": "np.random.seed(0)",
    "torch-cpu": "torch.manual_seed(0)",
    "torch-cuda": "torch.manual_seed(0)",
}
_OF_INSTANCE = "numpy-generator"
"""A generator that somebody made: seeding the global ones at the start does not reach it."""
_WORKER_SEED = "torch.initial_seed() % 2**32"
_MODULES = {
    "np": "import numpy as np",
    "random": "import random",
    "torch": "import torch",
    "zlib": "import zlib",
}
"""Modules that something written here may need, by the names that it uses them under."""


def fix(code: str, culprit: Culprit, holds: frozenset[str]) -> str:
    """What to write: code where the line can be put right, else advice in a sentence.

    Args:
        code: The cause's code.
        culprit: The line to blame.
        holds: What had to be held still for the runs to agree.
    """
    written = _written(code, culprit, holds)
    return "\n".join([*_imports(written, culprit), written])


def _written(code: str, culprit: Culprit, holds: frozenset[str]) -> str:
    if code == "nondeterministic-op":
        return _of_operation(culprit, holds)
    statement = statement_at(culprit.file, culprit.line)
    in_worker = culprit.entry is not None and culprit.entry.in_worker
    maker = (_IN_WORKER if in_worker else {}).get(code) or _MAKERS.get(code)
    if statement is not None and maker is not None:
        written = None
        with contextlib.suppress(RecursionError):  # a thousand terms: a sentence has to do
            written = maker(statement)
        if written is not None:
            return written
    if code == "unseeded-rng" and culprit.detail in _AT_START:
        return f"{_AT_START[culprit.detail]}  # at the start, before anything is drawn"
    return _advice(code, culprit, holds, statement)


def _advice(code: str, culprit: Culprit, holds: frozenset[str], statement: Statement | None) -> str:
    """A sentence, where no line can be written."""
    if code == "unseeded-rng" and culprit.detail == _OF_INSTANCE:
        return "Give the generator a seed where it is made: np.random.default_rng(0)."
    if code == "clock" and statement is not None and _compares(statement):
        return "End after a number of steps, not after a time."
    if code in ("clock", "entropy") and culprit.seeded:
        return "Seed with a number that stays the same in every run, such as 0."
    if code == "data-changed" and "files" in holds:
        return (
            f"Run 1 wrote {_file(culprit)}, run 2 read it: remove it before each run, or write to "
            "a folder of the run's own."
        )
    return next((entry.look for entry in causes() if entry.code == code), "")


def _imports(written: str, culprit: Culprit) -> list[str]:
    """Lines that import what is written uses and the user's file does not know."""
    known = imported_at(culprit.file, culprit.line)
    tree = _tree(written)
    if known is None or tree is None:
        return []
    used = {root(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    missing = used - known - names_at(culprit.file, culprit.line)
    return [
        f"{line}  # at the top of the file" for name, line in _MODULES.items() if name in missing
    ]


def _tree(written: str) -> ast.AST | None:
    """The syntax tree of code, or of the head of a block; None of a sentence."""
    for text in (written, f"{written} pass"):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _compares(statement: Statement) -> bool:
    """Whether a line asks if something is over: what it compares decides the way, not a number."""
    return any(isinstance(node, ast.Compare) for node in statement.expressions())


def _file(culprit: Culprit) -> str:
    entry = culprit.entry
    if entry is not None and entry.row.source == "file":
        return printable(entry.row.detail, 200)
    return printable(culprit.rewritten[0], 200) if len(culprit.rewritten) == 1 else "the file"


def _of_operation(culprit: Culprit, holds: frozenset[str]) -> str:
    if "deterministic-algorithms" in holds:
        return "torch.use_deterministic_algorithms(True)  # at the start of the script"
    if "threads" in holds:
        return "torch.set_num_threads(1)  # or write the operation so that its order is fixed"
    return (
        f"Write the operation so that it adds in one order; samebits explain {culprit.detail} "
        "says what is known of it."
    )


def _generator(statement: Statement) -> str | None:
    def seeded(node: ast.expr) -> str | None:
        name = called(node)
        if not isinstance(node, ast.Call):
            return None
        function = statement.text_of(node.func)
        if node.args or node.keywords:
            return _default_given(node, function) if name in _MAKES_GENERATOR else None
        if name == "Generator" and root(node.func) == "torch":
            return f"{function}().manual_seed(0)"
        if name == "seed" and root(node.func) not in ("random", "np", "numpy"):
            return f"{function.removesuffix('seed')}manual_seed(0)"
        return f"{function}(0)" if name in _MAKES_GENERATOR | {"seed"} else None

    return statement.rewritten(seeded)


def _default_given(node: ast.Call, function: str) -> str | None:
    """A call that makes a generator from one argument, which turned out to be None."""
    if len(node.args) + len(node.keywords) != 1:
        return None
    value = node.args[0] if node.args else node.keywords[0].value
    if isinstance(value, ast.Constant) and value.value is None:
        return f"{function}(0)"
    if not isinstance(value, ast.Name | ast.Attribute):
        return None
    name = ast.unparse(value)
    return f"{function}(0 if {name} is None else {name})"


def _worker(statement: Statement) -> str | None:
    def seeded(node: ast.expr) -> str | None:
        """Torch gives each worker a seed that follows from the loader's generator."""
        name = called(node)
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return None
        function = statement.text_of(node.func)
        if name == "seed" and root(node.func) == "torch":
            return "torch.manual_seed(torch.initial_seed())"
        return f"{function}({_WORKER_SEED})" if name in _MAKES_GENERATOR | {"seed"} else None

    return statement.rewritten(seeded)


def _given_number(statement: Statement, number: str = "0") -> str | None:
    """A seed that is a number, in place of one that was read somewhere."""
    node = statement.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = statement.text_of(node.targets[0])
        if target.lower().endswith("seed"):
            return f"{target} = {number}"

    def seeded(node: ast.expr) -> str | None:
        if not isinstance(node, ast.Call) or called(node) not in _TAKES_SEED:
            return None
        if len(node.args) != 1 or isinstance(node.args[0], ast.Constant):
            return None
        return f"{statement.text_of(node.func)}({number})"

    return statement.rewritten(seeded)


def _by_name(statement: Statement) -> str | None:
    """Objects in an order of their own; an id() that became a seed is a number that is given."""
    return _given_number(statement) or sorted_objects(statement)


def _given_worker_number(statement: Statement) -> str | None:
    """The same in a loader's worker: a number would give every worker the same stream."""
    return _given_number(statement, _WORKER_SEED)


def _entropy(statement: Statement) -> str | None:
    def seeded(node: ast.expr) -> str | None:
        if isinstance(node, ast.Call) and statement.text_of(node.func) == "secrets.choice":
            arguments = ", ".join(statement.text_of(part) for part in node.args)
            return f"random.choice({arguments})"
        return None

    written = statement.rewritten(seeded)
    if written is not None:
        return f"{written}  # after random.seed(0)"
    return _given_number(statement)


def _sorted_listing(statement: Statement) -> str | None:
    # A list cannot be entered: there a sentence has to do.
    entered = {id(item.context_expr) for item in getattr(statement.node, "items", ())}

    def ordered(node: ast.expr) -> str | None:
        if called(node) not in _LISTS or id(node) in entered:
            return None
        key = ", key=lambda entry: entry.name" if called(node) == "scandir" else ""
        return f"sorted({statement.text_of(node)}{key})"

    return statement.rewritten(ordered)


def _initialised(statement: Statement) -> str | None:
    def zeroed(node: ast.expr) -> str | None:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        zeros = _ZEROS.get(node.func.attr)
        if zeros is None:
            return None
        whole, name = statement.text_of(node), statement.text_of(node.func)
        return f"{name.removesuffix(node.func.attr)}{zeros}{whole.removeprefix(name)}"

    return statement.rewritten(zeroed)


def _in_order(statement: Statement) -> str | None:
    def ordered(node: ast.expr) -> str | None:
        if called(node) == "as_completed" and isinstance(node, ast.Call) and node.args:
            return statement.text_of(node.args[0])
        if called(node) == "imap_unordered" and isinstance(node, ast.Call):
            return statement.text_of(node).replace("imap_unordered", "imap", 1)
        return None

    return statement.rewritten(ordered)


_MAKERS: dict[str, Callable[[Statement], str | None]] = {
    "unseeded-rng": _generator,
    "worker-rng": _worker,
    "hash-order": sorted_sets,
    "address-order": _by_name,
    "file-order": _sorted_listing,
    "clock": _given_number,
    "entropy": _entropy,
    "uninitialized-memory": _initialised,
    "thread-timing": _in_order,
}

_IN_WORKER: dict[str, Callable[[Statement], str | None]] = {
    "clock": _given_worker_number,
    "entropy": _given_worker_number,
}
