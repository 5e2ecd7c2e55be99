"""What to write in place of the culprit: the user's own line, put right where that can be done."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable

from samebits.catalog.causes import causes
from samebits.compare.attribution.culprit import Culprit

_GENERATORS = {
    "default_rng": "{call}(0)",
    "RandomState": "{call}(0)",
    "SeedSequence": "{call}(0)",
    "Random": "{call}(0)",
    "PCG64": "{call}(0)",
    "PCG64DXSM": "{call}(0)",
    "MT19937": "{call}(0)",
    "Philox": "{call}(0)",
    "SFC64": "{call}(0)",
    "seed": "{call}(0)",
}
_ORDERED = ("list", "tuple", "enumerate", "iter", "array", "tensor", "join", "fromkeys", "dict")
_LISTINGS = ("listdir", "scandir", "glob", "iglob", "iterdir", "rglob")
_EMPTY = {
    "empty": "zeros",
    "empty_like": "zeros_like",
    "new_empty": "new_zeros",
}
_AT_START = {
    "python": "random.seed(0)",
    "numpy": "np.random.seed(0)",
    "numpy-generator": "rng = np.random.default_rng(0)",
    "torch-cpu": "torch.manual_seed(0)",
    "torch-cuda": "torch.manual_seed(0)",
    "torch-generator": "generator.manual_seed(0)",
}


def fix(code: str, culprit: Culprit, holds: frozenset[str]) -> str:
    """What to write: code where the line can be put right, else advice in a sentence.

    Args:
        code: The cause's code.
        culprit: The line to blame.
        holds: What had to be held still for the runs to agree.
    """
    maker = _MAKERS.get(code)
    written = maker(culprit) if maker is not None else None
    if written is not None:
        return written
    if code == "nondeterministic-op" and "deterministic-algorithms" in holds:
        return "torch.use_deterministic_algorithms(True)  # before the first operation"
    return next((entry.look for entry in causes() if entry.code == code), "")


def statement(culprit: Culprit) -> ast.stmt | None:
    """The innermost statement that covers the culprit's line; None when it cannot be read."""
    if culprit.file is None or culprit.line is None:
        return None
    linecache.checkcache(culprit.file)
    try:
        tree = ast.parse("".join(linecache.getlines(culprit.file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    best: ast.stmt | None = None
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        covers = node.lineno <= culprit.line <= (node.end_lineno or node.lineno)
        if covers and (best is None or node.lineno >= best.lineno):
            best = node
    return best


def _generator(culprit: Culprit) -> str | None:
    def seeded(call: ast.Call) -> ast.expr | None:
        name = _called(call)
        if name == "Generator" and not call.args and _root(call) == "torch":
            return _parsed(f"{ast.unparse(call)}.manual_seed(0)")
        if name not in _GENERATORS or call.args or call.keywords:
            return None
        if name == "seed" and _is_method_of_torch_generator(call):
            return _parsed(f"{ast.unparse(call.func).removesuffix('seed')}manual_seed(0)")
        return _parsed(_GENERATORS[name].format(call=ast.unparse(call.func)))

    rewritten = _rewritten(culprit, seeded)
    if rewritten is not None:
        return rewritten
    source = culprit.detail
    if source not in _AT_START or source in ("numpy-generator", "torch-generator"):
        return None
    return f"{_AT_START[source]}  # at the start of the script, before anything is drawn"


def _worker(culprit: Culprit) -> str | None:
    rewritten = _rewritten(culprit, _seeded_by_worker)
    if rewritten is not None:
        return f"{rewritten}  # import torch"
    return None


def _seeded_by_worker(call: ast.Call) -> ast.expr | None:
    """Inside a worker: torch gives each one a seed that follows from the loader's generator."""
    name = _called(call)
    if name not in _GENERATORS or call.args or call.keywords:
        return None
    seed = "torch.initial_seed() % 2**32"
    if name == "seed" and _root(call) == "torch":
        return _parsed("torch.manual_seed(torch.initial_seed())")
    return _parsed(f"{ast.unparse(call.func)}({seed})")


def _sorted_iteration(culprit: Culprit) -> str | None:
    node = statement(culprit)
    if isinstance(node, ast.For):
        return f"for {ast.unparse(node.target)} in sorted({ast.unparse(node.iter)}):"

    def ordered(call: ast.Call) -> ast.expr | None:
        if _called(call) not in _ORDERED or len(call.args) != 1:
            return None
        inner = call.args[0]
        if isinstance(inner, ast.ListComp | ast.GeneratorExp | ast.List | ast.Constant):
            return None
        made = ast.unparse(inner)
        if _called(call) == "list":
            return _parsed(f"sorted({made})")
        return _parsed(f"{ast.unparse(call.func)}(sorted({made}))")

    return _rewritten(culprit, ordered, comprehensions=True)


def _sorted_listing(culprit: Culprit) -> str | None:
    def ordered(call: ast.Call) -> ast.expr | None:
        if _called(call) not in _LISTINGS:
            return None
        key = ", key=lambda entry: entry.name" if _called(call) == "scandir" else ""
        return _parsed(f"sorted({ast.unparse(call)}{key})")

    return _rewritten(culprit, ordered)


def _initialised(culprit: Culprit) -> str | None:
    def zeroed(call: ast.Call) -> ast.expr | None:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in _EMPTY:
            name = f"{ast.unparse(function.value)}.{_EMPTY[function.attr]}"
            rest = ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
            return _parsed(f"{name}({rest})")
        return None

    return _rewritten(culprit, zeroed)


_MAKERS: dict[str, Callable[[Culprit], str | None]] = {
    "unseeded-rng": _generator,
    "worker-rng": _worker,
    "hash-order": _sorted_iteration,
    "file-order": _sorted_listing,
    "uninitialized-memory": _initialised,
}


def _rewritten(
    culprit: Culprit,
    replace: Callable[[ast.Call], ast.expr | None],
    *,
    comprehensions: bool = False,
) -> str | None:
    """The statement with the first call replaced for which there is something better."""
    node = statement(culprit)
    if node is None or (culprit.line is not None and _is_block(node)):
        return None
    rewriter = _Rewriter(replace, comprehensions=comprehensions)
    rewriter.visit(node)
    if not rewriter.done:
        return None
    return ast.unparse(ast.fix_missing_locations(node))


def _is_block(node: ast.stmt) -> bool:
    return bool(getattr(node, "body", None))


class _Rewriter(ast.NodeTransformer):
    def __init__(
        self, replace: Callable[[ast.Call], ast.expr | None], *, comprehensions: bool
    ) -> None:
        self.replace = replace
        self.comprehensions = comprehensions
        self.done = False

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not self.done:
            better = self.replace(node)
            if better is not None:
                self.done = True
                return better
        self.generic_visit(node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        if (
            self.comprehensions
            and not self.done
            and isinstance(node.iter, ast.Name | ast.Attribute)
        ):
            self.done = True
            node.iter = _parsed(f"sorted({ast.unparse(node.iter)})")
            return node
        self.generic_visit(node)
        return node


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _root(call: ast.Call) -> str:
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_method_of_torch_generator(call: ast.Call) -> bool:
    return _root(call) not in ("random", "np", "numpy")


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
