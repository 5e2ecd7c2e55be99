"""What the ranks of a sharded model gather must be the same on all of them."""

from __future__ import annotations

import pytest
from tests.check.process_entries import process_entry

from samebits.check.agreement.findings import findings
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace

GATHER = {"op": "fsdp.split_with_sizes_copy", "signature": "float32[2, 8]", "flags": 2}
DRAW = {"op": "aten.bernoulli_.float", "flags": 3, "signature": "float32[8, 8]"}


def gather(outputs, **more):
    return {**GATHER, "outputs": outputs, "site": ("train.py", 29, "train", "layers.0"), **more}


@pytest.fixture
def found(make_run):
    """What is found in a run whose ranks have these rows and have sharded in these groups."""

    def find(*ranks, groups=None, steps=()):
        entries = [process_entry(f"0.{n + 1}", rank=n) for n in range(len(ranks))]
        made = make_run([{}], processes=entries)
        groups = groups or [[list(range(len(ranks)))]] * len(ranks)
        for number, (entry, rows, own) in enumerate(zip(entries, ranks, groups, strict=True)):
            place = ["/a/train.py", 20]
            sharded = [{"place": place, "step": 0, "group": group} for group in own]
            folder = process_folder(made.folder, entry["name"])
            taken = [one[number] for one in steps]
            make_run(rows, folder=folder, steps=taken, replicas={"sharded": sharded})
        return findings(Trace.open(made.folder))

    return find


def test_the_first_gathering_that_differs_is_told(found):
    ranks = [[gather(1), gather(2), gather(n, step=1), gather(n, step=2)] for n in (3, 3, 4)]
    (one,) = found(*ranks)
    assert (one.code, one.line, one.process) == ("replicas-disagree", 29, "ranks 0 to 2")
    assert one.detail == "the parameters of layers.0 that ranks 0 to 2 gather differ in step 1"
    assert one.evidence == "what they gathered 2 times before agrees; rank 2 has other bits"


def test_what_agrees_is_no_finding(found):
    assert found([gather(1)], [gather(1)]) == ()
    assert found([gather(1)], [gather(1), gather(2)]) == ()  # one of them ended earlier
    assert found([], []) == ()


def test_gatherings_that_have_no_counterpart_are_not_compared(found):
    assert found([gather(1, step=0)], [gather(2, step=1)]) == ()
    assert found([gather(1)], [gather(2, signature="float32[2, 4]")]) == ()
    assert found([gather(0)], [gather(2)]) == ()  # not known
    assert found([gather(1)], [gather(2)], groups=[[[]], [[]]]) == ()
    several = [[[0, 1], [0]], [[0, 1], [1]]]  # a second model, each rank's own
    assert found([gather(1)], [gather(2)], groups=several) == ()
    groups = [[[0, 1]], [[2, 3]], [[0, 1]], [[2, 3]]]
    assert found([gather(1)], [gather(2)], [gather(1)], [gather(2)], groups=groups) == ()


def test_shards_may_differ_where_they_agreed_by_chance(found):
    """As with momentum that is zero after the first step."""
    steps = [
        [{"kind": "step", "step": step, "ops_end": 1, "optimizer": value} for value in values]
        for step, values in enumerate([(5, 5), (6, 7)])
    ]
    assert found([gather(1)], [gather(1)], steps=steps) == ()


def test_masks_that_the_ranks_of_a_sharded_model_share_are_found(found):
    (one,) = found([DRAW], [DRAW])
    assert (one.code, one.line) == ("identical-randomness", 10)
    assert found([{**DRAW, "outputs": 1}], [{**DRAW, "outputs": 2}]) == ()
