"""Random numbers that are overwritten before anything reads them are no difference."""

from __future__ import annotations

import pytest

from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.trace.schema import Flag

FILLS = Flag.RANDOM | Flag.INPLACE
SHAPE = "float32[2]"


def drawn(outputs, signature=SHAPE, **more):
    site = ("train.py", 7, "build", "")
    facts = {"op": "aten.uniform_.default", "flags": FILLS, "site": site, "inputs": 5}
    return {**facts, "outputs": outputs, "signature": signature, **more}


def row(op, outputs=1, signature=SHAPE, **more):
    return {"op": op, "outputs": outputs, "signature": signature, "inputs": 3, **more}


def copied(signature=SHAPE, **more):
    return row("aten.copy_.default", 2, signature, flags=Flag.INPLACE, **more)


VIEW = {"op": "aten.detach.default", "flags": Flag.VIEW, "signature": SHAPE}


def test_weights_into_which_a_checkpoint_is_loaded(make_run):
    def run(seed):
        return make_run([drawn(seed), drawn(seed), copied(), copied(), row("aten.mm.default")])

    verdict = compare_traces(run(1), run(2))
    assert verdict.verdict == "incomplete"
    assert verdict.overwritten_draws == 2
    (left_out,) = verdict.not_compared
    assert (left_out.what, left_out.name) == ("draw", "random numbers drawn at train.py:7")
    assert verdict.notes == ()


def test_what_differs_besides_is_no_reason_to_call_them_overwritten(make_run):
    def run(seed):
        return make_run([drawn(seed), copied(), row("aten.bmm.default", seed)])

    verdict = compare_traces(run(1), run(2))
    assert (verdict.verdict, verdict.not_compared, verdict.notes) == ("different", (), ())


@pytest.mark.parametrize(
    "between",
    [
        [],
        [copied("float32[3]")],
        [copied(inputs=9)],
        [row("aten.add_.Tensor", flags=Flag.INPLACE)],
        [row("aten.resize_.default", flags=Flag.INPLACE)],
    ],
    ids=["nothing", "another shape", "other data", "no overwriting", "no writing"],
)
def test_what_may_still_be_there_differs(make_run, between):
    def run(seed):
        rows = [{**one, "inputs": seed if one["inputs"] == 9 else 3} for one in between]
        return make_run([drawn(seed), *rows, row("aten.mm.default")])

    found = first_divergence(run(1), run(2))
    assert found.rows == (0, 0)
    assert found.random


def test_each_draw_needs_a_write_of_its_own(make_run):
    def run(seed):
        return make_run([drawn(seed), drawn(seed), copied(), row("aten.mm.default")])

    assert first_divergence(run(1), run(2)).rows == (0, 0)


def test_a_write_before_the_draw_counts_for_nothing(make_run):
    def run(seed):
        return make_run([copied(), drawn(seed)])

    assert first_divergence(run(1), run(2)).rows == (1, 1)


def test_numbers_that_were_read_first_differ_though_the_result_agrees(make_run):
    def run(seed):
        read = row("aten.isnan.default", inputs=seed)
        return make_run([drawn(seed), read, copied()])

    assert first_divergence(run(1), run(2)).rows == (0, 0)


def test_another_tensor_of_that_shape_was_overwritten(make_run):
    def run(seed):
        used = row("aten.mm.default", seed, inputs=seed)
        return make_run([drawn(seed), copied(), row("aten.add.Tensor"), used])

    found = first_divergence(run(1), run(2))
    assert found.rows == (0, 0)
    assert "all its inputs agree" in found.detail


def test_a_view_reads_nothing(make_run):
    def run(seed):
        return make_run([drawn(seed), {**VIEW, "inputs": seed}, copied()])

    assert first_divergence(run(1), run(2)) is None


@pytest.mark.parametrize("place", [1, 2], ids=["before the write", "after it"])
def test_a_view_of_other_memory_differs(make_run, place):
    """A view has no numbers: its digest differs where the script asked for another part."""

    def run(seed):
        rows = [drawn(seed), copied()]
        return make_run([*rows[:place], {**VIEW, "outputs": seed}, *rows[place:]])

    assert first_divergence(run(1), run(2)).rows == (place, place)


def test_what_is_asked_for_differently_is_no_draw_alone(make_run):
    def run(seed):
        return make_run([drawn(seed, args=seed), copied()])

    assert first_divergence(run(1), run(2)).rows == (0, 0)


def test_the_first_difference_that_lasts_is_named(make_run):
    def run(seed):
        early = [drawn(seed), copied()]
        return make_run([*early, row("aten.mm.default"), row("aten.bmm.default", seed)])

    found = first_divergence(run(1), run(2))
    assert (found.op, found.rows) == ("aten.bmm.default", (3, 3))


def test_several_tensors_are_overwritten_at_once(make_run):
    def run(seed):
        both = {**copied(f"{SHAPE}; float32[3]"), "op": "aten._foreach_copy_.default"}
        return make_run([drawn(seed), drawn(seed, "float32[3]"), both])

    assert first_divergence(run(1), run(2)) is None


def test_batches_may_be_cut_anywhere(make_run):
    rows = [row("aten.mm.default"), drawn(1), VIEW, copied(), row("aten.mm.default")]
    other = [{**one, "outputs": 8} if one["op"].startswith("aten.uni") else one for one in rows]
    for size in range(1, 6):
        assert first_divergence(make_run(rows, flush_every=size), make_run(other)) is None


def test_too_many_rows_are_not_followed(make_run, monkeypatch):
    monkeypatch.setattr("samebits.check.diff.overwritten._MOST_ROWS", 1)

    def run(seed):
        return make_run([drawn(seed), copied(), row("aten.mm.default")])

    assert first_divergence(run(1), run(2)).rows == (0, 0)


# ---- numbers that were computed with ------------------------------------------------------------

NEW_ROWS = "float32[1, 2]"
STEP = {"step": 0, "parameters": 5, "ops_end": 7}


def resized(seed, *, between=(), after=None, steps=(STEP,), make_run):
    """A run in which new rows are drawn around a mean, and set to something else after it."""
    kept = row("aten.copy_.default", 2, "float32[3, 2]", flags=Flag.INPLACE)
    rows = [
        drawn(seed, "float32[4, 2]"),
        drawn(seed + 10, NEW_ROWS),
        row("aten.add.Tensor", seed, NEW_ROWS, inputs=seed),
        *between,
        row("aten.copy_.default", seed, NEW_ROWS, inputs=seed, flags=Flag.INPLACE),
        kept,
        copied(NEW_ROWS) if after is None else after,
        row("aten.mm.default"),
    ]
    return make_run(rows, steps=steps)


def verdict_on(make_run, **more):
    """The verdict on two runs; of what is given as a list each has one entry."""
    runs = []
    for n in (0, 1):
        own = {name: given[n] if isinstance(given, list) else given for name, given in more.items()}
        runs.append(resized(n + 1, make_run=make_run, **own))
    return compare_traces(*runs)


def test_what_was_computed_with_draws_is_overwritten_in_training(make_run):
    verdict = verdict_on(make_run)
    assert verdict.verdict == "incomplete"
    assert verdict.overwritten_draws == 2
    assert [left.name for left in verdict.not_compared] == ["random numbers drawn at train.py:7"]


def received(seed, op="aten.clone.default"):
    """A row that looks at what other ranks have sent."""
    return row(op, seed, data=seed, inputs=seed, flags=Flag.RECEIVED)


def replaced(seed, *, held=SHAPE, sent="c10d.broadcast_.default", later=(), make_run):
    """A run in which a rank's weights are looked at, and others received and trained in place."""
    rows = [
        drawn(seed),
        drawn(seed + 10, "float32[3]"),
        row("aten.cat.default", seed, "float32[5]", inputs=seed),
        row(sent, 2, "float32[5]", inputs=seed, flags=Flag.INPLACE),
        row("aten.add_.Tensor", 3, held, flags=Flag.INPLACE),
        row("aten.add_.Tensor", 4, "float32[3]", flags=Flag.INPLACE),
    ]
    return make_run([*rows, *later], steps=({**STEP, "ops_end": len(rows)},))


@pytest.mark.parametrize(("sent", "row"), [("c10d.broadcast_.default", 6), ("c10d.send", 0)])
def test_what_others_have_sent_is_another_story_unless_they_were_sent_the_draws(
    make_run, sent, row
):
    came = [(received(seed), received(seed, "aten.mm.default")) for seed in (1, 2)]
    pair = zip((1, 2), came, strict=True)
    runs = [replaced(seed, sent=sent, later=later, make_run=make_run) for seed, later in pair]
    found = compare_traces(*runs).first_divergence
    assert found is not None
    assert found.rows == (row, row)


@pytest.mark.parametrize(("held", "verdict"), [(SHAPE, "incomplete"), ("float32[4]", "different")])
def test_weights_that_others_have_taken_the_place_of(make_run, held, verdict):
    runs = [replaced(seed, held=held, make_run=make_run) for seed in (1, 2)]
    assert compare_traces(*runs).verdict == verdict


@pytest.mark.parametrize(
    "more",
    [
        {"steps": ()},
        {"steps": ({**STEP, "ops_end": 4},)},
        {"after": row("aten.copy_.default", 2, "float32[9]", flags=Flag.INPLACE)},
        {"after": row("aten.add_.Tensor", 2, NEW_ROWS, flags=Flag.INPLACE)},
        {"after": [row("aten.mm.default", 1), row("aten.mm.default", 2)]},
        {"between": [(row("aten.eq.Scalar", args=1),), (row("aten.eq.Scalar", args=2),)]},
        {"between": [(row("aten.lift_fresh", data=1),), (row("aten.lift_fresh", data=2),)]},
        {
            "between": [
                (row("aten._local_scalar_dense", 1, ""),),
                (row("aten._local_scalar_dense", 2, ""),),
            ]
        },
    ],
    ids=[
        *("no step", "a step before it", "another shape", "no overwriting", "it lasts"),
        *("a number was read", "data differ", "a number was read off"),
    ],
)
def test_what_may_have_reached_something_differs(make_run, more):
    assert verdict_on(make_run, **more).verdict == "different"


def loaded(seed, signature=SHAPE):
    """What a checkpoint holds: other weights in each run, which came from outside of torch."""
    differs = {"inputs": 90 + seed, "data": 90 + seed}
    return {**copied(signature), **differs, "outputs": 90 + seed}


def test_weights_into_which_another_checkpoint_is_loaded_in_each_run(make_run):
    """The checkpoint is the difference, not the numbers that it has overwritten."""

    def run(seed, *more):
        rows = [drawn(seed), drawn(seed), loaded(seed), loaded(seed)]
        return make_run([*rows, row("aten.mm.default", seed, inputs=seed)])

    found = first_divergence(run(1), run(2))
    assert (found.op, found.rows, found.data) == ("aten.copy_.default", (2, 2), True)


@pytest.mark.parametrize(
    "after",
    [
        lambda seed: [loaded(seed)],
        lambda seed: [loaded(seed), loaded(seed, "float32[3]")],
        lambda seed: [loaded(seed), row("aten.mm.default", seed, inputs=seed), loaded(seed)],
        lambda seed: [row("aten.mm.default", seed, inputs=seed), loaded(seed), loaded(seed)],
        lambda seed: [{**loaded(seed), "data": 1}, {**loaded(seed), "data": 1}],
    ],
    ids=["one of two", "another shape", "read between", "read before", "from inside torch"],
)
def test_numbers_that_may_have_been_read_are_the_first_difference(make_run, after):
    a, b = (make_run([drawn(seed), drawn(seed), *after(seed)]) for seed in (1, 2))
    assert first_divergence(a, b).op == "aten.uniform_.default"
