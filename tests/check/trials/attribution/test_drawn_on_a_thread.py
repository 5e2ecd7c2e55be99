"""A shared generator that a thread draws from beside others is told by the source."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.drawn_on_a_thread import generator_of_a_thread_and_others

SOURCE = """
    def beat():
        while not stopped.wait(random.uniform(0.8, 1.2)):
            write()

    def augment(image):
        return image * random.random()

    threading.Thread(target=beat).start()
    """
THREAD = entry("thread", "start", 8)


@pytest.fixture
def told(tmp_path):
    """What is said of draws: (line, source, how many in A, in B)."""

    def ask(*draws, source=SOURCE, more=(THREAD,), **changes):
        script = tmp_path / "train.py"
        script.write_text(textwrap.dedent(source).lstrip("\n"))

        def drawn(line, amounts, source="python", detail="random.uniform"):
            pair = entry(source, "draw", line, seeded=1, detail=detail)
            rows = [
                replace(pair.row, amount=n, site=Site(str(script), line, "f", "")) for n in amounts
            ]
            return replace(pair, row=rows[0], other=rows[1])

        found = divergence(**{"data": True, "random": False} | changes)
        entries = [*more, *(drawn(*one) for one in draws)]
        return generator_of_a_thread_and_others(Evidence(found=found, entries=entries))

    return ask


def test_the_line_of_the_thread_is_named(told):
    cause = told((6, (90, 90)), (2, (5, 3)))
    assert (cause.code, cause.detail, cause.line) == ("thread-timing", "python", 2)
    assert "train.py:6 draws as well" in cause.evidence
    assert "random.Random(0)" in cause.fix
    numpy = told((6, (90, 93), "numpy", "numpy.random.rand"), (2, (5, 5), "numpy", "x"))
    assert "np.random.default_rng(0)" in numpy.fix


def test_the_thread_itself_may_be_where_it_shows(told):
    draws = ((6, (90, 90)), (2, (5, 3)))
    of_thread = {"process": "the thread started at train.py:8", "processes": ("0+1", "0+1")}
    assert told(*draws, **of_thread).line == 2
    assert told(*draws, **{**of_thread, "processes": ("0.3+1", "0.3+1")}) is None


@pytest.mark.parametrize(
    ("draws", "facts"),
    [
        ([(6, (90, 90)), (2, (5, 5))], {}),
        ([(6, (90, 91))], {}),
        ([(2, (5, 3))], {}),
        ([(6, (90, 91)), (2, (5, 3), "numpy", "numpy.random.rand")], {}),
        ([(6, (90, 90)), (2, (5, 3), "python", "random.Random.uniform")], {}),
        ([(6, (90, 90)), (2, (5, 3))], {"data": False}),
        ([(6, (90, 90)), (2, (5, 3))], {"process": "rank 1"}),
        ([(6, (90, 90)), (2, (5, 3))], {"more": ()}),
        (
            [(6, (90, 90)), (2, (5, 3))],
            {"more": (THREAD, entry("numpy", "seed", 3, seeded=1, other_digest=2))},
        ),
    ],
    ids=[
        "as much in both",
        "no thread draws",
        "the thread alone",
        "each its own kind",
        "a generator of its own",
        "no data",
        "another process",
        "no thread",
        "another seed",
    ],
)
def test_nothing_is_said_where_it_may_not_be_the_reason(told, draws, facts):
    assert told(*draws, **facts) is None
