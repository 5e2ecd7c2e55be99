"""An order is proved only at a line that was seen to have it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.orders import has_order, in_turn
from samebits.check.trials.attribution.scope import WHOLE

HASHES = Hypothesis(pin="hash-seed", code="hash-order", standing=Standing.POSSIBLE)
STARTED = entry("process", "start")

ORDERS = [
    Hypothesis(pin=pin, code=code, standing=Standing.POSSIBLE)
    for pin, code in (("hash-seed", "hash-order"), ("addresses", "address-order"))
]
NOTHING = Evidence(found=divergence(), entries=())


def _situation(*, data=True, script="gone.py"):
    closer = SimpleNamespace(data=data)
    trace = SimpleNamespace(manifest=SimpleNamespace(script={"path": str(script)}, code=()))
    return SimpleNamespace(
        comes_and_goes=False,
        pinned=frozenset(),
        closer_scope=WHOLE,
        closer=closer,
        traces=(trace, trace),
    )


def shown(goes_by, *entries, code="hash-order", file="gone.py"):
    walked = None
    if goes_by is not None:
        walked = WalkedSet(file=file, line=1, goes_by=goes_by, ordered=True)
    place = Culprit(file=file, line=1, walked=walked)
    hypothesis = Hypothesis(pin="hash-seed", code=code, standing=Standing.POSSIBLE)
    return has_order(hypothesis, place, Evidence(found=divergence(), entries=entries))


@pytest.mark.parametrize("entries", [(), (STARTED,)], ids=["alone", "beside a process"])
def test_a_set_of_strings_has_the_order_of_the_hash_seed(entries):
    assert shown("string", *entries)
    assert shown("mixed", *entries)


@pytest.mark.parametrize("goes_by", ["unknown", None], ids=["unknown elements", "no source"])
def test_beside_other_processes_a_line_that_may_have_an_order_is_not_enough(goes_by):
    assert shown(goes_by)
    assert not shown(goes_by, STARTED)
    assert not shown(goes_by, entry("thread", "start"))


def test_a_line_that_walks_no_set_has_none(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("total = 1\n")
    assert not shown(None, file=str(script))


def test_a_hash_that_was_asked_for_is_enough():
    place = Culprit(file="gone.py", line=1, entry=entry("hash", "read"))
    assert has_order(HASHES, place, Evidence(found=divergence(), entries=(STARTED,)))


def test_only_orders_are_asked_for_one():
    assert shown(None, STARTED, code="unseeded-rng")


def test_runs_that_follow_variables_leave_no_folder_under_a_pinned_name():
    """All later runs would find it, and fail."""
    asked = []

    def let_go(still, free, scope, *, follow):
        asked.extend((still.pinned, free.pinned))
        return SimpleNamespace(usable=False), None

    usable = ("addresses", "clock", "files", "hash-seed")
    case = SimpleNamespace(orders=None, usable=usable, trials=SimpleNamespace(let_go=let_go))
    clock = Hypothesis(pin="clock", code="clock", standing=Standing.FAINT)
    assert [one.pin for one in in_turn(case, _situation(), [*ORDERS, clock], ORDERS, NOTHING)] == [
        "hash-seed",
        "addresses",
    ]
    assert asked == [frozenset(usable), frozenset({"clock", "files"})]


@pytest.mark.parametrize(
    ("code", "standing", "data", "turns"),
    [
        ("clock", Standing.POSSIBLE, True, ["?", "hash-seed", "addresses", "clock"]),
        ("clock", Standing.NOTED, True, ["clock", "?", "hash-seed", "addresses"]),
        ("clock", Standing.POSSIBLE, False, ["clock", "?", "hash-seed", "addresses"]),
        (
            "thread-timing",
            Standing.POSSIBLE,
            True,
            ["thread-timing", "?", "hash-seed", "addresses"],
        ),
    ],
)
def test_data_may_go_by_an_order_before_they_go_by_what_every_script_reads(
    code, standing, data, turns
):
    seen = []

    def let_go(still, free, scope, *, follow):
        seen.append("?")
        return SimpleNamespace(usable=False), None

    case = SimpleNamespace(orders=None, usable=(), trials=SimpleNamespace(let_go=let_go))
    strong = [Hypothesis(pin=code, code=code, standing=standing), *ORDERS]
    for hypothesis in in_turn(case, _situation(data=data), strong, strong, NOTHING):
        seen.append(hypothesis.pin)
    assert seen == turns


@pytest.mark.parametrize(
    ("line", "code", "standing", "first"),
    [
        ("best = max(set(votes), key=votes.count)", "thread-timing", Standing.POSSIBLE, "?"),
        ("for word in {'a', 'b'}:\n    f(word)", "process-timing", Standing.POSSIBLE, "?"),
        ("best = max(set(votes), key=votes.count)", "thread-timing", Standing.NOTED, "pace"),
        ("best = max(set(votes), key=votes.count)", "unseeded-rng", Standing.POSSIBLE, "pace"),
        ("best = max(sorted(set(votes)))", "thread-timing", Standing.POSSIBLE, "pace"),
        ("known = word in {'a', 'b'}", "thread-timing", Standing.POSSIBLE, "pace"),
        ("key = crc32(repr(votes).encode())", "entropy", Standing.NOTED, "?"),
        ("key = crc32(votes.encode())", "entropy", Standing.NOTED, "pace"),
    ],
)
def test_a_script_that_walks_a_set_is_asked_for_an_order_before_threads_take_turns(
    tmp_path, line, code, standing, first
):
    script = tmp_path / "train.py"
    script.write_text(f"def main(votes):\n    {line.replace(chr(10), chr(10) + '    ')}\n")
    seen = []

    def let_go(still, free, scope, *, follow):
        seen.append("?")
        return SimpleNamespace(usable=False), None

    case = SimpleNamespace(orders=None, usable=(), trials=SimpleNamespace(let_go=let_go))
    strong = [Hypothesis(pin="pace", code=code, standing=standing), *ORDERS]
    for hypothesis in in_turn(case, _situation(script=script), strong, strong, NOTHING):
        seen.append(hypothesis.pin)
    assert seen[0] == first


@pytest.fixture(
    params=["key = crc32(repr(settings).encode())", 'key = [f"{item!r}" for item in settings]'],
    ids=["a digest", "a text"],
)
def digesting(tmp_path, request):
    """A line that takes a digest of an object's text, or makes one, and one that seeds with it."""
    script = tmp_path / "train.py"
    script.write_text(f"{request.param}\nrandom.seed(key)\n")
    return str(script)


def _asked_for_orders(digesting, *, addresses_alone, kind="int"):
    """What is pinned after runs have followed the variables of `digesting`, and those runs.

    Args:
        digesting: The script's file.
        addresses_alone: Whether its digest differs where addresses alone vary.
        kind: What kind of thing the variable holds that differs.
    """
    differs = ValueDifference(
        file=digesting, line=1, function="<module>", names=("key",), kinds=(kind,), role="variable"
    )
    free = []
    closer = replace(divergence(), data=True)

    def let_go(still, varied, scope, *, follow):
        free.append(still.pinned - varied.pinned)
        here = "hash-seed" in free[-1] or addresses_alone
        trial = SimpleNamespace(usable=True, divergence=closer if here else None, number=1)
        return trial, ValueDifferences(lines=(differs,) if here else ())

    case = SimpleNamespace(
        orders=None,
        still=None,
        by_address=False,
        usable=("addresses", "hash-seed"),
        made=SimpleNamespace(keep_still=lambda *_: None),
        record=SimpleNamespace(add=lambda *_: None, add_let_go=lambda *_, **__: None),
        trials=SimpleNamespace(let_go=let_go),
    )
    site = entry("random").row.site._replace(file=digesting, line=2)
    seed = entry("random", "seed", seeded=1, site=site, other_digest=2)
    evidence = Evidence(found=divergence(), entries=(seed,))
    situation = _situation(script=digesting)
    situation.closer = closer
    turns = [one.pin for one in in_turn(case, situation, ORDERS, ORDERS, evidence)]
    return turns, free, case


@pytest.mark.parametrize("kind", ["int", "address_text"])
def test_nothing_is_pinned_where_a_digest_differs_by_addresses_alone(digesting, kind):
    turns, free, case = _asked_for_orders(digesting, addresses_alone=True, kind=kind)
    assert turns == []
    assert free == [{"addresses", "hash-seed"}, {"addresses"}]
    assert case.by_address


@pytest.mark.parametrize("kind", ["int", "address_text"])
def test_a_digest_that_addresses_do_not_change_leaves_orders_to_be_pinned(digesting, kind):
    """A text with an address may have nothing to do with the seed."""
    turns, free, case = _asked_for_orders(digesting, addresses_alone=False, kind=kind)
    assert turns == ["hash-seed", "addresses"]
    assert free == [{"addresses", "hash-seed"}, {"addresses"}]
    assert not case.by_address


@pytest.mark.parametrize(
    ("line", "differs", "walks", "turns", "made"),
    [
        ("best = max(set(votes), key=votes.count)", [False, True], True, 2, 2),
        ("best = max(set(votes), key=votes.count)", [False, True], False, 0, 2),
        ("best = max(set(votes), key=votes.count)", [False, False], True, 0, 2),
        ("best = max(votes)", [False], True, 0, 1),
    ],
    ids=["another order", "something else", "the same again", "no set"],
)
def test_a_set_may_come_in_the_same_order_once_by_luck(
    tmp_path, monkeypatch, line, differs, walks, turns, made
):
    walked = WalkedSet(file="train.py", line=1, goes_by="unknown", ordered=True)
    place = Culprit(file="train.py", line=1, walked=walked if walks else None)
    monkeypatch.setattr(culprit_by_values, "of_order", lambda *_: place)
    script = tmp_path / "train.py"
    script.write_text(f"{line}\n")
    situation, asked = _situation(script=script), []
    situation.closer = replace(divergence(), data=True)

    def let_go(still, free, scope, *, follow, again=False):
        asked.append(again)
        found = situation.closer if differs[len(asked) - 1] else None
        return SimpleNamespace(usable=True, divergence=found, number=1), ValueDifferences()

    case = SimpleNamespace(
        orders=None,
        usable=("addresses", "hash-seed"),
        made=SimpleNamespace(keep_still=lambda *_: None),
        record=SimpleNamespace(add=lambda *_: None),
        trials=SimpleNamespace(let_go=let_go),
    )
    assert len([*in_turn(case, situation, ORDERS, ORDERS, NOTHING)]) == turns
    assert asked == [False, True][:made]
