"""A rank that has not seeded a generator, where another one has, or has not either."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes import hypotheses
from samebits.check.causes.evidence import Evidence

RANK = {"process": "rank 1", "processes": ("0.2", "0.2")}


@pytest.mark.parametrize(
    ("elsewhere", "drawn", "code"),
    [
        ({"torch-cpu"}, ["torch-cpu"], "rank-rng"),
        ({"torch-cpu", "numpy"}, ["torch-cpu", "numpy"], "rank-rng"),
        ({"torch-cpu"}, ["torch-cpu", "numpy"], "unseeded-rng"),
        ({"numpy"}, ["torch-cpu"], "unseeded-rng"),
        (set(), ["torch-cpu"], "unseeded-rng"),
    ],
)
def test_the_cause_is_the_rank_only_where_another_one_has_seeded_all_of_it(elsewhere, drawn, code):
    entries = [entry(source, "draw", seeded=0) for source in drawn]
    found = divergence(op="aten.uniform_", random=True, data=False, **RANK)
    evidence = Evidence(found=found, entries=entries, seeded_on_other_ranks=frozenset(elsewhere))
    codes = [one.code for one in hypotheses(evidence) if one.pin == "seeds"]
    assert codes == [code]
