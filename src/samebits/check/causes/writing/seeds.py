"""Seeds to write in place of chance: as many different ones as the line has made generators.

A line that runs once gets a number. One that runs again and again (an item of a dataset, a call of
an augmentation) would give the same numbers each time by that, so its seeds are drawn: torch's
generator is seeded in the main process by the script and in each worker of a loader by torch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.restored_states import state_put_back
from samebits.core.names import printable
from samebits.core.source.generators import GENERATOR_CONSTRUCTORS, SEED_TAKERS
from samebits.core.source.statement import (
    Statement,
    called,
    class_around,
    enclosing_function,
    enclosing_statements,
    in_a_loop,
    stored_in,
    words_of,
)

MAKES_GENERATOR = frozenset(name.rpartition(".")[2] for name in GENERATOR_CONSTRUCTORS)
_TAKES_SEED = frozenset(name.rpartition(".")[2] for name in SEED_TAKERS)
_OF_NUMPY = ("np.", "numpy.")
_SEEDING_ALL = ("random.", *_OF_NUMPY)
"""Modules whose `seed` seeds a generator that everybody shares; that of an object is its own."""
AT_START = {
    "python": "random.seed(0)",
    "numpy": "np.random.seed(0)",
    "torch-cpu": "torch.manual_seed(0)",
    "torch-cuda": "torch.manual_seed(0)",
}
"""Source of the ledger → what seeds that generator, which all of a process shares."""
TORCH_AT_START = "torch.manual_seed(0)  # at the start, before the loader is iterated over"
STAYS = "Seed with a number that stays the same in every run, such as 0."
_SEEDS_ELSEWHERE = (
    "{} seeds a generator with a number that depends on this value. Seed it with something that is "
    "the same in every run, such as a fixed number or a name from the configuration. The value "
    "itself can stay where it is only a name."
)
_SEEDS_IN_A_WORKER = (
    "{} seeds a generator of a loader's worker with a number that depends on this value. Each "
    "worker needs numbers of its own, the same ones in every run: seed it with "
    "torch.initial_seed() % 2**32, which each worker gets from torch's generator, with "
    "torch.manual_seed(0) at the start of the script. The value itself can stay where it is only a "
    "name."
)
_IS_A_SEED = re.compile(
    r"(?:\w+\.)*(?!(?:do|fix|has|is|no|set|use|with)_)(?:\w+_)?(?:seed|random_state)", re.IGNORECASE
)
_LOOKUPS = frozenset({"get", "getenv"})
"""Calls that may be made twice: they give None where nothing is found."""
_SEED_ARGUMENTS = frozenset({"a", "bit_generator", "entropy", "random_state", "seed", "x"})
"""What makers of generators call the number that they start from."""
_SMALL = frozenset({"RandomState"})
"""Those that take a number below 2³² only, as numpy.random.seed does."""
_RUN_ONCE = re.compile(r"main|setup|__init__|build\w*|make\w*|create\w*|init\w*|seed\w*|prepare\w*")
_NOT_AN_ITEM = re.compile(
    r"(?!__getitems?__|__call__|forward|\w*step|(collate|augment|transform|sample|jitter|noise)\w*).*"
)
_ONCE_A_WORKER = re.compile(r"__iter__|\w*worker\w*|init_fn|seed\w*")
_BEGINNING_ANEW = re.compile(r"_*(reset|restart|restore|rewind|replay)")
_SEED_OF_SELF = re.compile(r"self\.\w*seed")
_SEEDS_ALL = r"\bseed_everything\s*\(|\bset_seed\s*\(|\bseed_all\s*\("
_SEEDS_TORCH = re.compile(rf"\bmanual_seed\s*\(|{_SEEDS_ALL}")
_SEEDS_PYTHON = re.compile(rf"(?<!\.)\brandom\.seed\s*\(|{_SEEDS_ALL}")
_DRAWN = "torch.randint(2**63 - 1, ()).item()"
_DRAWN_SMALL = "torch.randint(2**32, ()).item()"
_SEEDS_AND_TELLS = frozenset({"torch.seed", "torch.random.seed"})
"""They seed from the system, and return the seed."""
_OF_WORKER = "torch.initial_seed()"
_OF_WORKER_SMALL = "torch.initial_seed() % 2**32"
_DRAWN_FROM_TORCH = re.compile(r"\btorch\.(randint|initial_seed)\(")
_NEEDS_SEED = "torch.manual_seed(0)  # at the start of the script, once\n"


def drawn_by_python(written: str, culprit: Culprit) -> str:
    """A draw from Python's generator, below the seed of that one where the file gives it none."""
    if _SEEDS_PYTHON.search(words_of(culprit.file)):
        return written
    return f"{AT_START['python']}  # at the start, before anything is drawn\n{written}"


def seeded_at_start(culprit: Culprit) -> str:
    """A seed for one of the generators that everybody shares, where the process begins.

    Args:
        culprit: A place whose detail is one of `AT_START`.
    """
    entry = culprit.entry
    if entry is None or entry.row.process == 0:
        return f"{AT_START[culprit.detail]}  # at the start, before anything is drawn"
    if entry.in_worker:
        return TORCH_AT_START  # torch seeds all of them in its workers, from its own
    return (
        f"Seed it where the child process begins, with a different number in each: "
        f"{AT_START[culprit.detail].replace('(0)', '(NUMBER)')}. It does not keep its parent's "
        "seed."
    )


def generator_in_worker(statement: Statement, culprit: Culprit) -> str | None:
    """As `unseeded_generator`, in a loader's worker."""
    return _seeded(statement, culprit, _Number(culprit, in_worker=True))


def unseeded_generator(statement: Statement, culprit: Culprit) -> str | None:
    """The statement with a seed for the generator that it makes or seeds without one."""
    return _seeded(statement, culprit, _Number(culprit))


def _seeded(statement: Statement, culprit: Culprit, number: _Number) -> str | None:

    def seeded(node: ast.expr) -> str | None:
        name = called(node)
        if not isinstance(node, ast.Call):
            return None
        function = statement.text_of(node.func)
        if node.args or node.keywords:
            return _default_given(node, function, number) if name in MAKES_GENERATOR else None
        meant = statement.name_of(node.func)
        if meant == "torch.Generator":
            return f"{function}().manual_seed({number.of(name)})"
        is_asked = not (isinstance(statement.node, ast.Expr) and statement.node.value is node)
        if name == "seed" and meant in _SEEDS_AND_TELLS and is_asked:
            return f"{function.removesuffix('seed')}initial_seed()"  # what was meant to be told
        if name == "seed" and not meant.startswith(_SEEDING_ALL):
            given = number.to_begin_with or number.of(name)
            return f"{function.removesuffix('seed')}manual_seed({given})"
        if name == "seed":
            return f"{function}({number.of('RandomState')})"
        return f"{function}({number.of(name)})" if name in MAKES_GENERATOR else None

    written = number.with_its_seed(statement.rewritten(seeded))
    if written is None:
        return None
    below = _where_it_is_set(statement, culprit)
    restored = state_put_back(statement, culprit)
    lines = [_zero_taken_for_none(culprit), restored, written, below]
    return "\n".join(line for line in lines if line is not None)


def _zero_taken_for_none(culprit: Culprit) -> str | None:
    """A line on the `if not seed:` that the culprit stands in: a seed of 0 gets there as well."""
    for outer in reversed(enclosing_statements(culprit.file, culprit.line)):
        test = outer.node.test if isinstance(outer.node, ast.If) else None
        if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
            continue
        name = ast.unparse(test.operand)
        inside = outer.node.body if isinstance(outer.node, ast.If) else []
        taken = any(
            one.lineno <= (culprit.line or 0) <= (one.end_lineno or one.lineno) for one in inside
        )
        if taken and _IS_A_SEED.fullmatch(name):
            return (
                f"# Line {outer.node.lineno}: a seed of 0 counts as none there. Where 0 is passed, "
                f"write `if {name} is None:`, and no more. Else:"
            )
    return None


def seeded_elsewhere_with(culprit: Culprit) -> str:
    """What to do where another line makes a seed of what the culprit's line has read."""
    in_worker = culprit.entry is not None and culprit.entry.in_worker
    return (_SEEDS_IN_A_WORKER if in_worker else _SEEDS_ELSEWHERE).format(culprit.seeds)


def given_number(statement: Statement, culprit: Culprit) -> str | None:
    """The statement with a seed that stays, in place of one that was read somewhere.

    Where other names go into the seed as well (a rank, the number of a worker), they stay in it.
    Where it was read for want of a seed, by `or`, a sentence says so: the script is to get its own.
    """
    missed = _seed_not_found(statement, culprit)
    if missed is not None:
        return missed
    number = _Number(culprit)
    node = statement.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = statement.text_of(node.targets[0])
        if target.lower().endswith("seed"):
            kept = _in_place_of_reading(statement, node.value, culprit, number)
            whole = f"{target} = {number.of('RandomState')}"
            return number.with_its_seed(kept or whole)

    def seeded(node: ast.expr) -> str | None:
        name = called(node)
        if not isinstance(node, ast.Call) or name not in _TAKES_SEED:
            return None
        if len(node.args) != 1 or isinstance(node.args[0], ast.Constant):
            return None
        meant = statement.name_of(node.func)
        kind = "RandomState" if meant.startswith(_OF_NUMPY) and name == "seed" else name
        return f"{statement.text_of(node.func)}({number.of(kind)})"

    for call in statement.expressions():
        if seeded(call) is not None and isinstance(call, ast.Call):
            kept = _in_place_of_reading(statement, call.args[0], culprit, number)
            if kept is not None:
                return number.with_its_seed(kept)
    return number.with_its_seed(statement.rewritten(seeded))


def _seed_not_found(statement: Statement, culprit: Culprit) -> str | None:
    """What to do about `seed or READ`, in which `seed` is nothing, or a 0 that was meant."""
    reads = "" if culprit.entry is None else culprit.entry.row.detail.rpartition(".")[2]
    for node in statement.expressions() if reads else ():
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.Or):
            continue
        wanted, *others = node.values
        if not isinstance(wanted, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            continue
        parts = [part for other in others for part in ast.walk(other)]
        if any(called(part) == reads or _is_of_secrets(statement, part) for part in parts):
            seed = statement.text_of(wanted)
            return (
                f"`{seed}` is empty here: no seed was passed, or it is 0, which `or` treats as "
                "none. Pass a seed; if 0 should count, test `is None` instead of using `or`."
            )
    return None


def _is_of_secrets(statement: Statement, node: ast.AST) -> bool:
    """Whether it calls a function of `secrets`; the ledger has it as a method of SystemRandom."""
    return isinstance(node, ast.Call) and statement.name_of(node.func).startswith("secrets.")


def _in_place_of_reading(
    statement: Statement, value: ast.expr, culprit: Culprit, number: _Number
) -> str | None:
    """The statement with the reading alone replaced, where the seed is made of other things too."""
    if culprit.entry is None or culprit.entry.row.source not in ("clock", "pid"):
        return None  # what the others give is no number
    reads = culprit.entry.row.detail.rpartition(".")[2]
    calls = [node for node in ast.walk(value) if reads and called(node) == reads]
    if len(calls) != 1 or not isinstance(calls[0], ast.expr):
        return None
    inside = {id(node) for node in ast.walk(calls[0])}
    functions = {
        id(part)
        for node in ast.walk(value)
        if isinstance(node, ast.Call)
        for part in ast.walk(node.func)
    }
    other = any(
        isinstance(node, ast.Name) and id(node) not in inside | functions
        for node in ast.walk(value)
    )
    if not other:
        return None
    return statement.replaced([(calls[0], number.of("RandomState"))])


def _default_given(node: ast.Call, function: str, number: _Number) -> str | None:
    """A call that makes a generator: what it got for a seed was None, or it got none at all.

    Other arguments stay, and where they tell one generator from the next (`spawn_key=(epoch, i)`),
    all of them start from one number.
    """
    given = _seed_given(node)
    others = [one for one in _arguments(node) if one[0] is not given]
    kept = ", ".join(text for _, text in others)
    alike = all(isinstance(value, ast.Constant) for value, _ in others)
    seed = number.of(called(node)) if alike else number.of_all
    if given is None:
        return f"{function}({seed}, {kept})"
    if isinstance(given, ast.Constant) and given.value is None:
        written = seed
    elif called(given) in _LOOKUPS or isinstance(given, ast.Name | ast.Attribute | ast.Subscript):
        name = ast.unparse(given)
        written = f"{seed} if {name} is None else {name}"
    else:
        return None
    return f"{function}({written}{', ' if kept else ''}{kept})"


def _arguments(node: ast.Call) -> list[tuple[ast.expr, str]]:
    """The values of a call's arguments, and how each is written."""
    by_place = [(one, ast.unparse(one)) for one in node.args]
    return [*by_place, *((one.value, ast.unparse(one)) for one in node.keywords)]


def _seed_given(node: ast.Call) -> ast.expr | None:
    """The argument that a generator starts from: the first one, or one that is called so."""
    if node.args:
        return node.args[0]
    return next((one.value for one in node.keywords if one.arg in _SEED_ARGUMENTS), None)


def _where_it_is_set(statement: Statement, culprit: Culprit) -> str | None:
    """A line on the attribute that was None for a seed; None where none is to blame for sure.

    A setting may be missing, or have another name than the one that is asked for.
    """
    for node in statement.expressions():
        if not isinstance(node, ast.Call) or called(node) not in MAKES_GENERATOR:
            continue
        seed = _seed_given(node)
        if not isinstance(seed, ast.Attribute):
            continue
        name = ast.unparse(seed)
        around = class_around(culprit.file, culprit.line)
        stores = [] if around is None else [node for node, _ in stored_in(around, name)]
        if len(stores) == 1:
            place = f"{printable(PurePath(culprit.file or '').name, 80)}:{stores[0].lineno}"
            return f"# {name} is None here: see what {place} sets it to"
    return None


class _Number:
    """What to write for a seed on a line.

    Args:
        culprit: The line.
        in_worker: Whether it runs in a loader's worker, whatever the ledger says.

    Attributes:
        to_begin_with: The attribute that holds the seed of an object, where the line stands in a
            function by which it begins anew (`reset`, `rewind`); None for any other.
    """

    def __init__(self, culprit: Culprit, *, in_worker: bool = False) -> None:
        function = enclosing_function(culprit.file, culprit.line)
        entry = culprit.entry
        self._file, self._line = culprit.file, culprit.line or 0
        self._torch_is_seeded = culprit.torch_is_seeded
        begins_anew = function is not None and _BEGINNING_ANEW.fullmatch(function) is not None
        self.to_begin_with = _seed_of_object(culprit) if begins_anew else None
        self._in_worker = in_worker or (entry is not None and entry.in_worker)
        if self._in_worker:
            self._again = function is None or not _ONCE_A_WORKER.fullmatch(function)
        elif in_a_loop(culprit.file, culprit.line) or _times(culprit) > 1:
            self._again = True
        else:
            # Runs that were ended early may have come to a line once that runs for each item.
            once = _RUN_ONCE if entry is None else _NOT_AN_ITEM
            self._again = function is not None and not once.fullmatch(function)

    @property
    def of_all(self) -> str:
        """The seed of generators that something else tells from each other."""
        if self._in_worker and not self._again:
            return _OF_WORKER
        return "0"

    def of(self, name: str) -> str:
        """The seed for a function of this name."""
        small = name in _SMALL
        if self._again:
            return _DRAWN_SMALL if small else _DRAWN
        if self._in_worker:
            return _OF_WORKER_SMALL if small else _OF_WORKER
        return "0"

    def with_its_seed(self, written: str | None) -> str | None:
        """What is written, below the seed of torch's generator where it needs one."""
        if written is None or not (self._again or self._in_worker):
            return written
        if _DRAWN_FROM_TORCH.search(written) is None:
            return written
        lines = words_of(self._file).splitlines()
        # What the line itself seeds, it seeds with the number that is being replaced.
        elsewhere = lines[: self._line - 1] + lines[self._line :]
        if self._torch_is_seeded or _SEEDS_TORCH.search("\n".join(elsewhere)):
            return written
        return f"{_NEEDS_SEED}{written}"


def _seed_of_object(culprit: Culprit) -> str | None:
    """The one attribute of the object that holds a seed, as it is written; None if it may be None.

    The line may be the very branch in which it is.
    """
    around = class_around(culprit.file, culprit.line)
    if around is None:
        return None
    stores = {
        ast.unparse(target): node
        for node in ast.walk(around)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if _SEED_OF_SELF.fullmatch(ast.unparse(target))
    }
    if len(stores) != 1:
        return None
    name, store = stores.popitem()
    asked = any(
        isinstance(node, ast.Compare | ast.BoolOp)
        and any(ast.unparse(part) == name for part in ast.walk(node) if isinstance(part, ast.expr))
        for node in ast.walk(around)
    )
    given = {node.id for node in ast.walk(store.value) if isinstance(node, ast.Name)}
    nothing = any(
        isinstance(default, ast.Constant) and default.value is None and argument.arg in given
        for argument, default in _defaults(around)
    )
    empty = isinstance(store.value, ast.Constant) and store.value.value is None
    return None if asked or nothing or empty else name


def _defaults(around: ast.ClassDef) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The arguments of a class's functions that have defaults, and these."""
    for node in ast.walk(around):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*node.args.posonlyargs, *node.args.args]
            yield from zip(reversed(given), reversed(node.args.defaults), strict=False)
            yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _times(culprit: Culprit) -> int:
    """How often a run was seen to come to the line; 0 where that was not counted."""
    entry = culprit.entry
    if entry is None:
        return 0
    return max(row.calls for row in (entry.row, entry.other) if row is not None)
