"""What the first run leaves to the second: what is said of how it may stay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.left_behind import to_keep


def drawn(source="numpy", **changes):
    """A draw of run 1 alone."""
    facts = {"seeded": 1, "detail": "numpy.random.normal", **changes}
    return replace(entry(source, "draw", 28, **facts), other=None)


def told(*entries):
    return to_keep(Evidence(found=divergence(), entries=entries), "them")


def test_who_draws_from_a_shared_generator_while_a_file_is_made_is_told_to_have_its_own():
    text = told(drawn("numpy-generator"), drawn())
    assert "To keep them: run 1 alone drew" in text
    assert "(numpy.random.normal at train.py:28)" in text
    assert "np.random.default_rng(seed)" in text
    assert "torch.Generator()" in told(drawn("torch-cpu"))


@pytest.mark.parametrize(
    "entries",
    [
        (drawn("numpy-generator"),),
        (drawn(detail="numpy.random.RandomState.normal"),),
        (drawn("python", detail="random.Random.random"),),
        (drawn(seeded=0),),
        (drawn(process=1),),
        (replace(drawn(), only_second=True),),
        (entry("numpy", "draw", seeded=1),),
        (),
    ],
    ids=[
        "its own",
        "made by NumPy",
        "made by Python",
        "unseeded",
        "another process",
        "run 2",
        "both runs",
        "nothing",
    ],
)
def test_nothing_is_told_where_no_shared_generator_went_on(entries):
    assert told(*entries) == ""
