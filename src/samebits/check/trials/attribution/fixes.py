"""What to write in place of the culprit: the user's own line, put right where that can be done."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable

from samebits.check.trials.attribution.culprit import Culprit
from samebits.check.trials.attribution.seeding import (
    generator_in_worker,
    given_number,
    unseeded_generator,
)
from samebits.check.trials.attribution.set_order import kept_in_order, sorted_sets
from samebits.core.catalog.causes import causes
from samebits.core.names import printable
from samebits.core.source.elements import Elements
from samebits.core.source.expressions import place
from samebits.core.source.statement import (
    Statement,
    called,
    imported_at,
    names_at,
    root,
    statement_at,
)

_LISTS = frozenset({"listdir", "scandir", "glob", "iglob", "iterdir", "rglob"})
_ITERATORS = frozenset({"scandir", "iglob", "iterdir", "rglob", "glob"})
_ZEROS = {"empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros"}
_AT_START = {
    "python": "random.seed(0)",
    "numpy": "np.random.seed(0)",
    "torch-cpu": "torch.manual_seed(0)",
    "torch-cuda": "torch.manual_seed(0)",
}
_TORCH_AT_START = "torch.manual_seed(0)  # at the start, before the loader is iterated over"
_OF_INSTANCE = "numpy-generator"
"""A generator that somebody made: seeding the global ones at the start does not reach it."""
_MODULES = {
    "np": "import numpy as np",
    "random": "import random",
    "torch": "import torch",
    "zlib": "import zlib",
}
"""Modules that something written here may need, by the names that it uses them under."""


def fix(code: str, culprit: Culprit, pins: frozenset[str]) -> str:
    """What to write: code where the line can be put right, else advice in a sentence.

    Args:
        code: The cause's code.
        culprit: The line to blame.
        pins: What had to be pinned for the runs to agree.
    """
    written = _written(code, culprit, pins)
    return "\n".join([*_imports(written, culprit), written])


def _written(code: str, culprit: Culprit, pins: frozenset[str]) -> str:
    if code == "nondeterministic-op":
        return _of_operation(culprit, pins)
    statement = statement_at(culprit.file, culprit.line)
    maker = _MAKERS.get(code)
    if statement is not None and maker is not None:
        written = None
        with contextlib.suppress(RecursionError):  # a thousand terms: a sentence has to do
            written = maker(statement, culprit)
        if written is not None:
            return written
    if code in ("unseeded-rng", "worker-rng") and culprit.detail in _AT_START:
        return _seeded_at_start(culprit)
    return _advice(code, culprit, pins, statement)


def _seeded_at_start(culprit: Culprit) -> str:
    """A seed for one of the generators that everybody shares, where the process begins."""
    entry = culprit.entry
    if entry is None or entry.row.process == 0:
        return f"{_AT_START[culprit.detail]}  # at the start, before anything is drawn"
    if entry.in_worker:
        return _TORCH_AT_START  # torch seeds all of them in its workers, from its own
    return (
        f"Seed it where the child process begins, with a different number in each: "
        f"{_AT_START[culprit.detail].replace('(0)', '(NUMBER)')}. It does not keep its parent's "
        "seed."
    )


def _advice(code: str, culprit: Culprit, pins: frozenset[str], statement: Statement | None) -> str:
    """A sentence, where no line can be written."""
    if code == "unseeded-rng" and culprit.detail == _OF_INSTANCE:
        maker = "" if culprit.entry is None else printable(culprit.entry.row.detail, 80)
        if maker and not maker.startswith(("numpy.", "random.")):
            return (
                f"{maker} makes a generator where it was given none: seed the object that it "
                "belongs to, once, where that is made (by an argument seed, rng or random_state, "
                "or by its method seed), and not at each draw."
            )
        return "Give the generator a seed where it is made: np.random.default_rng(0)."
    if code == "clock" and statement is not None and _compares(statement):
        return "Stop after a number of steps, not after a time."
    if code == "clock" and not culprit.seeded and culprit.detail.startswith("datetime"):
        return (
            "Use a fixed date, or one that the data contain, such as their newest, instead of the "
            "current time."
        )
    if code in ("clock", "entropy") and culprit.seeded:
        return "Seed with a number that stays the same in every run, such as 0."
    if code == "data-changed" and "files" in pins:
        return (
            f"Run 1 wrote {_file(culprit)}, run 2 read it: remove it before each run, or write to "
            "a folder of the run's own."
        )
    if code == "thread-timing" and statement is not None and _starts(statement):
        return _NOTHING_SHARED
    return next((entry.look for entry in causes() if entry.code == code), "")


_STARTING = frozenset({"start", "start_new_thread", "spawn"})
_NOTHING_SHARED = (
    "Do not let what is started here change anything that others read meanwhile, such as a shared "
    "model, a buffer or a generator: give each its own copy, and renew the copies and combine the "
    "results at fixed points, in a fixed order, while none of them runs."
)


def _starts(statement: Statement) -> bool:
    return any(called(node) in _STARTING for node in statement.expressions())


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


def _of_operation(culprit: Culprit, pins: frozenset[str]) -> str:
    if "deterministic-algorithms" in pins:
        return "torch.use_deterministic_algorithms(True)  # at the start of the script"
    if "threads" in pins:
        return "torch.set_num_threads(1)  # or write the operation so that its order is fixed"
    return (
        f"Write the operation so that it adds in a fixed order; samebits explain {culprit.detail} "
        "says what is known about it."
    )


def _in_set_order(statement: Statement, culprit: Culprit) -> str | None:
    walked = culprit.walked
    if walked is not None and walked.goes_by == "identity":
        return kept_in_order(statement)
    return sorted_sets(statement, comparable=None if walked is None else walked.ordered)


def _in_own_order(statement: Statement, culprit: Culprit) -> str | None:
    """Objects in an order of their own; an id() that became a seed is a number that is given."""
    return given_number(statement, culprit) or kept_in_order(statement)


def _entropy(statement: Statement, culprit: Culprit) -> str | None:
    def seeded(node: ast.expr) -> str | None:
        if isinstance(node, ast.Call) and statement.name_of(node.func) == "secrets.choice":
            arguments = ", ".join(statement.text_of(part) for part in node.args)
            return f"random.choice({arguments})"
        return None

    written = statement.rewritten(seeded)
    if written is None:
        return given_number(statement, culprit)
    if culprit.entry is not None and culprit.entry.in_worker:
        return f"{_TORCH_AT_START}\n{written}"  # torch seeds Python's generator in its workers
    return f"{written}  # after random.seed(0)"


def _sorted_listing(statement: Statement, culprit: Culprit) -> str | None:
    node = statement.node
    if isinstance(node, ast.For) and called(node.iter) == "walk":
        return _sorted_walk(statement, node)
    # A list cannot be entered: there a sentence has to do.
    entered = {id(item.context_expr) for item in getattr(node, "items", ())}
    stepped, named = statement.parsed.stepped_through
    if isinstance(node, ast.Assign) and called(node.value) in _ITERATORS:
        stepped |= {node.value for target in node.targets if place(target) in named}

    def ordered(node: ast.expr) -> str | None:
        if called(node) not in _LISTS or id(node) in entered:
            return None
        key = ", key=lambda entry: entry.name" if called(node) == "scandir" else ""
        text = f"sorted({statement.text_of(node)}{key})"
        return f"iter({text})" if node in stepped else text

    return statement.rewritten(ordered)


def _sorted_walk(statement: Statement, node: ast.For) -> str | None:
    """The head of a loop over os.walk, which goes by the order that its lists are put in."""
    target = node.target
    if not isinstance(target, ast.Tuple) or len(target.elts) != 3:
        return None
    if not all(isinstance(part, ast.Name) for part in target.elts):
        return None
    head = statement.replaced([])
    _, folders, files = (statement.text_of(part) for part in target.elts)
    return f"{head}\n    {folders}.sort()\n    {files}.sort()"


def _initialised(statement: Statement, culprit: Culprit) -> str | None:
    weights = {
        id(call.args[0])
        for call in statement.expressions()
        if isinstance(call, ast.Call) and called(call) == "Parameter" and call.args
    }

    def filled(node: ast.expr) -> str | None:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        zeros = _ZEROS.get(node.func.attr)
        if zeros is None:
            return None
        whole, name = statement.text_of(node), statement.text_of(node.func)
        if id(node) in weights and not _has_one_dimension(node):
            return f"torch.nn.init.normal_({whole}, std=0.02)"  # weights of zero may learn nothing
        has_format = any(keyword.arg == "memory_format" for keyword in node.keywords)
        if has_format and zeros != "zeros_like":
            return f"{whole}.zero_()"  # torch.zeros takes no such argument
        return f"{name.removesuffix(node.func.attr)}{zeros}{whole.removeprefix(name)}"

    return statement.rewritten(filled)


def _has_one_dimension(node: ast.Call) -> bool:
    sizes = node.args
    if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    return len(sizes) == 1 and not isinstance(sizes[0], ast.Starred)


def _in_order(statement: Statement, culprit: Culprit) -> str | None:
    def ordered(node: ast.expr) -> str | None:
        if called(node) == "as_completed" and isinstance(node, ast.Call) and node.args:
            return _in_the_order_asked(statement, node.args[0])
        if called(node) == "imap_unordered" and isinstance(node, ast.Call):
            return statement.text_of(node).replace("imap_unordered", "imap", 1)
        return None

    return statement.rewritten(ordered)


def _in_the_order_asked(statement: Statement, futures: ast.expr) -> str | None:
    """What pins the futures, in the order in which they were made; None where that is lost."""
    text = statement.text_of(futures)
    if isinstance(futures, ast.SetComp | ast.Set):
        return f"[{text[1:-1]}]"  # futures in a set lie in the order of their addresses
    if isinstance(futures, ast.GeneratorExp):
        # All are asked for before one is waited for.
        return f"[{text.removeprefix('(').removesuffix(')')}]"
    return None if Elements(statement.source).is_set(futures) else text


_MAKERS: dict[str, Callable[[Statement, Culprit], str | None]] = {
    "unseeded-rng": unseeded_generator,
    "worker-rng": generator_in_worker,
    "hash-order": _in_set_order,
    "address-order": _in_own_order,
    "file-order": _sorted_listing,
    "clock": given_number,
    "entropy": _entropy,
    "uninitialized-memory": _initialised,
    "thread-timing": _in_order,
}
