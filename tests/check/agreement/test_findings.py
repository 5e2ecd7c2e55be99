"""What comparing the ranks of one run with each other shows, and what it must not say."""

from __future__ import annotations

import pytest
from tests.check.agreement.made_ranks import FILL, WRAPPED, noted, rank, step


def sampler(**facts):
    known = {"shuffle": True, "drop_last": False, "samples": 8, "ranks": 2, "epochs": [0, 1]}
    return {"place": ["/a/train.py", 30], **known, **facts}


def test_replicas_that_agree_are_no_finding(run):
    same = rank([{}], [step(parameters=1, optimizer=2)], steps=[noted(0, w="a")])
    assert run([same, same]) == ()
    assert run([same]) == ()
    assert run([]) == ()


def test_the_first_step_and_tensor_in_which_replicas_differ_are_named(run):
    ranks = [
        rank([{}], [], steps=[noted(0, w="a", b="b"), noted(1, w="c", b=other)])
        for other in ("d", "e")
    ]
    (found,) = run(ranks)
    assert (found.code, found.process) == ("replicas-disagree", "ranks 0 and 1")
    assert found.detail == "after step 1 the parameters of ranks 0 and 1 differ (b)"


def test_replicas_that_are_brought_together_again_are_no_finding(run):
    """As by an optimizer that steps on its own part first, and then sends it to all ranks."""
    kept = [
        rank([{}], [], steps=[noted(0, w=own), noted(1, w="c"), noted(2, w=own), noted(3, w="d")])
        for own in "ab"
    ]
    assert run(kept) == ()


def test_the_line_is_named_that_only_one_rank_does(run):
    clip = {"op": "aten.norm", "site": ("train.py", 33, "train", "")}
    rows = [{}], [{}, clip]
    ranks = [rank(own, [], steps=[noted(0, w=w)]) for own, w in zip(rows, "ab", strict=True)]
    (found,) = run(ranks)
    assert (found.file, found.line) == ("train.py", 33)
    assert found.evidence == "only rank 1 does aten.norm there"


def test_buffers_count_where_nobody_synchronises_them(run):
    ranks = [rank([], [], steps=[noted(0, w="a", **{"bn.mean": v})]) for v in "ab"]
    assert run(ranks) == ()
    (found,) = run(ranks, modules=[{**WRAPPED, "buffers": False}])
    assert (found.code, found.line) == ("replicas-disagree", 20)
    assert "(bn.mean)" in found.detail


def test_ranks_without_replicas_count_once_they_have_held_the_same(run):
    ranks = [rank([], [step(0, parameters=1), step(1, parameters=p)]) for p in (2, 3)]
    (found,) = run(ranks, modules=[])
    assert found.detail == "after step 1 the parameters of ranks 0 and 1 differ"
    parts = [rank([], [step(0, parameters=p), step(1, parameters=p)]) for p in (2, 3)]
    assert run(parts, modules=[]) == ()


def test_masks_that_ranks_share_are_found_and_small_ones_are_luck(run):
    def drawn(outputs, **more):
        return rank([{**FILL, "outputs": outputs, **more}])

    (found,) = run([drawn(5), drawn(5)])
    assert (found.code, found.line) == ("identical-randomness", 10)
    assert run([drawn(5), drawn(6)]) == ()
    assert run([drawn(5, signature="float32[4]"), drawn(5, signature="float32[4]")]) == ()
    assert run([drawn(5, phase="setup"), drawn(5, phase="setup")]) == ()
    assert run([drawn(5), drawn(5)], modules=[]) == ()  # parts of one model may have to


def test_an_order_that_never_changes_is_found(run):
    (found,) = run([rank(samplers=[sampler(epochs=[0, 0, 0])])] * 2)
    assert (found.code, found.line) == ("identical-randomness", 30)
    assert "3 epochs" in found.detail
    assert run([rank(samplers=[sampler()])] * 2) == ()
    assert run([rank(samplers=[sampler(shuffle=False, epochs=[0, 0])])] * 2) == ()


def test_a_look_at_the_first_batch_is_no_epoch(run):
    looked_at = {"epochs": [0, 0, 0, 1], "steps": [0, 0, 4, 4]}  # set_epoch after each look
    assert run([rank(samplers=[sampler(**looked_at)])] * 2) == ()
    (found,) = run([rank(samplers=[sampler(**{**looked_at, "epochs": [0, 0, 0, 0]})])] * 2)
    assert "2 epochs" in found.detail
    (found,) = run([rank(samplers=[sampler(epochs=[0, 0], steps=[0, 0])])] * 2)
    assert "2 epochs" in found.detail  # where nobody tells of steps, each counts


def test_batches_that_ranks_share_are_found(run):
    def read(*batches):
        return rank([], [step(n, batch=batch) for n, batch in enumerate(batches)])

    (found,) = run([read(1, 2, 3), read(1, 2, 3)])
    assert found.code == "duplicate-data"
    assert "3 of 3 steps" in found.detail
    assert run([read(1, 2, 3), read(4, 5, 3)]) == ()
    assert run([read(0, 0), read(0, 0)]) == ()  # none was seen


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"shuffle": False, "samples": 7}, "duplicate-data"),
        ({"shuffle": False, "samples": 7, "drop_last": True}, "missing-data"),
        ({"shuffle": True, "samples": 7}, None),
        ({"shuffle": False, "samples": 8}, None),
    ],
)
def test_samples_that_cannot_be_divided(run, facts, code):
    found = run([rank(samplers=[sampler(**facts)])] * 2)
    assert [one.code for one in found] == ([code] if code else [])


def test_the_script_itself_may_be_a_rank(run):
    a, b = ({"modules": [WRAPPED], "steps": [noted(0, w=w)]} for w in "ab")
    (found,) = run([rank(**b)], script=rank(replicas=a))
    assert (found.code, found.process) == ("replicas-disagree", "ranks 0 and 1")
    assert run([rank(**a)], script=rank(replicas=a)) == ()
    assert run([rank(**b)], script=rank(replicas=a, distributed={"rank": 0, "world": 1})) == ()


def test_what_a_rank_did_before_it_wrapped_a_module_is_its_own(run):
    late = {"modules": [{**WRAPPED, "step": 2}], "steps": [noted(2, w="a"), noted(3, w="b")]}
    soon = {"modules": [{**WRAPPED, "step": 0}], "steps": [noted(0, w="a"), noted(1, w="b")]}
    after = [step(0, optimizer=4), step(1, optimizer=5)]
    before = [step(0, optimizer=9), step(1, optimizer=8), step(2, optimizer=4)]
    assert run([rank([], [*before, step(3, optimizer=5)], **late), rank([], after, **soon)]) == ()
    soon["steps"][1] = noted(1, w="c")
    (found,) = run([rank([], [], **late), rank([], [], **soon)])
    assert found.detail == "after step 3 the parameters of ranks 0 and 1 differ (w)"


def test_replicas_of_several_models_are_compared_each_with_its_own(run):
    def of(*group, w):
        return rank(modules=[{**WRAPPED, "group": list(group)}], steps=[noted(0, w=w)])

    assert run([of(0, 2, w="a"), of(1, 3, w="b"), of(0, 2, w="a"), of(1, 3, w="b")]) == ()
    (found,) = run([of(0, 2, w="a"), of(1, 3, w="b"), of(0, 2, w="a"), of(1, 3, w="c")])
    assert found.process == "ranks 1 and 3"


SENT = {"op": "c10d.broadcast_", "flags": 2, "phase": "setup"}


def drawn(outputs, line=14, **facts):
    site = ("train.py", line, "main", "")
    usual = {"op": "aten.normal_", "flags": 3, "signature": "float32[3, 16]", "phase": "setup"}
    return {**usual, "outputs": outputs, "site": site, **facts}


def test_weights_that_ranks_draw_anew_after_they_were_sent_are_told_at_their_line(run):
    def told(*rows):
        ranks = [
            rank([*own, {"phase": "forward"}], [step(0)], steps=[noted(0, w=w)])
            for own, w in zip(rows, "ab", strict=True)
        ]
        (found,) = run(ranks)
        return found

    apart = [[drawn(n, line=9), SENT, drawn(5 + n)] for n in (1, 2)]
    found = told(*apart)
    assert (found.line, found.code) == (14, "replicas-disagree")
    assert "with other random numbers on each rank (aten.normal_)" in found.evidence
    assert "before the module is wrapped" in found.fix
    # What was drawn before is sent, and masks of a forward pass may differ.
    before = [[drawn(n), SENT, drawn(5)] for n in (1, 2)]
    assert told(*before).line != 14
    masks = [[SENT, drawn(n, phase="forward")] for n in (1, 2)]
    assert told(*masks).line != 14
    # Nor is it a weight that a loader draws for its workers.
    seeds = [[SENT, drawn(n, op="aten.random_", signature="int64[]")] for n in (1, 2)]
    assert told(*seeds).line != 14


def test_a_rank_that_skips_a_step_is_told_with_the_line_of_the_step(run):
    steps = [[step(n, site=0) for n in range(count)] for count in (3, 2)]
    notes = [[noted(0, w="a"), noted(1, w=w)] for w in "bc"]
    (found,) = run([rank([{}], s, steps=n) for s, n in zip(steps, notes, strict=True)])
    assert found.line == 10
    assert found.evidence == "rank 1 takes 2 optimizer steps, rank 0 takes 3"
    assert "all ranks or on none" in found.fix


NOISE = {"op": "aten.randn_like", "flags": 1, "signature": "float32[8, 8]", "outputs": 5}


def met(outputs, op="aten.add.Tensor", signature="float32[8, 8]"):
    return {"op": op, "signature": signature, "outputs": outputs}


def noisy(*after, **draw):
    return rank([{**NOISE, **draw}, *after])


def test_noise_that_ranks_share_is_found_where_it_meets_data_that_differ(run):
    scaled = met(6, "aten.mul.Tensor")
    (found,) = run([noisy(scaled, met(1)), noisy(scaled, met(2))])
    assert (found.code, found.line) == ("identical-randomness", 10)
    assert run([noisy(scaled, met(1)), noisy(scaled, met(2), outputs=6)]) == ()


def test_random_numbers_that_ranks_may_share(run):
    def both(*after, **draw):
        return run([noisy(*(met(n, **one) for one in after), **draw) for n in (1, 2)])

    assert both({}) != ()
    assert both({}, phase="setup") == ()
    assert both({}, signature="int64[64]") == ()  # an order of the samples
    same = {"signature": "int64[8, 8]"}
    assert both(same, **same) == ()  # numbers of samples
    assert both({}, signature="float32[]") == ()  # a decision
    assert both({"op": "aten.mm"}) == ()  # a projection
    assert both({"signature": "float32[64, 8]"}) == ()  # of weights, or for all samples
    assert run([noisy(met(1)), noisy(met(1))]) == ()  # weights that are perturbed
    assert (
        run(
            [
                noisy(
                    met(1),
                ),
                noisy(met(2, "aten.sub.Tensor")),
            ]
        )
        == ()
    )
    assert run([noisy(met(1)), noisy(met(2))], modules=[]) == ()
    sent = met(5, "c10d.broadcast_")
    assert run([noisy(sent, met(1)), noisy(sent, met(2))]) == ()


def epoch(samples, *, count=128, steps=(0, 7), line=20):
    return {"place": ["/a/train.py", line], "steps": list(steps), "samples": [count, samples]}


def read_by(*epochs):
    """Two ranks with batches of their own, and these epochs."""
    return [
        rank([{}], [step(n, batch=10 * r + n) for n in range(3)], epochs=own)
        for r, own in enumerate(epochs, 1)
    ]


def test_ranks_that_read_all_samples_in_orders_of_their_own_are_told(run):
    own = [epoch("aa"), epoch("bb")]
    (found,) = run(read_by(own, [epoch("cc"), epoch("bb", line=30)]))
    assert (found.code, found.line) == ("duplicate-data", 20)
    assert found.detail == "each of ranks 0 and 1 reads the same 128 samples in an epoch"
    assert "DistributedSampler" in found.fix


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ([epoch("aa")], [epoch("cc")]),  # shares
        ([epoch("aa", steps=(7, 7))], [epoch("aa", steps=(7, 7))]),  # an evaluation
        ([epoch("aa", count=4)], [epoch("aa", count=4)]),
        ([epoch("aa")], []),
        # A manifest may say anything.
        ([{"place": 3, "steps": "ab", "samples": [128, "aa"]}], [epoch("aa")]),
        ([{**epoch("aa"), "samples": 7}], [{**epoch("aa"), "samples": 7}]),
    ],
)
def test_shares_and_evaluations_are_no_finding(run, mine, theirs):
    assert run(read_by(mine, theirs)) == ()
