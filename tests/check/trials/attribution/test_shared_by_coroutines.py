"""Coroutines that draw from one generator after they have waited are told by their source."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.shared_by_coroutines import generator_of_all_coroutines

DRAWS = "start = self.rng.integers(9)"
SHARED = f"""
    async def window(self, mooring):
        record = await asyncio.to_thread(read, mooring)
        {DRAWS}
        return torch.from_numpy(record[start:])

    def later(x):
        return torch.from_numpy(x)

    async def batch(self, moorings):
        return await asyncio.gather(*map(self.window, moorings))
    """


@pytest.fixture
def told(tmp_path):
    """What is said of a source, by its line that draws and the line where the runs diverge."""
    file = tmp_path / "train.py"

    def ask(source, at=5, *more, here=True, started="thread", seeded=1, other_calls=1, **found):
        file.write_text(textwrap.dedent(source).lstrip("\n"))
        lines = file.read_text().splitlines()
        line = next(n for n, text in enumerate(lines, 1) if "integers(" in text)
        pair = entry("numpy-generator", "draw", line, seeded=seeded)
        row = replace(
            pair.row,
            calls=1,
            site=Site(file=str(file), line=line, function="window", module="__main__"),
        )
        other = replace(row, calls=other_calls)
        begun = entry(started, "start", 1)
        where = divergence(**{"data": True, "random": False, "file": str(file), "line": at} | found)
        evidence = Evidence(
            found=where, entries=(begun, replace(pair, row=row, other=other), *more)
        )
        return generator_of_all_coroutines(evidence, here=here)

    return ask


def test_a_draw_after_a_wait_is_named(told):
    cause = told(SHARED, 4)
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 3, "likely")
    assert cause.evidence.startswith("window waits for something before it draws here.")
    assert "before the first await" in cause.fix


def test_a_divergence_elsewhere_is_left_to_runs(told):
    assert told(SHARED, 7) is None
    assert told(SHARED, 7, here=False).line == 3


@pytest.mark.parametrize(
    "source",
    [
        """
        async def window(mooring, rng):
            start = rng.integers(9)
            record = await asyncio.to_thread(read, mooring)
            return torch.from_numpy(record[start:])
        """,
        """
        async def window(mooring):
            record = await asyncio.to_thread(read, mooring)
            rng = np.random.default_rng([7, mooring])
            start = rng.integers(9)
            return torch.from_numpy(record[start:])
        """,
        """
        def window(mooring, rng):
            record = read(mooring)
            start = rng.integers(9)
            return torch.from_numpy(record[start:])
        """,
        """
        async def window(mooring, rng):
            async def other():
                await wait()
            start = rng.integers(9)
            return torch.from_numpy(record[start:])
        """,
    ],
    ids=["before the wait", "a generator of its own", "no coroutine", "another one waits"],
)
def test_a_draw_that_goes_by_no_wait_is_none(told, source):
    assert told(source, 4) is None


def test_a_coroutine_that_nothing_runs_beside_draws_in_order(told):
    alone = SHARED.replace("asyncio.gather(*map(self.window, moorings))", "self.window(moorings)")
    assert told(alone, 4) is None


def test_a_line_that_reads_nothing_of_it_may_differ_otherwise(told):
    source = SHARED.replace("record[start:]", "[time.time()]")
    assert told(source, 4) is None
    assert told(source, 4, here=False).line == 3


def test_a_loop_that_waits_draws_after_a_wait_the_second_time(told):
    source = """
        async def windows(rng):
            for mooring in moorings:
                start = rng.integers(9)
                record = torch.tensor(await asyncio.to_thread(read, mooring, start))
        async def main():
            await asyncio.gather(windows(rng), windows(rng))
        """
    assert told(source, 4).line == 3


def test_other_reasons_come_first(told):
    assert told(SHARED, 4, entry("python", "draw", 2, seeded=0)) is None
    assert told(SHARED, 4, started="file") is None
    assert told(SHARED, 4, seeded=0) is None
    assert told(SHARED, 4, data=False) is None


def test_pauses_that_are_drawn_more_often_move_what_is_drawn_afterwards(told):
    source = SHARED.replace(DRAWS, "await asyncio.sleep(self.rng.integers(9))").replace(
        "return torch.from_numpy(record[start:])", "return record"
    )
    cause = told(source, 7, other_calls=9)
    assert "They drew here once in run A and 9 times in run B." in cause.evidence
    assert "pauses = random.Random()" in cause.fix
    assert "and so does whatever draws afterwards" not in told(source, 7, here=False).evidence
