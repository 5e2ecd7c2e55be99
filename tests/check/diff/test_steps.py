from __future__ import annotations

import pytest

from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.trace.schema import STEP_DIGESTS

STEPS = [{"step": i, **dict.fromkeys(STEP_DIGESTS, 5), "loss_value": 0.5} for i in range(3)]
END = {"kind": "end", "step": 3, "parameters": 5}


def changed(steps, index, **values):
    return [{**row, **values} if i == index else row for i, row in enumerate(steps)]


@pytest.fixture
def compare(make_run):
    def run(a, b, **more):
        options = {"level": "step", **more}
        return compare_traces(make_run(steps=a, **options), make_run(steps=b, **options))

    return run


def test_equal_steps_are_the_same(compare):
    verdict = compare([*STEPS, END], [*STEPS, END])
    assert verdict.verdict == "same"
    assert [run.steps for run in verdict.runs] == [3, 3]


@pytest.mark.parametrize(
    ("digest", "phase"),
    [
        ("batch", "data"),
        ("outputs", "forward"),
        ("loss", "forward"),
        ("gradients", "backward"),
        ("parameters", "optimizer"),
        ("optimizer", "optimizer"),
        ("generators", "optimizer"),
    ],
)
def test_the_earliest_digest_of_the_step_is_named(compare, digest, phase):
    after = STEP_DIGESTS[STEP_DIGESTS.index(digest) :]
    found = compare(STEPS, changed(STEPS, 1, **dict.fromkeys(after, 6))).first_divergence
    assert (found.kind, found.op, found.step, found.phase) == ("step", digest, 1, phase)


def test_the_loss_is_shown(compare):
    found = compare(STEPS, changed(STEPS, 1, loss=6, loss_value=0.75)).first_divergence
    assert found.max_abs == 0.25
    assert "loss 0.5 in A, 0.75 in B" in found.detail


def test_a_loss_that_is_nan_has_no_distance(compare):
    found = compare(STEPS, changed(STEPS, 1, loss=6, loss_value=float("nan"))).first_divergence
    assert found.max_abs is None


def test_what_happens_after_the_last_step_counts(compare):
    found = compare([*STEPS, END], [*STEPS, {**END, "parameters": 6}]).first_divergence
    assert "parameters after the last step" in found.detail


def test_generators_alone_are_reported_as_such(compare):
    verdict = compare(STEPS, changed(STEPS, 0, generators=6))
    assert verdict.first_divergence.op == "generators"
    assert verdict.causes[0].code == "unseeded-rng"


def test_a_batch_that_differs_is_data(compare):
    assert compare(STEPS, changed(STEPS, 0, batch=6)).causes[0].code == "data-changed"


def test_more_steps_are_control_flow(compare):
    verdict = compare([*STEPS, END], [*STEPS[:2], {**END, "step": 2}])
    found = verdict.first_divergence
    assert (found.kind, found.op, found.step) == ("step", "steps", 2)
    assert "run A takes 3 optimizer steps, run B takes 2" in found.detail
    assert verdict.causes[0].code == "control-flow"


def test_a_cut_run_has_fewer_steps(make_run):
    a = make_run(steps=STEPS[:2], level="step", cut=True)
    assert first_divergence(a, make_run(steps=[*STEPS, END], level="step")) is None


def test_a_cut_run_that_has_more_steps_than_the_finished_one(make_run):
    a = make_run(steps=STEPS, level="step", cut=True)
    found = first_divergence(a, make_run(steps=STEPS[:2], level="step"))
    assert found.op == "steps"


def test_other_levels_compare_what_both_saw(make_run):
    rows = [{"op": "aten.add"}]
    fine = make_run(rows, steps=STEPS, level="op")
    coarse = make_run(steps=changed(STEPS, 0, outputs=0), level="step")
    verdict = compare_traces(fine, coarse)
    assert verdict.verdict == "same"
    assert "recorded at different levels (op, step)" in verdict.notes[0]
    other = make_run(steps=changed(STEPS, 1, gradients=6), level="step")
    assert first_divergence(fine, other).op == "gradients"


def test_a_step_before_the_first_differing_operation_wins(make_run):
    rows = [{"step": 0}, {"step": 2}]
    a = make_run(rows, steps=STEPS)
    b = make_run([{"step": 0}, {"step": 2, "outputs": 1}], steps=changed(STEPS, 1, parameters=6))
    assert first_divergence(a, b).op == "parameters"
    b = make_run([{"step": 0}, {"step": 2, "outputs": 1}], steps=changed(STEPS, 2, parameters=6))
    assert first_divergence(a, b).kind == "output"


def test_generators_of_different_seeds_are_told_and_decide_nothing(make_run):
    run_a = make_run(steps=STEPS, level="step", seeds={"seed": 1})
    run_b = make_run(steps=changed(STEPS, 0, generators=6), level="step", seeds={"seed": 2})
    verdict = compare_traces(run_a, run_b)
    assert verdict.verdict == "same"
    assert "recorded under different seeds: 1 in A, 2 in B" in verdict.notes


# ---- steps of several optimizers in a row --------------------------------------------------------

HEAD = {"batch": 5, "outputs": 5, "loss": 5, "loss_value": 0.5}
EACH_PASS = [[0, 9, 19, 29], [3, 39, 49, 59]]
TURNED_PASS = [[0, 19, 29, 9], [3, 59, 49, 39]]


def of_each(*parameters, generators=5):
    """A pass, and after it a step of each optimizer, which has one parameter."""
    own = [{"gradients": p + 1, "parameters": p, "optimizer": p + 2} for p in parameters]
    rows = [{**(HEAD if n == 0 else {}), **digests} for n, digests in enumerate(own)]
    return [{**row, "generators": generators} for row in rows]


def numbered(*passes):
    return [{**row, "step": n} for n, row in enumerate(row for rows in passes for row in rows)]


@pytest.fixture
def compare_rows(make_run):
    def run(a, b, noted=EACH_PASS, other=TURNED_PASS):
        runs = [
            make_run(steps=steps, level="step", steps_in_any_order=rows)
            for steps, rows in ((a, noted), (b, other))
        ]
        return compare_traces(*runs).verdict

    return run


A = numbered(of_each(10, 20, 30), of_each(40, 50, 60))
TURNED = numbered(of_each(20, 30, 10), of_each(60, 50, 40))


def test_the_same_steps_in_another_order_are_no_difference(compare_rows):
    assert compare_rows(A, TURNED) == "same"


@pytest.mark.parametrize(
    "other",
    [
        [of_each(20, 10, 31), of_each(40, 50, 60)],
        [of_each(10, 20, 30), of_each(60, 50, 41)],
        [of_each(20, 30, 10, generators=6), of_each(40, 50, 60)],
        [of_each(40, 50, 60), of_each(10, 20, 30)],
        [of_each(40, 20, 30), of_each(10, 50, 60)],
    ],
)
def test_other_steps_or_steps_of_another_pass_are_one(compare_rows, other):
    assert compare_rows(A, numbered(*other)) == "different"


@pytest.mark.parametrize(
    ("noted", "other"),
    [
        ([], []),
        (EACH_PASS, []),
        (EACH_PASS, TURNED_PASS[:1]),
        (EACH_PASS, [TURNED_PASS[0], TURNED_PASS[1][:-1]]),
        ("all", TURNED_PASS),
        (EACH_PASS, EACH_PASS),
        ([[0, 9, 19, 29], [4, 39, 49, 59]], [[0, 19, 29, 9], [4, 59, 49, 39]]),
        ([[0, 9, 19, "29"]], [[0, 19, "29", 9]]),
        ([[0, 9, 19, 2**64]], [[0, 19, 2**64, 9]]),
    ],
)
def test_an_order_counts_unless_both_runs_have_noted_that_it_does_not(compare_rows, noted, other):
    assert compare_rows(A, TURNED, noted, other) == "different"


def test_digests_of_a_step_belong_together(compare_rows):
    a, b = numbered(of_each(10, 20)), numbered(of_each(20, 10))
    b[0]["gradients"], b[1]["gradients"] = b[1]["gradients"], b[0]["gradients"]
    assert compare_rows(a, b, [[0, 9, 19]], [[0, 19, 9]]) == "different"
