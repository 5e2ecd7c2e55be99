"""A seed that is made of hash() of an object, which Python makes of its address."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.address_in_text import seeded_by_a_hash

SOURCE = """
    def prepare(cls, seed):
        number = abs(hash(cls))
        return np.random.default_rng([seed, number])
        return np.random.default_rng(seed)

    def other():
        return np.random.default_rng(make())
    """
HASHED, SEEDED, BESIDE, ELSEWHERE = 2, 3, 4, 7


@pytest.fixture
def told(tmp_path):
    """What is said where these were noted: (source, event, line, facts)."""

    def ask(*noted):
        script = tmp_path / "registry.py"
        script.write_text(textwrap.dedent(SOURCE).lstrip("\n"))
        entries = []
        for source, event, line, facts in noted:
            pair = entry(source, event, line, **facts)
            site = Site(str(script), line, "f", "")
            other = replace(pair.other, site=site)
            entries.append(replace(pair, row=replace(pair.row, site=site), other=other))
        found = divergence(data=True, random=False)
        return seeded_by_a_hash(Evidence(found=found, entries=entries))

    return ask


DIFFERS = {"other_digest": 2}
HASH = ("address", "read", HASHED, DIFFERS)
SEED = ("numpy-generator", "seed", SEEDED, {**DIFFERS, "seeded": 1})


def test_the_line_that_asks_for_the_hash_is_told_without_a_run(told):
    cause = told(HASH, SEED)
    assert (cause.code, cause.line, cause.confidence) == ("address-order", HASHED, "likely")
    assert "hash()" in cause.evidence


@pytest.mark.parametrize(
    "noted",
    [
        [SEED],
        [HASH],
        [("address", "read", HASHED, {"other_digest": 1}), SEED],
        [HASH, ("numpy-generator", "seed", ELSEWHERE, {**DIFFERS, "seeded": 1})],
        [HASH, SEED, ("clock", "read", HASHED, {})],
        [HASH, SEED, ("clock", "read", SEEDED, {})],
        [HASH, ("numpy-generator", "seed", BESIDE, {**DIFFERS, "seeded": 1})],
        [HASH, SEED, ("python", "draw", ELSEWHERE, {"seeded": 0})],
    ],
    ids=[
        "no hash",
        "no seed",
        "an equal hash",
        "in another function",
        "the time",
        "the time in the seed",
        "of something else",
        "unseeded",
    ],
)
def test_what_may_have_another_reason_is_left_to_runs(told, noted):
    assert told(*noted) is None
