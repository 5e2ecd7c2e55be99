"""What no seed reaches: os.urandom, uuid, secrets, numbers of processes, ports, temporary names."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.writing.seeds import (
    STAYS,
    TORCH_AT_START,
    drawn_by_python,
    given_number,
    seeded_elsewhere_with,
)
from samebits.check.diff.ledger_pairs import ENTROPY, LedgerPair, makes_temporary_name
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.core.names import printable
from samebits.core.source.sql import drawn_column_in_sql, drawn_order_in_sql
from samebits.core.source.statement import Statement, names_at

_SEEDED = {
    "secrets.choice": "random.choice({})",
    "secrets.randbelow": "random.randrange({})",
    "secrets.randbits": "random.getrandbits({})",
    "secrets.token_bytes": "random.randbytes({})",
    "secrets.token_hex": "random.randbytes({}).hex()",
    "os.urandom": "random.randbytes({})",
    "uuid.uuid1": "uuid.UUID(int=random.getrandbits(128), version=4)",
    "uuid.uuid4": "uuid.UUID(int=random.getrandbits(128), version=4)",
}
"""What draws from the system → the same draw from Python's generator; tokens have 32 bytes."""


_TEMPFILE = "tempfile"
_SQLITE = "sqlite"
_IN_SQL = (
    "No seed reaches RANDOM() of SQLite. Read the rows in a fixed order (ORDER BY a key), and "
    "choose among them in Python with a generator that is seeded, such as rng.sample(rows, k) of "
    "rng = random.Random(0), made once."
)
_KEY_IN_SQL = (
    "Each row draws its {0} at random when it is inserted, and no seed reaches that. Read the rows "
    "in the order in which they were inserted, by rowid in place of {0} in ORDER BY, or give "
    "the table a key that counts: {0} INTEGER PRIMARY KEY."
)
_COLUMN_IN_SQL = (
    "Each row draws its {0} at random when it is inserted, and no seed reaches that. Insert a "
    "value that Python draws from a seeded generator, such as rng.random() of rng = "
    "random.Random(0), made once. Where it only tells rows apart, a key that counts up does, too: "
    "an INTEGER PRIMARY KEY."
)
_BY_TASK = (
    "Seed with the number of the task in place of the number of the process: every task then draws "
    "numbers of its own, whichever process works on it, and the same ones in every run."
)
_TEMPORARY_NAME = (
    "The names of temporary files and folders are different in every run, whatever is seeded. Do "
    "not let an order or a choice depend on them: sort by something else, such as a number that is "
    "part of the name, and settle ties by it too."
)

_SEEDED_GENERATOR = "Draw from a seeded generator, such as random.Random(0)."
_SECRET = (
    "\n# or, if nobody may guess them: keep secrets, and let no split or order go by what this "
    "module draws, nor a sum by how they round it"
)
_KEYS = (
    "\n# or, if keys of several runs meet somewhere and must differ: keep them, and let no order "
    "go by them, or make each of what it names: uuid.uuid5(namespace, name)"
)
_OWN_NUMBER = (
    "Use a number of your own, such as a worker's index, in place of the process number: the "
    "system gives a process another one in each run."
)

_OWN_ADDRESS = (
    "The system chooses a port that is free, another one in each run, and no seed reaches that. "
    "Let no order, choice or seed go by a port, or by an address that holds one: where things are "
    "put in order, give sorted() a key that is a number or a name which the script itself has "
    "given to what answers there."
)
_OF_THE_PATH = (
    "A digest of a name is taken at {}. Of the whole path of what lies in a temporary folder it is "
    "another one in each run, as the folder has another name each time. Take it of what stays the "
    "same: path.relative_to(folder); or path.name, where no two files below it have one name."
)
_OF_A_LIBRARY = (
    "{} draws a name or a key by itself, which no seed of the script reaches. Where it takes a "
    "name as an argument, give it one that is made of what it stands for{}. Else let no order and "
    "no choice depend on it: sort what is read by something that the data hold."
)
_NUMBERED_FILES = (
    ', and another one at each call that writes into the same folder: basename_template=f"part-'
    '{number:05d}-{{i}}.parquet", with the number of the call'
)
_NO_DRAWS = ("pid", "port")
"""What is mostly asked for to reach another process, and seldom goes into a result."""
_WHAT_DRAWS = frozenset({"os", "posix", "nt", "random", "secrets", "tempfile", "uuid"})
_MOST_LINES = 3
_ADVICE = {
    _TEMPFILE: _TEMPORARY_NAME,
    _SQLITE: _IN_SQL,
    "urandom": _SEEDED_GENERATOR,
    "uuid": _SEEDED_GENERATOR,
    "secrets": _SEEDED_GENERATOR,
    "pid": _OWN_NUMBER,
    "port": _OWN_ADDRESS,
}
_OF_LIBRARIES = (_TEMPFILE, _SQLITE)
"""Details of which the advice holds for seeds as well."""


class EntropyPin(Pin):
    """What the system draws, its numbers of processes and ports, and temporary names are fixed."""

    name: ClassVar[str] = "entropy"
    what: ClassVar[str] = (
        "os.urandom, secrets, uuid, os.getpid, tempfile and sockets that may have any port giving "
        "the same in every run"
    )
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "entropy"
    by_site: ClassVar[bool] = True


class SqliteRandomPin(Pin):
    """What SQLite draws is always the same."""

    name: ClassVar[str] = "sqlite-random"
    what: ClassVar[str] = "RANDOM() of SQLite giving the same numbers in every run"
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "sqlite-random"


class Entropy(KnownCause):
    """Something that no seed controls reached a result."""

    code: ClassVar[str] = "entropy"
    meaning: ClassVar[str] = (
        "A value from os.urandom, uuid or secrets, the name of a temporary file, or a port that "
        "the system chose, affected a result. They cannot be seeded."
    )
    look: ClassVar[str] = (
        "Draw from a seeded generator, such as random.Random(0), and use a number of your own, "
        "such as a worker's index, in place of a process number or a port."
    )
    look_elsewhere: ClassVar[str] = (
        "In what that process runs, draw from a generator with a fixed seed, and use a number that "
        "the process is given, such as its rank, in place of its process number."
    )
    pins: ClassVar[tuple[Pin, ...]] = (EntropyPin(), SqliteRandomPin())

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Anything that was drawn; the number of a process counts for less."""
        entries = evidence.of(*ENTROPY)
        named = [entry for entry in evidence.of("python") if makes_temporary_name(entry)]
        if evidence.is_elsewhere:
            yield Hypothesis(pin="entropy", code=self.code, standing=Standing.POSSIBLE)
        if evidence.draws_in_sql:
            # SQLite draws in C: no entry tells of it.
            yield Hypothesis(
                pin="sqlite-random",
                code=self.code,
                detail=_SQLITE,
                standing=Standing.NOTED if evidence.found.data else Standing.POSSIBLE,
            )
        if evidence.is_elsewhere or not entries + named:
            return
        asked = [entry for entry in entries if not entry.internal]
        drawn = _drawn(evidence)
        if evidence.seeds_came_from(*ENTROPY):
            standing = Standing.NOTED
        elif evidence.other_seeds:
            standing = Standing.NOTED if drawn else Standing.POSSIBLE if asked else Standing.FAINT
        else:
            standing = Standing.POSSIBLE if drawn and not evidence.unseeded else Standing.FAINT
        listed = named if _listed_otherwise(evidence) else []
        digested = _names_that_may_be_digested(evidence)
        if listed or digested:
            standing = Standing.NOTED
        in_children = [entry for entry in named if entry.row.process and not entry.internal]
        if in_children:
            standing = max(standing, Standing.POSSIBLE)
        # Servers are often given a key as well: which of the two it was, a further pair may show.
        drawn += [entry for entry in asked if entry.row.source == "port"] if drawn else []
        as_seeds = _numbers_of_children_as_seeds(evidence, asked)
        yield Hypothesis(
            pin="entropy",
            code=self.code,
            standing=Standing.NOTED if as_seeds else standing,
            # Pools and queues make up names for what they share, which hardly reach a result.
            entries=digested or drawn or listed or as_seeds or in_children or entries or named,
            # Which task draws from which seed, or gets which name, goes by the pace of processes.
            beside=frozenset({"thread-timing"})
            if as_seeds or in_children or any(entry.row.process for entry in listed)
            else frozenset(),
        )

    def detail(self, hypothesis: Hypothesis, culprit: Culprit) -> str:
        """The source that was asked."""
        if "secrets" in names_at(culprit.file, culprit.line):
            return "secrets"  # its functions are methods of SystemRandom and draw under its name
        entries = hypothesis.entries if culprit.entry is None else (culprit.entry,)
        if entries and all(map(makes_temporary_name, entries)):
            return _TEMPFILE  # it has a generator of its own, of which the ledger tells the kind
        return culprit.detail or hypothesis.detail

    def seen(self, culprit: Culprit) -> str:
        """That a seed which is made of a name is another one in each run."""
        if not culprit.seeded:
            return ""
        what = printable(culprit.operation, 80)
        return f"{what} got a seed that is made of a name, and not the same in every run"

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """A seed that is a number, else the same draw from a generator that can be seeded."""
        entry = culprit.entry
        in_worker = entry is not None and entry.in_worker
        in_child = entry is not None and entry.row.process != 0 and not in_worker
        if _is_number_of_child(culprit):
            return None  # with a fixed number all tasks would draw the same
        if culprit.detail == _TEMPFILE and culprit.digested and entry is None:
            return None  # another seed would be right, and the name would stay in it
        number = given_number(statement, culprit)
        if number is not None and culprit.detail == "secrets":
            return number + _SECRET
        if number is not None or culprit.seeded or culprit.seeds or in_child:
            return number  # children that are forked would all draw the same

        def seeded(node: ast.expr) -> str | None:
            if not isinstance(node, ast.Call):
                return None
            instead = _SEEDED.get(statement.name_of(node.func))
            arguments = [statement.text_of(part) for part in (*node.args, *node.keywords)]
            return None if instead is None else instead.format(", ".join(arguments) or "32")

        written = statement.rewritten(seeded)
        if written is None:
            return None
        if in_worker:
            return f"{TORCH_AT_START}\n{written}"  # torch seeds Python's generator in its workers
        further = _SECRET if culprit.detail == "secrets" else ""
        if isinstance(statement.node, ast.Return) and "uuid.UUID(" in written:
            further += _KEYS
        return drawn_by_python(written, culprit) + further

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What to seed with."""
        if culprit.seeds:
            return seeded_elsewhere_with(culprit)
        if culprit.seeded and _is_number_of_child(culprit):
            return _BY_TASK
        if culprit.seeded and culprit.detail not in _OF_LIBRARIES:
            return STAYS
        column = drawn_order_in_sql(culprit.file) if culprit.detail == _SQLITE else ""
        if column:
            return _KEY_IN_SQL.format(column)
        column = drawn_column_in_sql(culprit.file) if culprit.detail == _SQLITE else ""
        if column:
            return _COLUMN_IN_SQL.format(column)
        if culprit.detail == _TEMPFILE and culprit.digested:
            return _OF_THE_PATH.format(" and ".join(culprit.digested[:_MOST_LINES]))
        library = _library_that_draws(culprit)
        if library:
            files = _NUMBERED_FILES if library.startswith("pyarrow.") else ""
            return _OF_A_LIBRARY.format(printable(library, 80), files)
        return _ADVICE.get(culprit.detail, self.look)


def _library_that_draws(culprit: Culprit) -> str:
    """The function of a library that was called and has drawn; "" where the script itself draws."""
    entry = culprit.entry
    if entry is None or culprit.seeded or entry.row.source not in ("urandom", "uuid", "secrets"):
        return ""
    what = entry.row.detail
    module, _, function = what.rpartition(".")
    return what if module and function and module.partition(".")[0] not in _WHAT_DRAWS else ""


def _names_that_may_be_digested(evidence: Evidence) -> list[LedgerPair]:
    """Lines that make temporary files or folders, where names are digested.

    What is dealt out by a digest of its path goes elsewhere in each run then: data differ, or how
    many there are, or which of the tensors that are there an operation is handed.
    """
    found = evidence.found
    differs = found.data or found.detail == PLAIN_ARGUMENTS or evidence.is_another_way
    differs = differs or found.has_unexplained_inputs
    if not evidence.digested or not differs or evidence.unseeded:
        return []
    return [entry for entry in evidence.of("python", "pid") if makes_temporary_name(entry)]


def _drawn(evidence: Evidence) -> list[LedgerPair]:
    """What the script itself has drawn from the system to compute with."""
    return [e for e in evidence.of(*ENTROPY) if not e.internal and e.row.source not in _NO_DRAWS]


def _numbers_of_children_as_seeds(
    evidence: Evidence, asked: Sequence[LedgerPair]
) -> list[LedgerPair]:
    """Readings of a process's own number where it makes a seed, in processes of the script's."""
    seeds = {entry.place for entry in evidence.other_seeds if entry.place is not None}
    return [
        entry
        for entry in asked
        if entry.row.source == "pid"
        and entry.row.process
        and not entry.in_worker
        and entry.place in seeds
    ]


def _is_number_of_child(culprit: Culprit) -> bool:
    """Whether a process that the script has started asked for its own number."""
    entry = culprit.entry
    if entry is None or entry.row.source != "pid":
        return False
    return entry.row.process != 0 and not entry.in_worker


def has_drawn_names(evidence: Evidence) -> bool:
    """Whether the script drew from what names are made with."""
    asked = [entry for entry in evidence.of(*ENTROPY) if not entry.internal]
    asked = [entry for entry in asked if entry.row.source != "port"]
    return bool(asked) or any(makes_temporary_name(entry) for entry in evidence.of("python"))


def _listed_otherwise(evidence: Evidence) -> bool:
    """Whether the script listed a folder in which not the same names stood in both runs."""
    return any(
        entry.differs and not entry.reordered and not entry.internal
        for entry in evidence.of("listing")
    )
