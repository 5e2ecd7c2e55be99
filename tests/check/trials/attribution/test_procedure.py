"""Each decision of the procedure, with runs that are made up."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.diff.verdict import UNEXPLAINED_INPUTS
from samebits.check.record.replays import Replays
from samebits.check.trace.rows import Site
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution import culprit_by_values, procedure
from samebits.check.trials.attribution.procedure import attribute
from samebits.check.trials.attribution.scope import RunScope

RANDOM = divergence(op="aten.uniform_", random=True, data=False)
EQUAL_INPUTS = divergence(op="aten.index_put_", data=False)
NOT_IN_CATALOG = divergence(op="aten.mm", data=False)
AT_ROW_7 = RunScope(row=7)
EVER_AFTER = tuple(range(1, 40))
UNSEEDED = entry("python", "draw", 12, seeded=0, digest=1, other_digest=2)


def only(result):
    (cause,) = result.causes
    return cause


def test_the_strongest_hypothesis_is_held_alone_first(attempt):
    made = attempt("seeds", entries=(UNSEEDED,))
    result = attribute(made.case, made.situation)
    cause = only(result)
    assert (cause.code, cause.detail, cause.confidence) == ("unseeded-rng", "python", "proved")
    assert (cause.file, cause.line) == ("train.py", 12)
    assert result.controls == ("seeds",)
    assert made.bench.calls[0] == ("beside control", ("seeds",))


def test_two_agreeing_runs_under_control_are_reported(attempt):
    made = attempt("seeds", entries=(UNSEEDED,), pins_change_results=True)
    result = attribute(made.case, made.situation)
    assert made.bench.calls[:2] == [("beside control", ("seeds",)), ("pair", ("seeds",))]
    assert made.bench.calls.count(("pair", ("control",))) == 1
    assert result.under_run


def test_a_run_under_control_that_comes_to_the_bits_of_one_with_less_pinned_suffices(attempt):
    made = attempt("seeds", entries=(UNSEEDED,))
    result = attribute(made.case, made.situation)
    assert ("pair", ("control",)) not in made.bench.calls
    assert ("pair", ("seeds",)) not in made.bench.calls
    assert result.under_run


def test_what_run_does_not_hold_is_not_tried_under_it(attempt):
    clock = entry("clock", line=9, other_digest=2)
    made = attempt("clock", entries=(clock,))
    result = attribute(made.case, made.situation)
    assert (only(result).code, only(result).line) == ("clock", 9)
    assert result.under_run is None
    assert ("pair", ("control",)) not in made.bench.calls


def test_a_hash_seed_is_hypothesised_without_any_entry(attempt):
    made = attempt("hash-seed", variables=14)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.detail, cause.line) == ("hash-order", "labels", 14)


@pytest.mark.parametrize(
    ("line", "follows"),
    [("rnd = random.Random(hash((word, epoch)))", False), ("rnd = random.Random(key(word))", True)],
)
def test_a_seed_made_with_a_hash_is_the_line_and_nothing_is_followed(
    attempt, tmp_path, line, follows
):
    """The hash of a tuple leaves no entry, but the generator that it seeds does."""
    script = tmp_path / "noise.py"
    script.write_text(f"import random\n{line}\n")
    seeded = entry(
        "python", "construct", seeded=1, other_digest=2, site=Site(str(script), 2, "", "")
    )
    made = attempt("hash-seed", entries=(seeded,), variables=14)
    cause = only(attribute(made.case, made.situation))
    assert cause.code == "hash-order"
    assert (cause.line == 2) != follows
    assert any("values" in what for what, _ in made.bench.calls) == follows
    assert ("zlib.crc32(repr((word, epoch)).encode())" in cause.fix) != follows


def test_variables_are_followed_with_the_culprit_alone_varying(attempt):
    made = attempt("hash-seed", variables=14)
    attribute(made.case, made.situation)
    (varied,) = [held for what, held in made.bench.calls if what == "values"]
    assert "hash-seed" not in varied
    assert {"addresses", "seeds"} <= set(varied)


def test_addresses_are_held_together_with_the_hash_seed(attempt):
    made = attempt("addresses", "hash-seed")
    result = attribute(made.case, made.situation)
    assert only(result).code == "address-order"
    assert result.controls == ("addresses", "hash-seed")


def test_a_hash_seed_set_from_outside_is_no_hypothesis(attempt):
    made = attempt("addresses", evidence={"hash_seed_fixed": True})
    assert only(attribute(made.case, made.situation)).code == "address-order"
    assert ("pair", ("hash-seed",)) not in made.bench.calls


def test_several_causes_at_once_are_all_named(attempt):
    made = attempt("seeds", "hash-seed", entries=(UNSEEDED,), variables=14)
    result = attribute(made.case, made.situation)
    assert {cause.code for cause in result.causes} == {"unseeded-rng", "hash-order"}
    assert set(result.controls) == {"seeds", "hash-seed"}
    assert all(cause.confidence == "proved" for cause in result.causes)


def test_a_later_cause_is_explained_after_the_first(attempt):
    later = divergence(line=30, rows=(40, 40))
    made = attempt(
        parts=[(divergence(), frozenset({"hash-seed"})), (later, frozenset({"seeds"}))],
        entries=(UNSEEDED,),
    )
    result = attribute(made.case, made.situation)
    assert [cause.code for cause in result.causes] == ["hash-order", "unseeded-rng"]
    assert result.controls == ("hash-seed", "seeds")


def test_the_same_operation_a_few_rows_later_is_no_progress(attempt):
    # Holding the clock lets a loop run twice more; what differs is the same as before.
    clock = entry("clock", other_digest=2)
    made = attempt(
        parts=[
            (divergence(), frozenset({"clock"})),
            (divergence(rows=(9, 9)), frozenset({"seeds"})),
        ],
        entries=(clock,),
    )
    result = attribute(made.case, made.situation)
    assert result.controls in (("clock", "seeds"), ())
    assert ("pair", ("clock", "seeds")) in made.bench.calls or made.bench.budget == 0


def test_an_operation_that_does_not_repeat_is_proved_by_repeating_it(attempt):
    replays = Replays(
        op="aten.index_put_",
        repeats={"as-is": 3, "deterministic": 90, "one-thread": 90},
        results={"as-is": 3, "deterministic": 1, "one-thread": 1},
        refused={},
    )
    made = attempt("deterministic-algorithms", found=EQUAL_INPUTS, replays=replays)
    result = attribute(made.case, made.situation)
    cause = only(result)
    assert (cause.code, cause.detail, cause.line) == (
        "nondeterministic-op",
        "aten.index_put_",
        20,
    )
    assert "3 times on the same inputs, gave 3 different results" in cause.evidence
    assert "use_deterministic_algorithms" in cause.fix
    assert result.controls == ("deterministic-algorithms",)


@pytest.mark.parametrize(
    "changes",
    [
        {"random": True, "data": False},
        {"data": True},
        {"kind": "inserted", "data": False},
        {"detail": UNEXPLAINED_INPUTS, "data": False},
    ],
)
def test_only_an_operation_on_equal_inputs_is_repeated(attempt, changes):
    made = attempt("hash-seed", found=divergence(**changes))
    attribute(made.case, made.situation)
    assert "replays" not in {what for what, _ in made.bench.calls}


@pytest.mark.parametrize("needed", ["deterministic-algorithms", "threads"])
def test_an_operation_that_repeats_in_one_process_by_luck_is_still_hypothesised_first(
    attempt, needed
):
    once = Replays(op="aten.index_put_", repeats={"as-is": 200}, results={"as-is": 1}, refused={})
    made = attempt(needed, found=EQUAL_INPUTS, replays=once)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.detail) == ("nondeterministic-op", "aten.index_put_")
    assert cause.confidence == "proved"


@pytest.mark.parametrize("needed", ["hash-seed", "seeds"])
def test_no_order_and_no_seed_reaches_into_an_operation_of_torch(attempt, needed):
    """Two runs that agree by luck must not confirm what cannot have made them diverge."""
    made = attempt(needed, found=EQUAL_INPUTS, entries=(UNSEEDED,))
    attribute(made.case, made.situation)
    pairs = [set(held) for what, held in made.bench.calls if what == "pair"]
    assert {needed} not in pairs
    assert not any("seeds" in held for held in pairs)


def test_memory_that_was_read_unwritten_is_held_first(attempt):
    made = attempt("memory", evidence={"flags": Flag.READS_UNWRITTEN}, found=RANDOM)
    made.situation.closer_traces[0].rows = lambda _: []
    made.situation.closer_traces[0].row = lambda _: divergence()
    for trace in made.situation.closer_traces:
        trace.rows = lambda _: []
        trace.row = lambda _: divergence()
    assert only(attribute(made.case, made.situation)).code == "uninitialized-memory"
    assert made.bench.calls[0] == ("pair", ("memory",))


def test_nothing_that_can_be_held_leaves_the_cause_unknown(attempt):
    made = attempt(found=NOT_IN_CATALOG)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.confidence) == ("unknown", "likely")
    assert "still diverge with" in cause.evidence
    assert cause.fix


def test_another_flow_that_nothing_explains_is_control_flow(attempt):
    made = attempt(found=divergence(kind="inserted", data=False), variables=11)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line) == ("control-flow", 11)
    assert cause.evidence.endswith("after this line 'labels' is not the same in every run.")


def test_data_that_nothing_explains_stay_likely(attempt):
    made = attempt(found=divergence(data=True))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.confidence) == ("data-changed", "likely")


def test_a_spent_budget_names_the_strongest_hypothesis_as_likely(attempt):
    made = attempt("seeds", entries=(UNSEEDED,), budget=1)
    result = attribute(made.case, made.situation)
    cause = only(result)
    assert (cause.code, cause.line, cause.confidence) == ("unseeded-rng", 12, "likely")
    assert any("--budget" in note for note in result.notes)
    assert result.controls == ()


def test_a_search_that_was_cut_says_of_no_pins_that_they_do_not_help(attempt):
    """With everything pinned two runs have agreed, when the budget runs out."""
    told = []
    for budget in range(2, 24):
        made = attempt("addresses", "hash-seed", "clock", found=NOT_IN_CATALOG, budget=budget)
        result = attribute(made.case, made.situation)
        if made.case.spent and result.causes[0].code == "unknown":
            told.append(result.causes[0].evidence)
    assert told
    assert not any("still diverge" in text for text in told)


def test_the_budget_is_never_exceeded(attempt):
    for budget in range(13):
        made = attempt("listing", "hash-seed", entries=(UNSEEDED,), budget=budget)
        attribute(made.case, made.situation)
        assert made.bench.budget >= 0


def test_a_hold_that_makes_the_script_hang_proves_nothing(attempt):
    threads = entry("thread", "start", 8)
    made = attempt("thread-timing", entries=(threads,), hangs_under=frozenset({"thread-timing"}))
    cause = only(attribute(made.case, made.situation))
    assert cause.confidence == "likely"


def test_runs_that_ended_early_leave_the_rest_open(attempt):
    made = attempt(
        "seeds", entries=(UNSEEDED,), scope=RunScope(row=7), has_time_for_whole_runs=False
    )
    result = attribute(made.case, made.situation)
    assert result.controls == ("seeds",)
    assert not result.whole
    assert result.under_run
    assert result.notes == ()  # the line on samebits run says how far they were compared


def test_runs_that_ended_early_are_carried_on_where_that_is_cheap(attempt):
    made = attempt("seeds", entries=(UNSEEDED,), scope=RunScope(row=7))
    result = attribute(made.case, made.situation)
    assert (result.whole, result.under_run) == (True, True)
    # One run under each, and they agree: neither needs a second one of its kind.
    assert made.bench.calls.count(("beside control", ("seeds",))) == 2
    assert ("pair", ("control",)) not in made.bench.calls


def test_what_one_cause_had_hidden_is_explained_too(attempt):
    later = divergence(line=30, rows=(40, 40))
    made = attempt(
        parts=[(divergence(), frozenset({"seeds"})), (later, frozenset({"hash-seed"}))],
        entries=(UNSEEDED,),
        scope=RunScope(row=7),
    )
    result = attribute(made.case, made.situation)
    assert [cause.code for cause in result.causes] == ["unseeded-rng", "hash-order"]
    assert (result.controls, result.whole) == (("seeds", "hash-seed"), True)


def test_a_hold_that_is_not_to_be_had_here_is_not_asked_for(attempt):
    made = attempt("addresses", found=NOT_IN_CATALOG, usable=("hash-seed", "seeds"))
    cause = only(attribute(made.case, made.situation))
    assert cause.code == "unknown"
    assert all("addresses" not in held for _, held in made.bench.calls)


def test_what_control_holds_already_is_no_hypothesis(attempt):
    made = attempt("clock", entries=(UNSEEDED, entry("clock", other_digest=2)))
    made.case.already = frozenset({"seeds", "hash-seed", "addresses"})
    result = attribute(made.case, made.situation)
    assert only(result).code == "clock"
    assert all("seeds" not in held for _, held in made.bench.calls)
    assert result.under_run is None


def test_threads_are_blamed_where_they_were_started_unless_values_arrive(attempt):
    threads = entry("thread", "start", 8)
    for variables, line in ((None, 8), (14, 14)):
        made = attempt("thread-timing", entries=(threads,), variables=variables)
        assert only(attribute(made.case, made.situation)).line == line


def test_files_that_both_runs_changed_are_hypothesised(attempt):
    made = attempt("files", evidence={"rewritten": ("/w/cache",)}, variables=11)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line) == ("data-changed", 11)
    assert "each run writes /w/cache" in cause.evidence
    assert cause.fix.startswith("Run 1 wrote /w/cache, and run 2 found it there")
    # Both of the runs that are followed leave their files behind.
    (varied,) = [held for what, held in made.bench.calls if what == "values"]
    assert "files" not in varied


def test_names_do_not_collide_where_variables_are_followed(attempt):
    named = entry("uuid", "draw", 8, detail="uuid.uuid4")
    further = entry("python", "draw", 14, seeded=0, digest=1, other_digest=2)
    made = attempt("seeds", entries=(named, UNSEEDED, further), variables=11)
    assert only(attribute(made.case, made.situation)).code == "unseeded-rng"
    (varied,) = [held for what, held in made.bench.calls if what == "values"]
    assert {"entropy", "files"} <= set(varied)


def test_an_operation_that_is_known_not_to_repeat_is_named_where_no_pin_helps(attempt):
    made = attempt(found=replace(EQUAL_INPUTS, op="aten.linalg_lstsq"))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.confidence) == ("nondeterministic-op", "likely")
    assert "gelsd" in cause.fix


def test_what_the_first_run_left_is_told_beside_another_cause(attempt):
    left = {"left_besides": ("/w/snapshot.pt",)}
    made = attempt("seeds", entries=(UNSEEDED,), evidence=left)
    found = attribute(made.case, made.situation)
    assert (only(found).code, found.controls) == ("unseeded-rng", ("seeds",))
    # Pairs that both found the file say nothing of the first two runs.
    assert found.under_run is None
    (note,) = [note for note in found.notes if "/w/snapshot.pt" in note]
    assert note.endswith("or write it to a folder of the run's own")
    made = attempt("seeds", entries=(UNSEEDED,))
    assert attribute(made.case, made.situation).under_run is True


COMING_AND_GOING = divergence(kind="step", op="aten.optimizer step", rows=(None, None), data=False)


def test_a_pair_that_agrees_by_luck_confirms_nobody_where_differences_come_and_go(attempt):
    made = attempt("nothing", found=COMING_AND_GOING, comes_and_goes=True, luck=(1, 2))
    found = attribute(made.case, made.situation)
    assert [cause.code for cause in found.causes] == ["unknown"]
    held = {name for _, names in made.bench.calls for name in names}
    assert "hash-seed" not in held
    assert "threads" in held or "deterministic-algorithms" in held


def test_a_hold_that_helps_each_time_is_confirmed_where_differences_come_and_go(attempt):
    made = attempt(
        "thread-timing",
        found=COMING_AND_GOING,
        comes_and_goes=True,
        entries=(entry("thread", "start", line=9),),
        pins_change_results=True,
    )
    found = attribute(made.case, made.situation)
    assert [(cause.code, cause.confidence) for cause in found.causes] == [
        ("thread-timing", "likely")
    ]
    pinned = [what for what, held in made.bench.calls if held == ("thread-timing",)]
    assert pinned == ["pair", "once more", "once more", "once more"]


DRAWN = divergence(kind="output", op="aten.randint", step=3, random=True, data=False)
TIMED = entry("clock", line=9, other_digest=2)
LISTED = entry("listing", "list", 6, order_free=3, other_digest=2)


def test_a_later_step_of_the_same_place_confirms_nothing_that_others_explain(attempt):
    """Seeds are held first; that pair happens to part two steps later: the clock would have it."""
    made = attempt("clock", found=DRAWN, entries=(TIMED,), pace=(5, 5, 4, 4, 4))
    result = attribute(made.case, made.situation)
    assert made.bench.calls[:2] == [("beside control", ("seeds",)), ("pair", ("seeds",))]
    assert (only(result).code, only(result).line) == ("clock", 9)
    assert result.controls == ("clock",)


def test_a_later_step_is_no_proof_where_runs_get_there_by_themselves(attempt):
    made = attempt(found=DRAWN, entries=(UNSEEDED,), pace=(5, 5, 2, 2, 4, 2, 2, 2))
    result = attribute(made.case, made.situation)
    assert ("once more", ("seeds",)) in made.bench.calls
    assert {cause.confidence for cause in result.causes} == {"likely"}


def test_a_later_step_is_a_proof_where_runs_do_not_get_there_by_themselves(attempt):
    later = divergence(kind="step", op="parameters", step=9)
    parts = [
        (divergence(kind="step", op="parameters", step=3), frozenset({"seeds"})),
        (later, frozenset({"nothing that can be held"})),
    ]
    made = attempt(parts=parts, entries=(UNSEEDED,))
    first, *_ = attribute(made.case, made.situation).causes
    assert (first.code, first.confidence) == ("unseeded-rng", "proved")
    assert ("once more", ()) in made.bench.calls


def test_what_goes_by_addresses_is_no_hash_order_though_a_fixed_hash_seed_helps(attempt):
    """Few objects lie in the same order each time, as long as nothing moves them."""
    made = attempt("hash-seed", by_address=True, variables=14)
    result = attribute(made.case, made.situation)
    assert made.bench.calls == [
        ("shaken values", ("memory", "seeds")),
        ("shaken beside control", ("hash-seed",)),
        ("shaken pair", ("hash-seed",)),
        ("pair", ("addresses", "hash-seed")),
        ("shaken values", ("hash-seed", "memory", "seeds")),
    ]
    assert (only(result).code, only(result).confidence) == ("address-order", "proved")
    assert result.controls == ("addresses", "hash-seed")


def test_a_hash_order_stays_one_where_objects_are_moved(attempt):
    made = attempt("hash-seed", variables=14)
    assert only(attribute(made.case, made.situation)).code == "hash-order"
    assert made.bench.calls[1] == ("shaken beside control", ("hash-seed",))


def test_no_run_is_promised_to_agree_where_addresses_decide(attempt):
    made = attempt("addresses", "hash-seed", variables=14)
    result = attribute(made.case, made.situation)
    assert result.under_run is None
    assert ("pair", ("control",)) not in made.bench.calls
    assert any("does not control where each object is allocated" in note for note in result.notes)


def test_what_cannot_be_proved_is_not_asked_for_once_it_is_likely(attempt):
    """Where threads were started, and no set was seen to be walked, an order stays likely."""
    started = entry("thread", "start", 3, detail="threading.Thread.start")
    made = attempt("hash-seed", variables=14, diverged=(100,), entries=(started,))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.confidence) == ("hash-order", "likely")
    assert "once more" not in [what for what, _ in made.bench.calls]


@pytest.mark.parametrize(
    ("confidence", "found"),
    [("likely", ["address-order"]), ("proved", ["address-order", "unseeded-rng"])],
)
def test_what_comes_after_an_order_that_is_held_in_part_is_not_explained(
    attempt, monkeypatch, confidence, found
):
    """What differs later may be that order once more, and no pin keeps it still."""
    later = divergence(line=30, rows=(40, 40))
    orders = frozenset({"addresses", "hash-seed"})
    made = attempt(
        parts=[(divergence(), orders), (later, frozenset({"seeds"}))], entries=(UNSEEDED,)
    )
    monkeypatch.setattr(procedure, "confidence", lambda *_: confidence)
    result = attribute(made.case, made.situation)
    assert [cause.code for cause in result.causes] == found


def test_what_a_run_has_refuted_is_not_called_likely(attempt):
    made = attempt("nothing", entries=(UNSEEDED,), budget=3)
    cause = only(attribute(made.case, made.situation))
    assert made.bench.calls == [("beside control", ("seeds",)), ("pair", ("seeds",))]
    assert (cause.code, cause.confidence) == ("data-changed", "likely")


# ---- what a proof takes ----------------------------------------------------------------------


def test_one_pair_that_agrees_proves_nothing(attempt):
    """The pair with a pinned clock agrees by luck, and the next run under it diverges."""
    made = attempt("listing", entries=(TIMED, LISTED), luck=(1,), diverged=(100,))
    result = attribute(made.case, made.situation)
    assert made.bench.calls[0] == ("pair", ("listing",)) or ("once more", ("clock",)) in (
        made.bench.calls
    )
    assert (only(result).code, only(result).confidence) == ("file-order", "proved")


def test_what_a_later_run_refutes_is_left_and_the_next_is_asked(attempt):
    made = attempt("clock", entries=(UNSEEDED, TIMED), luck=(2,), pins_change_results=True)
    result = attribute(made.case, made.situation)
    assert made.bench.calls[:2] == [("beside control", ("seeds",)), ("pair", ("seeds",))]
    assert ("once more", ("seeds",)) in made.bench.calls
    assert (only(result).code, only(result).confidence) == ("clock", "proved")
    assert result.controls == ("clock",)


def test_what_does_not_suffice_alone_is_still_found_to_be_needed(attempt):
    """Seeds alone agree once by luck: they are refuted as the cause, and needed beside another."""
    made = attempt("seeds", "hash-seed", entries=(UNSEEDED,), variables=14, luck=(1,))
    result = attribute(made.case, made.situation)
    assert ("once more", ("seeds",)) in made.bench.calls
    assert {cause.code for cause in result.causes} == {"unseeded-rng", "hash-order"}
    assert set(result.controls) == {"seeds", "hash-seed"}


def test_what_was_needed_beside_something_unknown_is_named_as_likely(attempt):
    """By luck a run without turns agrees: what is needed beside the seeds is not found."""
    worker = entry("thread", "start", 8)
    made = attempt(
        *("seeds", "thread-timing"), entries=(UNSEEDED, worker), let_go_luck=("thread-timing",)
    )
    result = attribute(made.case, made.situation)
    cause = only(result)
    assert (cause.code, cause.line, cause.confidence) == ("unseeded-rng", 12, "likely")
    assert result.controls == ()


def test_what_depends_on_pace_takes_more_runs_to_prove(attempt):
    worker = entry("thread", "start", 8)
    made = attempt("thread-timing", entries=(worker,), pins_change_results=True)
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    plain = [what for what, held in made.bench.calls if not held]
    pinned = [what for what, held in made.bench.calls if held == ("thread-timing",)]
    assert len(pinned) >= 4  # a pair and three more
    assert len(plain) >= 1


def test_a_difference_that_went_after_the_first_run_confirms_nobody(attempt):
    """All runs after the first one agree, whatever is pinned: it says nothing of what is."""
    made = attempt("nothing", entries=(UNSEEDED,), diverged=(100,), luck=EVER_AFTER)
    _leaves_a_cache(made)
    result = attribute(made.case, made.situation)
    assert made.bench.calls[-4:] == [("once more", ())] * 4
    assert (only(result).code, only(result).confidence) == ("unknown", "likely")
    assert "did not recur" in only(result).evidence


def test_the_file_that_the_first_run_left_is_named(attempt):
    found = entry("file", "read", 9, detail="/w/cache", other_digest=2)
    made = attempt("nothing", entries=(found,), diverged=(100,), luck=EVER_AFTER)
    _leaves_a_cache(made)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line, cause.confidence) == ("data-changed", 9, "likely")
    assert "Run 1 wrote /w/cache" in cause.evidence


def test_a_file_that_run_2_opened_as_it_found_it_and_wrote_anew_is_named(attempt):
    made = attempt("nothing", entries=(UNSEEDED,), diverged=(100,), luck=EVER_AFTER)
    _leaves_a_cache(made, found=["/w/cache"])
    assert "Run 1 wrote /w/cache" in only(attribute(made.case, made.situation)).evidence


def test_files_among_several_things_are_asked_first_by_a_pair(attempt):
    """A marker that every second run removes: a single run finds it or not, by their number."""
    made = attempt(
        "files",
        found=divergence(kind="inserted", data=False),
        evidence={"rewritten": ("/w/marker",)},
        variables=11,
    )
    assert only(attribute(made.case, made.situation)).code == "data-changed"
    pairs = [frozenset(held) for what, held in made.bench.calls if what == "pair"]
    everything = next(held for held in pairs if len(held) > 2)
    assert pairs[pairs.index(everything) + 1] == everything - {"files"}


def test_files_that_runs_only_write_explain_no_difference_that_comes_and_goes(attempt):
    """A thread is a race; that each run saves its results was there beside it."""
    made = attempt(
        "thread-timing",
        entries=(entry("thread", "start", 8),),
        diverged=(100,),
        luck=(2,),
        evidence={"rewritten": ("/w/results",)},
    )
    _leaves_a_cache(made)
    cause = only(attribute(made.case, made.situation))
    assert made.bench.calls.count(("once more", ())) >= 2
    assert (cause.code, cause.confidence) == ("thread-timing", "likely")


def test_a_generator_without_a_seed_may_decide_in_some_pairs_of_runs_alone(attempt):
    """A batch that is augmented with a chance of 15 in 100 is the same in most pairs of runs."""
    made = attempt("seeds", entries=(UNSEEDED, TIMED), diverged=(100,), luck=(2,))
    _leaves_a_cache(made)
    cause = only(attribute(made.case, made.situation))
    assert made.bench.calls.count(("once more", ())) >= 2
    assert cause.code == "unseeded-rng"


def test_a_rival_that_the_ledger_speaks_for_is_pinned_before_anything_is_proved(attempt):
    """With all rivals pinned the listing alone makes runs diverge: only then is it proved."""
    made = attempt("listing", entries=(TIMED, LISTED))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.confidence) == ("file-order", "proved")
    assert any(what in ("let go", "values") for what, _ in made.bench.calls)


def test_tasks_that_draw_without_a_seed_are_told_where_seeds_alone_do_not_help(attempt):
    """Which process takes which task goes by timing: further holds would tell nothing new."""
    drawn = entry("numpy", "draw", 16, seeded=0, process=1, other_digest=2)
    started = entry("process", "start", 8)
    made = attempt(
        "nothing",
        entries=(started, drawn),
        evidence={"drawn_unseeded": (drawn,), "without_seed": (drawn,)},
    )
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line, cause.confidence) == ("unseeded-rng", 16, "likely")
    held = {frozenset(pins) for what, pins in made.bench.calls if what != "values"}
    assert frozenset({"seeds"}) in held
    assert not any("thread-timing" in pins for pins in held)


def test_what_makes_no_difference_beside_its_rivals_is_not_proved(attempt):
    """Either of two things, pinned alone, makes the runs agree: which is it?"""
    made = attempt("listing", entries=(TIMED, LISTED))
    either = SimpleNamespace(parts_under=lambda held: _unless(made, held), luck=(), pace=())
    either.by_address, either.variables, either.replays = False, None, None
    made.bench.script = either
    cause = only(attribute(made.case, made.situation))
    assert cause.confidence == "likely"


def _leaves_a_cache(made, found=()):
    for number, trace in enumerate(made.situation.traces):
        paths = ["/w/cache"] if number == 0 or found else []
        changed = {"paths": paths, "found": list(found) if number else [], "beyond": []}
        trace.manifest = SimpleNamespace(
            extra={"changed": changed},
            files=[],
            script={},
            code=[],
            cwd="/w",
            seconds=10.0,
            exit={"code": 0},
            ending={},
        )


def _unless(made, held):
    return None if held & {"clock", "listing"} else made.situation.found


def test_a_seed_that_differs_is_named_where_nothing_else_explains_it(attempt):
    seeded = entry(
        "numpy-generator", "construct", 30, detail="default_rng", seeded=1, other_digest=2
    )
    made = attempt("nothing", entries=(seeded,))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line, cause.confidence) == ("unseeded-rng", 30, "likely")
    named = entry("python", "draw", 12, detail="tempfile.mkdtemp")
    made = attempt("nothing", entries=(named, seeded))
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.detail, cause.line) == ("entropy", "tempfile.mkdtemp", 30)
    assert "train.py:12" in cause.evidence


def test_no_more_is_asked_than_the_budget_allows_and_the_cause_is_likely_then(attempt):
    made = attempt("seeds", entries=(UNSEEDED,), budget=2)
    result = attribute(made.case, made.situation)
    assert (only(result).code, only(result).confidence) == ("unseeded-rng", "likely")


def test_a_cause_names_the_comparisons_that_it_rests_on(attempt):
    made = attempt("seeds", entries=(UNSEEDED,))
    cause = only(attribute(made.case, made.situation))
    assert {100, 101} <= set(cause.observations)
    assert len(cause.observations) > 3


def test_pinned_files_are_asked_for_by_pairs(attempt):
    """What unpinned runs leave in between is found by a single run, and not by the earlier pair."""
    made = attempt(
        "files",
        evidence={"rewritten": ("/w/cache",)},
        diverged=(100,),
        pins_change_results=True,
    )
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    pinned = [what for what, held in made.bench.calls if held == ("files",)]
    assert pinned == ["pair", "pair"]


@pytest.mark.parametrize(("changes", "singles"), [(False, 0), (True, 1)])
def test_runs_with_more_pinned_count_where_they_came_to_the_same_bits(attempt, changes, singles):
    """A run that follows variables, everything pinned, stands for one with the culprit pinned."""
    two = (entry("clock", line=5, other_digest=2), entry("clock", line=9, other_digest=2))
    made = attempt("clock", entries=two, variables=9, pins_change_results=changes)
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    assert any(what == "values" for what, _ in made.bench.calls)
    assert made.bench.calls.count(("once more", ("clock",))) == singles


def test_run_2_beside_a_pinned_run_is_a_divergence_without_the_pin(attempt):
    made = attempt("seeds", entries=(UNSEEDED,), diverged=(100,))
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    singles = [held for what, held in made.bench.calls if what == "once more"]
    assert singles == [(), ("seeds",)]


@pytest.mark.parametrize("line", [None, 31])
def test_it_is_none_where_the_two_agree_or_diverge_elsewhere(attempt, monkeypatch, line):
    made = attempt("seeds", entries=(UNSEEDED,), diverged=(100,))
    elsewhere = None if line is None else divergence(line=line, rows=(1, 1))

    def compare(reference, other, circumstances, scope, **_):
        of_run_2 = other is made.situation.traces[1]
        found = elsewhere if of_run_2 else divergence()
        return made.bench._made(circumstances, found, scope)

    monkeypatch.setattr(made.bench, "compare", compare)
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    singles = [held for what, held in made.bench.calls if what == "once more"]
    assert sorted(singles) == [(), (), ("seeds",)]


@pytest.mark.parametrize("pinned", [True, False], ids=["a pinned run", "a further plain run"])
def test_nothing_is_proved_where_run_2_may_be_the_odd_one(attempt, monkeypatch, pinned):
    """Others agree with run 1, and all that diverges is run 2: one event, and not several."""
    made = attempt("seeds", entries=(UNSEEDED,), diverged=(100,))
    runs = made.situation.traces

    def compare(reference, other, circumstances, scope, **_):
        asked = reference is not runs[0] if pinned else reference is runs[0]
        agrees = asked and (other is runs[0]) == pinned
        return made.bench._made(circumstances, None if agrees else divergence(), scope)

    monkeypatch.setattr(made.bench, "compare", compare)
    assert only(attribute(made.case, made.situation)).confidence == "likely"


@pytest.mark.parametrize(("line", "singles"), [(31, 0), (32, 1)])
def test_it_counts_too_where_runs_diverge_with_all_pinned_but_this(
    attempt, monkeypatch, line, singles
):
    """What is drawn for two runs may agree at the first place that it reaches."""
    two = (UNSEEDED, entry("numpy", "draw", 14, seeded=0, digest=1, other_digest=2))
    made = attempt("seeds", entries=two, variables=12, diverged=(100,))
    earlier = divergence(line=31, rows=(3, 3))
    let_go = made.bench.let_go

    def varied(*given, **options):
        trial, values = let_go(*given, **options)
        return replace(trial, divergence=earlier), values

    def compare(reference, other, circumstances, scope, **_):
        found = None if circumstances.pinned else divergence(line=line, rows=(3, 3))
        return made.bench._made(circumstances, found, scope)

    monkeypatch.setattr(made.bench, "let_go", varied)
    monkeypatch.setattr(made.bench, "compare", compare)
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    assert [what for what, _ in made.bench.calls].count("once more") == singles


def test_what_may_be_fixed_to_another_value_than_runs_ever_have_is_not_compared_so(attempt):
    """A clock that stands still is none that a run meets by itself."""
    made = attempt("clock", entries=(entry("clock", line=9, other_digest=2),), diverged=(100,))
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    assert ("clock",) not in made.bench.beside


@pytest.mark.parametrize(("goes_by", "singles"), [("string", 0), ("unknown", 1)])
def test_an_order_that_has_been_let_go_alone_takes_four_runs(
    attempt, monkeypatch, goes_by, singles
):
    """Nothing else that was pinned makes runs diverge: the run beside it counts as well."""
    made = attempt("hash-seed", variables=14, diverged=(100,))
    walked = WalkedSet(file="train.py", line=14, goes_by=goes_by, ordered=False)
    place = Culprit(file="train.py", line=14, variable="labels", walked=walked)
    monkeypatch.setattr(culprit_by_values, "of_order", lambda values, at: place)
    assert only(attribute(made.case, made.situation)).confidence == "proved"
    assert [what for what, _ in made.bench.calls].count("once more") == singles


def test_where_no_order_is_to_blame_none_is_pinned(attempt):
    """Two runs with all but the orders pinned agree: it is one of what was pinned."""
    made = attempt("memory", evidence={"flags": Flag(0)})
    attribute(made.case, made.situation)
    assert made.bench.calls[0] == ("shaken values", ("memory", "seeds"))
    assert not [held for what, held in made.bench.calls if set(held) <= {"addresses", "hash-seed"}]


def test_a_set_seen_to_go_by_addresses_that_no_pin_holds_ends_the_search(attempt, monkeypatch):
    """All else was pinned in the two runs that walked it in other orders."""
    made = attempt(variables=9, entries=(entry("clock", line=5, other_digest=2),))
    walked = WalkedSet(file="train.py", line=9, goes_by="identity", ordered=False)
    place = Culprit(file="train.py", line=9, variable="labels", walked=walked)
    monkeypatch.setattr(culprit_by_values, "of_order", lambda values, at: place)
    cause = only(attribute(made.case, made.situation))
    assert (cause.code, cause.line, cause.confidence) == ("address-order", 9, "likely")
    asked = [held for _, held in made.bench.calls]
    assert ("addresses", "hash-seed") in asked
    assert asked.index(("addresses", "hash-seed")) == len(asked) - 1


def test_a_script_that_fails_where_all_durations_are_alike_gets_an_uneven_clock(attempt):
    read = entry("clock", "read", 7, detail="time.perf_counter", other_digest=2)
    even = frozenset({"an even clock"})
    made = attempt("clock", entries=(read,), hangs_under=even)
    found = attribute(made.case, made.situation)
    assert [(cause.code, cause.line) for cause in found.causes] == [("clock", 7)]
    assert made.bench.calls.count(("pair", ("clock",))) == 2
    # Where it fails all the same, clocks go on as they did.
    made = attempt("clock", entries=(read,), hangs_under=frozenset({"clock"}))
    attribute(made.case, made.situation)
    assert made.bench.clock == {}


def test_where_one_line_takes_a_digest_of_a_name_it_is_blamed_if_variables_tell_nothing(attempt):
    named = entry("pid", "read", 7, detail="tempfile.TemporaryDirectory.__init__", other_digest=2)
    evidence = {"digested": [("splits.py", 44)]}
    made = attempt("entropy", entries=(named,), evidence=evidence)
    (cause,) = attribute(made.case, made.situation).causes
    assert (cause.code, cause.file, cause.line) == ("entropy", "splits.py", 44)
    assert "splits.py:44" in cause.fix
    # A digest may be the same in every run: what variables tell comes first.
    made = attempt("entropy", entries=(named,), evidence=evidence, variables=9)
    (cause,) = attribute(made.case, made.situation).causes
    assert cause.line == 9
    assert "splits.py:44" in cause.fix
    # One above the line after which something differs has not made it differ.
    above = {"digested": [(cause.file, 8)]}
    made = attempt("entropy", entries=(named,), evidence=above, variables=9)
    (cause,) = attribute(made.case, made.situation).causes
    assert cause.line == 9
    assert "digest" not in cause.fix


def test_a_time_that_was_read_beside_a_seed_of_unknown_origin_needs_variables(attempt):
    read = entry("clock", "read", 7, detail="time.time", other_digest=2)
    seeded = entry("torch-generator", "seed", 17, seeded=1, other_digest=2)
    made = attempt("clock", entries=(read, seeded), variables=9)
    (cause,) = attribute(made.case, made.situation).causes
    assert (cause.code, cause.line) == ("clock", 9)
    # Where the seed is known to be that time, no further run is made for it.
    of_it = entry("torch-generator", "seed", 17, seeded=1, other_digest=2, origin_row=read.row)
    made = attempt("clock", entries=(read, of_it), variables=9)
    (cause,) = attribute(made.case, made.situation).causes
    assert cause.line == 7


def test_a_pair_to_the_end_that_diverges_there_again_leaves_it_at_likely(attempt):
    made = attempt("listing", entries=(entry("listing", line=9, other_digest=2),), scope=AT_ROW_7)
    made.bench.shaken_at_the_end = True
    result = attribute(made.case, made.situation)
    assert (only(result).code, only(result).confidence) == ("file-order", "likely")
    assert result.controls == ()
    assert result.notes == (
        "with listing pinned, one pair of runs agreed at the first divergence, and the next pair "
        "did not",
    )


@pytest.mark.parametrize("thorough", [True, False])
def test_what_differs_later_is_looked_into_where_the_first_cause_was_cheap(attempt, thorough):
    later = divergence(line=30, rows=(40, 40))
    made = attempt(
        parts=[(divergence(), frozenset({"hash-seed"})), (later, frozenset({"seeds"}))],
        entries=(UNSEEDED,),
        was_cheap=False,
    )
    made.case.thorough = thorough
    result = attribute(made.case, made.situation)
    codes = ["hash-order", "unseeded-rng"] if thorough else ["hash-order"]
    assert [cause.code for cause in result.causes] == codes
    left = "why was not looked into, to save time: --budget 5m allows more runs"
    assert any(left in note for note in result.notes) != thorough
