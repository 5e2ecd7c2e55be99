"""What the first run leaves to the second: what is said of how it may stay."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.left_behind import read_where_it_diverges, to_keep


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


SCRIPT = """
import torch

def load(model, path):
    snapshot = torch.load(path)
    model.load_state_dict(snapshot)

def train(model):
    model.step()

train(load(None, "last.pt"))
"""


@pytest.mark.parametrize(
    ("changes", "left", "is_told"),
    [
        ({}, ("/a/last.pt",), True),
        ({"process": ""}, ("/a/last.pt",), False),  # single runs tell there
        ({"rows": (7, None)}, ("/a/last.pt",), False),  # it is run 1 that does more
        ({"kind": "output", "rows": (7, 7)}, ("/a/last.pt",), False),
        ({"line": 9}, ("/a/last.pt",), False),  # another function
        ({"line": 4}, ("/a/last.pt",), False),  # before it was read
        ({"line": 11}, ("/a/last.pt",), False),  # in no function
        ({}, ("/a/other.pt",), False),
    ],
)
def test_what_a_process_of_run_2_does_with_a_file_of_run_1(tmp_path, changes, left, is_told):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    site = entry("file").row.site._replace(file=str(script), line=5)
    read = replace(entry("file", detail="/a/last.pt", site=site), other=None, only_second=True)
    facts = {"kind": "inserted", "file": str(script), "line": 6, "rows": (None, 7)}
    found = divergence(**{**facts, "process": "rank 0", **changes})
    evidence = Evidence(found=found, entries=(read,), left_besides=left)
    cause = read_where_it_diverges(
        SimpleNamespace(closer=found, traces=(1, 2), closer_traces=(1, 2)), evidence
    )
    assert (cause is not None) is is_told
    if cause is not None:
        assert (cause.code, cause.detail, cause.line) == ("data-changed", "files", 5)
        assert (cause.process, cause.confidence) == ("rank 0", "likely")
