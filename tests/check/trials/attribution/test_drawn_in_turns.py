"""Generators that threads draw from in turns: what the ledgers tell, and what only runs do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.shared_generators import drawn_in_turns
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.drawn_in_turns import draws_in_other_turns
from samebits.check.trials.attribution.procedure import attribute

OF_NUMPY = ("numpy.random.default_rng", "numpy-generator")
OF_TORCH = ("torch.Generator.manual_seed", "torch-generator")
OF_PYTHON = ("random.seed", "python")
STARTED = entry("thread", "start", 30, detail="concurrent.futures.ThreadPoolExecutor.map")


def shared(kind=OF_NUMPY, *, calls=1, **changes):
    detail, source = kind
    facts = {"detail": detail, "amount": 4, "other_digest": 2, **changes}
    made = entry(source, "construct", 11, detail=detail, calls=calls).row
    return replace(entry("shared-generator", "draw", 11, **facts), origin=made)


def found_by(*between, entries=(), **changes):
    return drawn_in_turns(Evidence(found=divergence(**changes), entries=entries, between=between))


def test_a_generator_that_was_made_once_and_drawn_from_in_other_turns_is_found():
    pair = shared()
    assert found_by(pair) is pair


@pytest.mark.parametrize(
    "pair",
    [
        shared(other_digest=1),
        shared(site=None),
        shared(calls=6),
        replace(shared(), origin=None),
        entry("readiness", "read", 11, other_digest=2),
    ],
    ids=["the same turns", "no line", "one for each object", "not known", "something else"],
)
def test_anything_else_is_none(pair):
    assert found_by(pair) is None


@pytest.mark.parametrize(
    "other",
    [
        entry("numpy", "draw", 3, seeded=0),
        entry("numpy", "seed", 3, seeded=1, digest=5, other_digest=6),
    ],
    ids=["unseeded", "seeded otherwise"],
)
def test_what_nobody_seeded_or_somebody_seeded_otherwise_comes_first(other):
    assert found_by(shared(), entries=[other]) is None


@pytest.mark.parametrize(
    ("line", "counts"),
    [("time.sleep(random.uniform(0, 0.01))", False), ("x = random.uniform(0, 1)", True)],
)
def test_pauses_of_threads_are_no_results(tmp_path, line, counts):
    script = tmp_path / "retry.py"
    script.write_text(line + "\n")
    drawn = entry("python", "draw", seeded=1, detail="random.uniform")
    drawn = replace(drawn, row=replace(drawn.row, site=Site(str(script), 1, "work", "")))
    assert (found_by(shared(OF_PYTHON), entries=[drawn]) is not None) == counts


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        (OF_NUMPY, "np.random.default_rng([seed, task])"),
        (OF_PYTHON, 'random.Random(f"{seed}-{task}")'),
        (OF_TORCH, "torch.Generator().manual_seed(seed + task)"),
    ],
)
def test_the_fix_speaks_of_its_kind(kind, own):
    assert own in fix("thread-timing", of_entry(shared(kind)))


@pytest.fixture
def told(tmp_path, attempt):
    """What is said without runs of a script that holds a line, and of a generator."""

    def ask(pair, source="x = 1", entries=(STARTED,), **changes):
        script = tmp_path / "train.py"
        script.write_text(source + "\n")
        situation = attempt(found=divergence(**changes)).situation
        situation.traces[0].manifest.script["path"] = str(script)
        evidence = Evidence(found=situation.found, entries=entries, between=(pair,))
        return draws_in_other_turns(situation, evidence)

    return ask


DRAWN = {"data": False, "random": True}


@pytest.mark.parametrize(
    ("pair", "changes"),
    [(shared(OF_TORCH), DRAWN), (shared(), {}), (shared(), {"detail": PLAIN_ARGUMENTS})],
    ids=["a draw", "data", "numbers"],
)
def test_a_draw_that_differs_and_data_that_nothing_else_explains_need_no_run(told, pair, changes):
    cause = told(pair, **changes)
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 11, "likely")
    assert cause.evidence.startswith("4 threads drew from the generator of this line")


@pytest.mark.parametrize(
    "source", ["names = {'ant', 'bee'}", "words = set(read())", "key = hash(word)", "key = id(x)"]
)
def test_data_of_a_script_that_may_go_by_an_order_are_left_to_further_runs(told, source):
    assert told(shared(), source) is None
    assert told(shared(OF_TORCH), source, **DRAWN) is not None


@pytest.mark.parametrize(
    "other",
    [
        entry("listing", "list", 4, other_digest=2, order_free=5),
        entry("uuid", "draw", 4, other_digest=2),
        entry("clock", "read", 4, other_digest=2, detail="time.time"),
    ],
    ids=["listing", "uuid", "clock"],
)
def test_so_are_data_that_something_else_may_explain(told, other):
    assert told(shared(), entries=(STARTED, other)) is None


def test_another_operation_is_not_explained_by_it(told):
    assert told(shared(OF_NUMPY), **DRAWN) is None
    assert told(shared(), data=False) is None


@pytest.mark.parametrize(
    ("needs", "code", "line"),
    [("thread-timing", "thread-timing", 11), ("hash-seed", "hash-order", 14)],
)
def test_data_that_differ_are_blamed_on_it_only_where_turns_that_are_fixed_help(
    attempt, needs, code, line
):
    made = attempt(
        needs,
        entries=(STARTED, entry("uuid", "draw", 4, other_digest=2)),
        variables=14,
        evidence={"between": (shared(),)},
        diverged=(100,),
    )
    (cause,) = attribute(made.case, made.situation).causes
    assert made.bench.calls[0] == ("pair", ("thread-timing",))
    assert (cause.code, cause.line) == (code, line)
