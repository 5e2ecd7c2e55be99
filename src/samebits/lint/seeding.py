"""Where seeds come from: the expressions that end up as the seed of a generator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, place
from samebits.core.source.generators import SEED_TAKERS, STREAM_OF
from samebits.lint.module import Module

_KEYWORDS = ("seed", "a", "x", "entropy")

CLOCKS = frozenset(
    {
        "time.time",
        "time.time_ns",
        "time.monotonic",
        "time.monotonic_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.process_time",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
    }
)
PROCESS_NUMBERS = frozenset(
    {"os.getpid", "os.getppid", "threading.get_ident", "threading.get_native_id"}
)
ENTROPY = frozenset(
    {
        "os.urandom",
        "os.getrandom",
        "uuid.uuid1",
        "uuid.uuid4",
        "secrets.randbits",
        "secrets.randbelow",
        "secrets.token_bytes",
        "secrets.token_hex",
        "secrets.choice",
        "random.SystemRandom",
    }
)


def is_seed_call(module: Module, node: ast.Call, name: str) -> bool:
    """Whether a call takes a seed: of a table's functions, or `generator.manual_seed(...)`."""
    if name in SEED_TAKERS:
        return True
    return isinstance(node.func, ast.Attribute) and node.func.attr == "manual_seed"


def seed_argument(node: ast.Call) -> ast.expr | None:
    """The seed that such a call is given; None when it is given none."""
    for keyword in _KEYWORDS:
        value = argument(node, keyword)
        if value is not None:
            return value
    return argument(node, "", 0)


def seed_sources(module: Module, node: ast.Call, name: str) -> Iterator[tuple[ast.Call, str]]:
    """The calls that a seed is computed from, with their dotted names.

    Looks through one assignment of a name, `seed = int(time.time()); torch.manual_seed(seed)`, and
    through those of an attribute, `if args.seed is None: args.seed = random.randint(0, 99)`.
    """
    if not is_seed_call(module, node, name):
        return
    seed = seed_argument(node)
    if seed is None:
        return
    expressions: list[ast.expr] = [seed]
    for part in ast.walk(seed):
        if isinstance(part, ast.Name):
            value = module.names.value(part)
            if value is not part:
                expressions.append(value)
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
            expressions += module.attribute_values.get(place(part), ())
    for expression in expressions:
        for part in ast.walk(expression):
            if isinstance(part, ast.Call):
                yield part, module.names.qualified(part.func) or ""


def drawn_seeds(module: Module, node: ast.Call, name: str) -> Iterator[tuple[ast.Call, str]]:
    """The draws from a global generator that a seed is computed from, with their dotted names."""
    return (
        (part, called) for part, called in seed_sources(module, node, name) if called in STREAM_OF
    )
