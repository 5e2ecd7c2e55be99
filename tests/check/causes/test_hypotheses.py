"""Which hypothesis comes first, by what the ledgers hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes import hypotheses
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.entropy import has_drawn_names
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Standing
from samebits.check.causes.uninitialized_memory import UninitializedMemory
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.verdict import UNEXPLAINED_INPUTS
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trace.schema import Flag

CLOCK_ROW = LedgerRow(source="clock", event="read", detail="time.time", site=None)
RANDOM = divergence(op="aten.uniform_", random=True, data=False)


def ranked(found, *entries, **more):
    return hypotheses(Evidence(found=found, entries=entries, **more))


def first(found, *entries, **more):
    hypothesis = ranked(found, *entries, **more)[0]
    return hypothesis.pin, hypothesis.code


@pytest.mark.parametrize(
    ("found", "entries", "pin", "code"),
    [
        (RANDOM, (), "seeds", "unseeded-rng"),
        (RANDOM, (entry("torch-cpu", "draw", seeded=0),), "seeds", "unseeded-rng"),
        (divergence(), (entry("numpy", "draw", seeded=0),), "seeds", "unseeded-rng"),
        (divergence(), (entry("numpy", "draw", seeded=0, worker=1),), "seeds", "worker-rng"),
        (divergence(), (entry("numpy", "seed", seeded=0),), "seeds", "unseeded-rng"),
        (
            divergence(),
            (entry("python", "seed", seeded=1, worker=0, other_digest=2),),
            "seeds",
            "unseeded-rng",
        ),
        (
            RANDOM,
            (entry("urandom", "draw"), entry("torch-cpu", "seed", seeded=1, other_digest=2)),
            "entropy",
            "entropy",
        ),
        (
            divergence(),
            (
                entry("python", "draw", seeded=0, detail="tempfile.mkstemp"),
                entry("listing", "list", other_digest=2),
            ),
            "entropy",
            "entropy",
        ),
        (divergence(kind="inserted"), (entry("clock"),), "clock", "clock"),
        (
            RANDOM,
            (entry("torch-cpu", "seed", seeded=1), entry("torch-cpu", "draw", seeded=1)),
            "hash-seed",
            "hash-order",
        ),
        (RANDOM, (entry("torch-cpu", "draw", seeded=1), entry("clock")), "clock", "clock"),
        (
            RANDOM,
            (entry("torch-cpu", "draw", seeded=1), entry("torch-generator", "draw", seeded=0)),
            "seeds",
            "unseeded-rng",
        ),
        (
            divergence(),
            (entry("listing", "list", other_digest=2, order_free=3),),
            "listing",
            "file-order",
        ),
        (divergence(), (entry("file", other_digest=2),), "files", "data-changed"),
        (divergence(), (entry("hash", other_digest=2),), "hash-seed", "hash-order"),
        (divergence(), (entry("address", other_digest=2),), "addresses", "address-order"),
        (
            divergence(detail=UNEXPLAINED_INPUTS),
            (entry("thread", "start"),),
            "thread-timing",
            "thread-timing",
        ),
    ],
)
def test_the_evidence_names_the_first_hypothesis(found, entries, pin, code):
    assert first(found, *entries) == (pin, code)


def test_a_folder_that_one_run_alone_has_listed_came_in_no_other_order():
    listed, drawn = entry("listing", "list", other_digest=2), entry("uuid", "draw")

    def standing(listing):
        found = hypotheses(Evidence(found=divergence(), entries=(listing, drawn)))
        return next(one.standing for one in found if one.code == "file-order")

    assert standing(listed) == Standing.POSSIBLE
    assert standing(replace(listed, other=None)) == Standing.FAINT


def test_a_seed_that_came_from_a_clock_points_at_the_clock():
    seed = entry("torch-cpu", "seed", seeded=1, other_digest=2, origin_row=CLOCK_ROW)
    drawn = entry("python", "draw", seeded=0)
    assert first(RANDOM, entry("clock"), drawn, entry("urandom", "draw"), seed) == (
        "clock",
        "clock",
    )


def test_memory_read_before_it_was_written_comes_first():
    found = first(RANDOM, entry("numpy", "draw", seeded=0), flags=Flag.READS_UNWRITTEN)
    assert found == ("memory", "uninitialized-memory")


def seeds_of(process, *, digest, other_digest, order_free, other_order_free):
    """Seeds that one process gave to its generators, in each run."""
    pair = entry("numpy-generator", "construct", seeded=1, process=process, digest=digest)
    row = replace(pair.row, order_free=order_free)
    return replace(
        pair, row=row, other=replace(row, digest=other_digest, order_free=other_order_free)
    )


def test_the_same_seeds_in_other_processes_are_a_matter_of_timing():
    first_process = seeds_of(1, digest=1, other_digest=2, order_free=30, other_order_free=90)
    second_process = seeds_of(2, digest=3, other_digest=4, order_free=100, other_order_free=40)
    started, clock = entry("process", "start", detail="fork by mp"), entry("clock")
    moved = (started, clock, first_process, second_process)
    assert first(divergence(), *moved) == ("thread-timing", "process-timing")
    # Another sum is another seed: then whatever seeds may be made of comes first.
    renewed = (started, clock, first_process)
    assert first(divergence(), *renewed) == ("clock", "clock")


def test_what_only_one_run_has_seeded_got_no_other_seed():
    once = entry("numpy-generator", "construct", seeded=1, order_free=7)
    only_first, only_second = replace(once, other=None), replace(once, other=None, only_second=True)
    for pair in (only_first, only_second):
        assert Evidence(found=divergence(), entries=(pair,)).other_seeds == []


@pytest.mark.parametrize(("draws", "of_script"), [(6, False), (3, True)])
def test_a_seed_that_a_loader_has_drawn_is_none_of_the_script(draws, of_script):
    """It draws two numbers each time, and only that for its workers where a sampler has a seed."""
    seeded = entry(
        "torch-generator",
        "seed",
        detail="torch.utils.data.dataloader._BaseDataLoaderIter.__next__",
        seeded=1,
        other_digest=2,
        calls=3,
    )
    drawn = entry("torch-cpu", "draw", detail="torch.Tensor.random_", seeded=1, calls=draws)
    evidence = Evidence(found=divergence(), entries=(drawn, seeded))
    assert evidence.other_seeds == ([seeded] if of_script else [])


def test_the_same_seeds_in_another_order_are_no_other_seeds():
    turned = seeds_of(0, digest=1, other_digest=2, order_free=30, other_order_free=30)
    assert Evidence(found=divergence(), entries=(turned,)).other_seeds == []


def test_a_draw_in_sql_leaves_no_entry_and_is_tried_where_the_script_names_it():
    def of_sqlite(*entries, **more):
        found = ranked(divergence(), *entries, **more)
        return [(one.pin, one.detail) for one in found if one.code == "entropy"]

    tried = ("sqlite-random", "sqlite")
    assert of_sqlite() == []
    assert of_sqlite(draws_in_sql=True) == [tried]
    assert of_sqlite(entry("pid"), draws_in_sql=True) == [tried, ("entropy", "")]
    # A name that was drawn beside it may have done no harm.
    assert tried in of_sqlite(entry("uuid", "draw"), draws_in_sql=True)


def test_sql_that_asks_for_the_time_leaves_no_entry_and_is_tried():
    def of_sqlite(*entries, **more):
        found = ranked(divergence(), *entries, **more)
        return [(one.pin, one.detail) for one in found if one.code == "clock"]

    assert of_sqlite() == []
    assert of_sqlite(asks_for_the_time_in_sql=True) == [("sqlite-clock", "sqlite")]
    assert fix("clock", Culprit(detail="sqlite"), frozenset()).startswith("'now' and CURRENT_")


def test_threads_that_arrow_joins_with_leave_no_entry():
    def of_threads(data, **more):
        found = ranked(divergence(data=data), **more)
        return [one.pin for one in found if one.code == "thread-timing"]

    assert of_threads(True) == of_threads(False, joins_by_arrow=True) == []
    assert of_threads(True, joins_by_arrow=True) == ["thread-timing"]


@pytest.mark.parametrize(
    ("source", "of_arrow"),
    [
        ("import pyarrow\nfound = sales.join(shops, 'shop')", True),
        ("import pyarrow\nfound = sales.group_by('shop').aggregate(sums)", True),
        ("import pyarrow, os\nfound = os.path.join(folder, name)", False),
        ("import pyarrow\nfound = ', '.join(words)", False),
        ("import pandas\nfound = sales.join(shops, 'shop')", False),
    ],
)
def test_arrow_is_named_where_it_joins(tmp_path, source, of_arrow):
    script = tmp_path / "script.py"
    script.write_text(source)
    culprit = Culprit(file=str(script), line=2, variable="found")
    assert fix("thread-timing", culprit, frozenset()).startswith("Arrow gives") == of_arrow


def test_names_of_files_that_children_make_are_pinned_beside_their_pace():
    def beside(process):
        name = entry("python", "draw", seeded=0, detail="tempfile.mkstemp", process=process)
        listed = entry("listing", "list", line=9, other_digest=2)
        (found,) = (h for h in ranked(divergence(), name, listed) if h.pin == "entropy")
        assert found.entries == [name]
        return found.beside

    assert beside(1) == {"thread-timing"}
    assert beside(0) == frozenset()


@pytest.mark.parametrize(
    ("data", "digested", "first"),
    [
        (True, [("split.py", 7)], True),
        (True, [], False),
        (False, [("split.py", 7)], False),
    ],
)
def test_the_name_of_a_folder_may_be_digested_with_what_lies_in_it(data, digested, first):
    made = entry("pid", "read", detail="tempfile.TemporaryDirectory.__init__")
    found = hypotheses(Evidence(found=divergence(data=data), entries=[made], digested=digested))
    assert ((found[0].pin, found[0].standing) == ("entropy", Standing.NOTED)) is first


@pytest.mark.parametrize("kind", ["inserted", "output"])
def test_so_it_is_where_more_samples_come_of_it_in_one_run(kind):
    made = entry("pid", "read", detail="tempfile.TemporaryDirectory.__init__")
    where = divergence(kind=kind, data=False)
    found = hypotheses(Evidence(found=where, entries=[made], digested=[("split.py", 7)]))
    first = (found[0].pin, found[0].standing) == ("entropy", Standing.NOTED)
    assert first == (kind == "inserted")


def test_so_it_is_where_an_operation_is_handed_other_tensors():
    made = entry("pid", "read", detail="tempfile.TemporaryDirectory.__init__")
    where = divergence(data=False, detail=UNEXPLAINED_INPUTS)
    found = hypotheses(Evidence(found=where, entries=[made], digested=[("split.py", 7)]))
    assert (found[0].pin, found[0].standing) == ("entropy", Standing.NOTED)


def test_a_port_is_no_draw_but_stands_beside_one():
    port, key = entry("port", "draw", line=7), entry("secrets", "draw", line=3)

    def of_entropy(*entries):
        (found,) = (one for one in ranked(divergence(), *entries) if one.pin == "entropy")
        return found.standing, found.entries

    assert of_entropy(port) == (Standing.FAINT, [port])
    assert of_entropy(key, port) == (Standing.POSSIBLE, [key, port])


def test_a_port_names_nothing():
    asked = (entry("uuid", "draw"), entry("port", "draw"))
    assert has_drawn_names(Evidence(found=divergence(), entries=asked))
    assert not has_drawn_names(Evidence(found=divergence(), entries=asked[1:]))


def test_a_number_of_a_childs_own_as_its_seed_is_pinned_beside_the_pace_of_children():
    seed = entry("numpy-generator", "seed", line=22, seeded=1, other_digest=2, process=1)
    as_seed, as_name = (entry("pid", line=line, process=1) for line in (22, 29))
    # A pool makes up names for what its processes share.
    of_pool = entry("python", "draw", seeded=0, detail="tempfile._RandomNameSequence.__next__")
    noted = ranked(divergence(), of_pool, seed, as_name, as_seed)
    (found,) = (h for h in noted if h.pin == "entropy")
    assert (found.entries, found.beside) == ([as_seed], {"thread-timing"})
    (other,) = (h for h in ranked(divergence(), as_name, as_seed) if h.pin == "entropy")
    assert other.beside == frozenset()


@pytest.mark.parametrize(
    ("entries", "pin"),
    [
        ((), "clock"),
        ((), "entropy"),
        ((entry("listing", "list", order_free=3),), "listing"),
        ((entry("file"),), "files"),
        ((), "thread-timing"),
    ],
)
def test_what_did_not_vary_is_no_hypothesis(entries, pin):
    assert pin not in {hypothesis.pin for hypothesis in ranked(divergence(), *entries)}


def test_a_hash_seed_from_outside_is_no_hypothesis():
    pins = {hypothesis.pin for hypothesis in ranked(divergence(), hash_seed_fixed=True)}
    assert "hash-seed" not in pins


def row(source="clock", *, detail="time.time", line=3, first_row=0, first_step=0, **more):
    site = Site("train.py", line, "main", "")
    facts = {"event": "read", "source": source, "detail": detail, "site": site}
    return LedgerRow(**{**facts, "first_row": first_row, "first_step": first_step, **more})


def test_only_what_came_before_the_divergence_counts():
    found = divergence(rows=(7, 8), step=1)
    rows = [row(first_row=8, first_step=1), row(line=4, first_row=9, first_step=1)]
    assert [e.row.site.line for e in pair_ledgers(found, rows, rows)] == [3]
    assert len(pair_ledgers(divergence(kind="printed"), rows, rows)) == 2


def test_imports_count_for_the_seeds_that_they_give_alone():
    rows = [
        row("urandom", detail="import torch"),
        row("python", detail="import torch._dynamo", event="construct"),
        row("python", detail="import noisy", event="seed"),
    ]
    (kept,) = pair_ledgers(divergence(), rows, rows)
    assert kept.row.event == "seed"


def test_entries_of_both_runs_are_laid_side_by_side():
    a = [row(digest=1), row("file", detail="/tmp/a/x", line=5, digest=4)]
    b = [row("file", detail="/tmp/b/x", line=5, digest=4), row(digest=2), row("uuid", line=9)]
    clock, file, uuid = pair_ledgers(divergence(), a, b)
    assert (clock.differs, file.differs, uuid.differs) == (True, False, True)
    assert uuid.other is None


@pytest.mark.parametrize(("origin_of_b", "expected"), [(0, "time.time"), (1, None), (-1, None)])
def test_a_seeds_origin_is_told_where_it_is_the_same_in_both_runs(origin_of_b, expected):
    def ledger(origin: int):
        number = row("urandom", detail="os.urandom", line=4)
        return [row(), number, row("python", detail="random.seed", event="seed", origin=origin)]

    seed = pair_ledgers(divergence(), ledger(0), ledger(origin_of_b))[-1]
    assert (seed.origin.detail if seed.origin else None) == expected


def test_a_childs_seeds_explain_no_draw_of_the_script_itself():
    own = entry("torch-cpu", "draw", seeded=0)
    of_child = entry("torch-cpu", "seed", seeded=1, other_digest=2, process=1)
    evidence = Evidence(found=RANDOM, entries=(own, of_child))
    assert evidence.other_seeds == []
    assert evidence.unseeded == [own]
    assert hypotheses(evidence)[0].entries == [own]
    elsewhere = Evidence(found=divergence(), entries=(own, of_child))
    assert elsewhere.other_seeds == [of_child]


@pytest.mark.parametrize(
    ("rewritten", "named"),
    [((), ["/w/cache"]), (("/w/trials",), []), (("/w/trials", "/w/cache"), ["/w/cache"])],
    ids=["a cache alone", "a cache beside a file that grows", "a cache that is renewed"],
)
def test_a_cache_is_not_named_for_a_file_that_each_run_changes(rewritten, named):
    """What a run changes before it reads it has no entry: its line is found by variables."""
    read = entry("file", "read", 9, detail="/w/cache", other_digest=2)
    held = ranked(
        divergence(),
        read,
        rewritten=rewritten,
        left=["/w/cache", "/w/trials"],
        found_again=True,
    )
    (files,) = (hypothesis for hypothesis in held if hypothesis.pin == "files")
    assert [one.row.detail for one in files.entries] == named


def test_files_that_were_read_in_another_order_are_no_other_content():
    first, second = (
        entry("file", "read", 9, detail=name, digest=digest, other_digest=other)
        for name, digest, other in (("/w/a", 5, 6), ("/w/b", 6, 5))
    )
    swapped = [
        replace(one, other=replace(one.other, detail=other.row.detail))
        for one, other in ((first, second), (second, first))
    ]
    assert "files" not in {one.pin for one in ranked(divergence(), *swapped)}
    assert "files" in {one.pin for one in ranked(divergence(), first, second)}


@pytest.mark.parametrize(
    ("found_again", "standing"),
    [(True, Standing.NOTED), (None, Standing.POSSIBLE), (False, Standing.FAINT)],
)
def test_what_other_processes_may_have_read_is_possible_and_no_more(found_again, standing):
    made = ranked(divergence(), rewritten=["/w/log"], found_again=found_again)
    (files,) = (hypothesis for hypothesis in made if hypothesis.pin == "files")
    assert files.standing is standing


def test_where_processes_share_work_their_pace_is_pinned_alone_first():
    """Beside it anything could be pinned, the runs would agree, and that would be blamed."""
    seed = entry("torch-cpu", "seed", seeded=1, other_digest=2)
    entries = (entry("clock"), seed, entry("process", "start", detail="fork by mp"))
    elsewhere = divergence(kind="inserted", process="worker 1", processes=("0.1", "0.1"))
    pace, *others = ranked(elsewhere, *entries, shares_work=True)
    assert (pace.pin, pace.code, pace.beside) == ("thread-timing", "process-timing", frozenset())
    assert {one.pin: one.beside for one in others}["clock"] == {"thread-timing"}
    # Of what each process does by itself, pace says nothing.
    assert first(elsewhere, *entries) == ("clock", "clock")


def test_memory_of_numpy_is_asked_for_before_the_clock_and_after_what_was_noted():
    """What nobody has written may hold numbers of a clock, and repeat with that pinned."""
    clock, started = entry("clock", other_digest=2), entry("process", "start", detail="fork by mp")
    pins = [one.pin for one in ranked(divergence(), clock, started, allocates=True)]
    assert pins[0] == "thread-timing"
    assert pins.index("memory") < pins.index("clock")


def test_memory_of_numpy_is_asked_for_before_what_was_drawn_beside_it():
    drawn = entry("numpy-generator", "draw", seeded=0)
    data = divergence(data=True, random=False, op="aten.lift_fresh")
    assert [one.pin for one in ranked(data, drawn, allocates=True)][:2] == ["memory", "seeds"]
    assert ranked(data, drawn)[0].pin == "seeds"


@pytest.mark.parametrize(("line", "standing"), [(59, Standing.SHOWN), (12, Standing.NOTED)])
def test_a_line_that_diverges_where_it_has_read_another_file_shows_it(line, standing):
    found = replace(divergence(kind="inserted"), file="train.py", line=59)
    pair = entry("file", other_digest=2)
    row = replace(pair.row, site=Site("train.py", line, "load", ""))
    read = replace(pair, row=row, other=replace(row, digest=2))
    files = next(one for one in ranked(found, read, entry("thread", "start")) if one.pin == "files")
    assert files.standing == standing


def test_the_time_may_be_in_a_seed_by_an_archive_of_files_which_asks_no_clock():
    seed = entry("numpy-generator", "construct", seeded=1, other_digest=2)
    packed = [("train.py", 4)]
    assert first(divergence(), seed, packed=packed) == ("clock", "clock")
    told = {one.pin for one in ranked(divergence(), seed)}
    assert "clock" not in told
    assert "clock" not in {one.pin for one in ranked(divergence(), packed=packed)}
    known = replace(seed, origin=CLOCK_ROW)
    assert "clock" not in {one.pin for one in ranked(divergence(), known, packed=packed)}


def test_times_that_an_archive_keeps_are_asked_for_beside_the_pace_of_threads():
    seed = entry("numpy-generator", "seed", 9, digest=1, other_digest=2)
    thread = entry("thread", "start", 4)
    packed = {"packed": [("bundle.py", 4)]}
    clock = next(one for one in ranked(divergence(), seed, **packed) if one.pin == "clock")
    assert (clock.standing, clock.beside) == (Standing.POSSIBLE, frozenset())
    both = ranked(divergence(), seed, thread, **packed)
    pins = [one.pin for one in both]
    assert both[pins.index("clock")].beside == {"thread-timing"}
    assert pins.index("thread-timing") < pins.index("clock")
    assert "clock" not in [one.pin for one in ranked(divergence(), seed, thread)]


def test_a_clock_is_held_by_itself_where_pace_is_not_asked_for_alone():
    seed = entry("numpy-generator", "seed", 9, digest=1, other_digest=2)
    thread = entry("thread", "start", 4, detail="torch.utils.data.DataLoader.__iter__")
    found = ranked(divergence(), seed, thread, packed=[("bundle.py", 4)])
    pace = [one.standing for one in found if one.pin == "thread-timing"]
    assert pace in ([], [Standing.FAINT])
    assert next(one for one in found if one.pin == "clock").beside == frozenset()


def test_a_time_that_is_only_printed_does_not_hide_an_archive(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import time\nprint(time.time())\n")
    seed = entry("numpy-generator", "seed", 9, digest=1, other_digest=2)
    asked = entry("clock", "read", 2, site=Site(str(script), 2, "main", ""))
    for packed, standing in (((), Standing.FAINT), ([("bundle.py", 4)], Standing.POSSIBLE)):
        found = ranked(divergence(), seed, asked, packed=packed)
        assert next(one for one in found if one.pin == "clock").standing == standing


@pytest.mark.parametrize(
    ("operation", "said"), [("aten.empty.memory_format", True), ("aten.convolution", False)]
)
def test_only_what_hands_out_memory_is_said_to_do_so(operation, said):
    culprit = Culprit(file="train.py", line=3, operation=operation)
    assert ("nothing had written" in UninitializedMemory().seen(culprit)) == said
