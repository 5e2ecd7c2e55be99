"""A random generator that was not seeded, or was seeded too late."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.writing.environments import (
    samples_a_space,
    seeded_environment,
    seeded_space,
)
from samebits.check.causes.writing.only_printed import prints
from samebits.check.causes.writing.seeds import AT_START, seeded_at_start, unseeded_generator
from samebits.check.diff.ledger_pairs import OF_AN_INSTANCE, LedgerPair
from samebits.check.trace.codes import Flag
from samebits.core.names import printable
from samebits.core.source.statement import Statement

_OF_INSTANCE = "numpy-generator"
"""A generator that somebody made: seeding the global ones at the start does not reach it."""

_ENVIRONMENTS = ("gymnasium.core.Env", "gym.core.Env")
"""What makes the generator of an environment that was reset without a seed."""

_OF_ITS_OWN = {
    "python": "own = random.Random()",
    "numpy": "own = np.random.default_rng()",
    "torch-cpu": "own = torch.Generator(); own.seed()",
}
"""A generator beside the shared one, with a seed from the system."""


_MADE = {"numpy.random.default_rng": "np.random.default_rng"}
_WITH_A_SEED = (
    "Give the generator a seed where it is made: {made}(0). Where several processes run this line, "
    "let each have a seed of its own, such as its index or rank."
)
_ELSEWHERE_AN_INSTANCE = (
    "Give the generator that is drawn from here a seed where it is made. Where several processes "
    "make one, let each have a seed of its own, such as its index or rank."
)
_IN_A_PROCESS = {
    "python": "A seed of the process that started it counts for nothing there: Python seeds this "
    "generator anew in every fork, and a spawned process inherits none."
}
_IN_ANY_PROCESS = (
    "A spawned process inherits no seed; forks inherit the state that the generator had, all of "
    "them the same one."
)


def _noted(statement: Statement) -> Iterator[ast.expr]:
    """What a statement puts into text, under a key of a dict, or prints: it seeds nothing."""
    for node in statement.expressions():
        match node:
            case ast.Dict(values=values):
                yield from values
            case ast.FormattedValue(value=value):
                yield value
    match statement.node:
        case ast.Expr(value=ast.Call(args=given)) if prints(statement.node):
            yield from given


class SeedsPin(Pin):
    """Every generator starts from a fixed number, also one that the script gives no seed."""

    name: ClassVar[str] = "seeds"
    what: ClassVar[str] = "every random generator seeded, including those created without a seed"
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "seeds"
    by_site: ClassVar[bool] = True
    by_run: ClassVar[bool] = True


class Seeding(KnownCause):
    """A generator drew different numbers: what its two causes have in common."""

    def detail(self, hypothesis: Hypothesis, culprit: Culprit) -> str:
        """The generator."""
        return culprit.detail or hypothesis.detail

    def seen(self, culprit: Culprit) -> str:
        """What the operation draws from."""
        return f"{culprit.operation} draws from torch's generator"

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """A seed at the start, for one of the generators that everybody shares."""
        return seeded_at_start(culprit) if culprit.detail in AT_START else self.look


_SEEDING_AND_TELLING = frozenset({"torch.seed", "torch.random.seed"})
"""What takes a seed from the system and tells it, where the seed in use may have been meant."""


class UnseededRng(Seeding):
    """A generator of the script's own process, or of a process that it started."""

    code: ClassVar[str] = "unseeded-rng"
    meaning: ClassVar[str] = (
        "An unseeded random generator, or one that was seeded too late, drew different numbers."
    )
    look: ClassVar[str] = (
        "Call samebits.seed_everything(0) at the start of the script, before anything is built or "
        "shuffled."
    )
    look_elsewhere: ClassVar[str] = (
        "Seed Python's, NumPy's and torch's generators in what that process runs, for instance "
        "with samebits.seed_everything(0, rank=rank), so that each process draws numbers of its "
        "own. A spawned process inherits no seed. A fork inherits NumPy's and torch's generators, "
        "in the same state as all other forks; Python's is seeded anew in it."
    )
    pins: ClassVar[tuple[Pin, ...]] = (SeedsPin(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Always possible; likelier the more of what was drawn had no seed."""
        if evidence.is_elsewhere:
            yield Hypothesis(pin="seeds", code=self.code, standing=Standing.NOTED)
        elif not is_of_workers(evidence) and not is_of_a_rank(evidence):
            standing, entries = unseeded_in(evidence)
            yield Hypothesis(pin="seeds", code=self.code, standing=standing, entries=entries)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """The generator with a seed; where the line has taken one back, what tells that seed."""
        if not culprit.seeded_before:
            return unseeded_generator(statement, culprit)

        noted = {id(node) for node in _noted(statement)}

        def told(node: ast.expr) -> str | None:
            match node:
                case ast.Call(func=ast.Attribute(value=module), args=[], keywords=[]) if (
                    id(node) in noted and statement.name_of(node.func) in _SEEDING_AND_TELLING
                ):
                    return f"{statement.text_of(module)}.initial_seed()"
            return None

        return statement.rewritten(told)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """Where to seed a generator that somebody made."""
        if culprit.seeded_before:
            own = _OF_ITS_OWN.get(culprit.detail, "a generator of its own")
            return (
                f"Leave this seed from the system out: it takes back the one of "
                f"{culprit.seeded_before}, for all that draws later. What is to differ in each "
                f"run, such as a name, can be drawn from another generator: {own}."
            )
        if culprit.detail != _OF_INSTANCE:
            return super().advice(culprit, pinned, statement)
        maker = "" if culprit.entry is None else printable(culprit.entry.row.detail, 80)
        if samples_a_space(maker):
            return seeded_space(statement)
        if maker.startswith(_ENVIRONMENTS):
            return seeded_environment(culprit, statement)
        if maker and not maker.startswith(("numpy.", "random.")):
            return _made_by_a_library(maker)
        return "Give the generator a seed where it is made: np.random.default_rng(0)."

    def advice_elsewhere(self, culprit: Culprit) -> str:
        """Where to seed the generator that was drawn from in that process."""
        entry = culprit.entry
        maker = "" if entry is None else printable(entry.row.detail, 80)
        if entry is not None and entry.row.event == "construct":
            if not maker.startswith(("numpy.", "random.", "torch.")):
                return _made_by_a_library(maker)
            return _WITH_A_SEED.format(made=_MADE.get(maker, maker))
        at_start = AT_START.get(culprit.detail)
        if at_start is None or maker.startswith(OF_AN_INSTANCE):
            return _ELSEWHERE_AN_INSTANCE if entry is not None else self.look_elsewhere
        return (
            "Seed it at the start of what that process runs: "
            f"{at_start.replace('(0)', '(number)')}. What all processes are to hold alike, such as "
            "data that they divide among them, takes the same number in each; what is to differ, "
            "such as dropout or augmentation, a number of its own, such as an index or rank. "
            f"{_IN_A_PROCESS.get(culprit.detail, _IN_ANY_PROCESS)}"
        )


def _made_by_a_library(maker: str) -> str:
    """What to do about a generator that a library has made, for want of one."""
    if any(part[:1].isupper() for part in maker.split(".")):
        return (
            f"{maker} creates its own generator when it is given none: seed the object that "
            "owns it, once, where that is created (with an argument such as seed, rng or "
            "random_state, or its method seed), not at every draw. Where such an object is made "
            "again and again, give each the same generator, made and seeded once before: a number "
            "would let all of them begin with the same draws."
        )
    return (
        f"{maker.rpartition('.')[2]} makes a generator of its own, with a seed from the system, "
        "when it is given none. Give it a seed here, or a generator that is seeded, by the "
        "argument that it has for that (rng, seed or random_state). Where this line runs again "
        "and again, make one generator before, so that each call draws other numbers."
    )


def unseeded_in(evidence: Evidence) -> tuple[Standing, Sequence[LedgerPair]]:
    """How much speaks for a generator without a seed, and the ledger's entries that do."""
    entries, found = evidence.unseeded, evidence.found
    reseeded = [entry for entry in evidence.other_seeds if entry.row.seeded == 0]
    # With equal seeds a draw differs because more or fewer were made before it, and something else
    # decided how many. What read memory that nobody had written has more to answer for.
    reads_unwritten = bool(evidence.flags & Flag.READS_UNWRITTEN)
    at_random = found.random and not evidence.torch_is_seeded and not evidence.other_seeds
    unseeded = at_random and not any(entry.in_worker for entry in entries)
    if unseeded and not reads_unwritten:
        return Standing.SHOWN, entries
    if entries or reseeded:
        return Standing.NOTED, entries or reseeded
    if any(entry.in_worker for entry in evidence.other_seeds):
        return Standing.NOTED, ()  # a loader seeds its workers by a draw from torch's generator
    return (Standing.POSSIBLE if unseeded else Standing.FAINT), ()


def is_of_workers(evidence: Evidence) -> bool:
    """Whether all that was drawn without a seed was drawn in workers of a DataLoader."""
    entries = evidence.unseeded
    return bool(entries) and all(entry.in_worker for entry in entries)


def is_of_a_rank(evidence: Evidence) -> bool:
    """Whether all that a rank drew without a seed comes from generators that another rank seeded.

    Those in workers of a DataLoader are theirs.
    """
    entries = evidence.unseeded
    if is_of_workers(evidence):
        return False
    return bool(entries) and all(e.row.source in evidence.seeded_on_other_ranks for e in entries)
