"""How far a run goes, whether it agrees longer, and whether two may go on at once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.diff.position import moved_on
from samebits.check.record.plan import RunPlan
from samebits.check.trials.attribution import side_effects
from samebits.check.trials.attribution.scope import (
    WHOLE,
    RunScope,
    is_near_the_end,
    seconds_until,
    up_to,
)


@pytest.mark.parametrize(
    ("before", "now", "further"),
    [
        ({}, None, True),
        ({}, {"rows": (9, 9)}, False),
        ({}, {"rows": (9, 9), "line": 21}, True),
        ({}, {"rows": (3, 3), "line": 4}, False),
        ({}, {"step": 1, "rows": (2, 2)}, True),
        ({}, {"kind": "printed", "line": None}, True),
        ({"kind": "step", "step": 2}, {"kind": "step", "step": 3}, True),
        ({"kind": "inserted"}, {"kind": "inserted", "line": 30, "rows": (9, None)}, False),
        ({"kind": "inserted"}, {"line": 30, "rows": (90, 90)}, True),
        ({"kind": "step", "step": 2}, {"step": 2, "rows": (90, 90)}, False),
        ({"kind": "saved", "line": None}, {"kind": "printed", "line": None}, True),
        # Another process: it is looked at where the script's own does nothing of its own accord.
        ({"data": False}, {"line": 30, "processes": ("0.1", "0.1")}, True),
        ({"data": True}, {"line": 30, "processes": ("0.1", "0.1")}, False),
        ({"data": False, "processes": ("0.1", "0.1")}, {"line": 30, "rows": (90, 90)}, False),
        # Of two others, one that does something of its own accord comes first.
        (
            {"data": False, "processes": ("0.1", "0.1")},
            {"data": True, "line": 30, "processes": ("0.2", "0.2")},
            True,
        ),
        (
            {"data": False, "processes": ("0.1", "0.1")},
            {"data": False, "line": 30, "processes": ("0.2", "0.2")},
            False,
        ),
    ],
)
def test_further_means_beyond_the_same_operation(before, now, further):
    now = None if now is None else divergence(**now)
    assert moved_on(divergence(**before), now) == further


def run(seconds, timeline=(), *, ledger=(), **extra):
    manifest = SimpleNamespace(
        seconds=seconds,
        environment={},
        files=(),
        exit={"code": 0},
        extra={"timeline": list(timeline), **extra},
    )
    return SimpleNamespace(
        folder=Path("/w/runs/run-1"), manifest=manifest, cut=False, ledger=lambda: list(ledger)
    )


TIMELINE = ([0, 0, 1.0], [0, 256, 2.0], [1, 300, 3.0], [5, 300, 10.0])


@pytest.mark.parametrize(
    ("found", "seconds"),
    [
        (divergence(), 1.0 + 8 / 256),
        (divergence(rows=(299, 299)), 3.0),
        (divergence(kind="step", step=0), 3.0),
        (divergence(kind="step", step=3), 10.0),
        (divergence(kind="printed"), 60.0),
    ],
)
def test_seconds_until_a_divergence_are_read_off_the_timeline(found, seconds):
    assert seconds_until(found, run(60.0, TIMELINE)) == seconds


@pytest.mark.parametrize("timeline", ["nonsense", [[1]], [["a", "b", "c"]], [None], {}])
def test_a_timeline_that_is_none_means_the_whole_run(timeline):
    assert seconds_until(divergence(), run(60.0, timeline)) == 60.0


def test_a_short_script_is_run_to_its_end():
    assert is_near_the_end(divergence(), run(3.9, TIMELINE))
    assert not is_near_the_end(divergence(), run(4.1, TIMELINE))


@pytest.mark.parametrize(
    ("found", "seconds", "near"),
    [
        (divergence(random=True, data=False), 60.0, True),
        (divergence(random=True, data=False), 61.0, False),
        (divergence(random=True, data=True), 60.0, False),
        (divergence(random=True, data=False, kind="inserted"), 60.0, False),
    ],
)
def test_where_a_draw_diverges_a_script_of_a_minute_is_run_to_its_end(found, seconds, near):
    assert is_near_the_end(found, run(seconds, TIMELINE)) == near


def test_a_scope_ends_a_run_where_it_has_to_be_seen():
    options = RunPlan(steps=4)
    assert WHOLE.applied(options) == options
    assert up_to(divergence()).applied(options).stop_row == 7
    assert up_to(divergence(kind="step", step=2)).applied(options).steps == 3
    assert up_to(divergence(kind="step", step=9)).applied(options).steps == 4
    closer = up_to(divergence(), from_step=3).applied(options)
    assert (closer.level, closer.ops_from_step, closer.stop_row) == ("step", 3, 7)
    assert up_to(divergence(kind="exit")) == WHOLE


def test_scopes_have_names_that_differ():
    scopes = [WHOLE, RunScope(row=1), RunScope(steps=1), RunScope(row=1, from_step=2)]
    assert len({scope.name for scope in scopes}) == 4


@pytest.mark.parametrize(
    ("a", "b", "together_"),
    [
        ({"paths": [], "beyond": []}, {"paths": [], "beyond": []}, True),
        ({"paths": ["/tmp/a"], "beyond": []}, {"paths": ["/tmp/b"], "beyond": []}, True),
        ({"paths": ["/w/m.pt"], "beyond": []}, {"paths": ["/w/m.pt"], "beyond": []}, False),
        # Both would look for the next free number.
        ({"paths": ["/w/v_0/a"], "beyond": []}, {"paths": ["/w/v_11/a"], "beyond": []}, False),
        ({"paths": ["/w/runs/run-1/b"], "beyond": []}, {"paths": ["/w/v_1"], "beyond": []}, True),
        ({"paths": [], "beyond": ["socket.bind"]}, {"paths": [], "beyond": []}, False),
        (None, None, False),
        ({"paths": 3}, {"paths": 4}, False),
    ],
)
def test_runs_go_on_at_once_only_where_they_cannot_meet(monkeypatch, a, b, together_):
    monkeypatch.setattr(side_effects, "_processors", lambda: 2)
    runs = [run(2.0, changed=changed) for changed in (a, b)]
    assert side_effects.may_run_together(*runs) == together_
    assert not side_effects.may_run_together(run(900.0, changed=a), runs[1])
    runs[0].manifest.environment = {"gpus": ["H200"]}
    assert not side_effects.may_run_together(*runs)


def test_names_of_temporary_files_are_pinned_for_one_run_at_a_time(monkeypatch):
    monkeypatch.setattr(side_effects, "_processors", lambda: 2)
    named = entry("python", "draw", detail="tempfile.mkstemp").row
    other = entry("python", "draw", detail="random.random").row
    runs = {name: run(2.0, changed=NOTHING, ledger=[name]) for name in (named, other)}
    assert not side_effects.may_run_together(runs[named], runs[named])
    assert side_effects.may_run_together(runs[other], runs[other])


def test_one_processor_runs_one_script(monkeypatch):
    monkeypatch.setattr(side_effects, "_processors", lambda: 1)
    nothing = {"paths": [], "beyond": []}
    assert not side_effects.may_run_together(run(2.0, changed=nothing), run(2.0, changed=nothing))


@pytest.mark.parametrize(
    ("threads", "together"),
    [({"torch": 2}, True), ({"torch": 3}, False), ({"torch": "x"}, True), (7, True)],
)
def test_the_threads_of_both_must_find_processors(monkeypatch, threads, together):
    monkeypatch.setattr(side_effects, "_processors", lambda: 4)
    runs = [run(2.0, changed=NOTHING) for _ in range(2)]
    runs[1].manifest.environment = {"threads": threads}
    assert side_effects.may_run_together(*runs) == together


NOTHING = {"paths": [], "beyond": []}


def test_runs_that_change_nothing_outside_leave_nothing():
    asked = [entry("environment").row, entry("file").row, entry("thread", "start").row]
    runs = [run(2.0, changed=NOTHING, ledger=asked) for _ in range(2)]
    assert side_effects.leave_nothing(*runs)


@pytest.mark.parametrize(
    "changed",
    [{"paths": ["/w/log"], "beyond": []}, {"paths": [], "beyond": ["os.system"]}, None, 3],
)
def test_a_run_that_changes_something_leaves_it(changed):
    assert leaves_something(run(2.0, changed=changed))


@pytest.mark.parametrize("source", ["network", "process"])
def test_a_run_that_others_hear_of_leaves_something(source):
    assert leaves_something(run(2.0, changed=NOTHING, ledger=[entry(source, "start").row]))


def test_a_run_that_saves_or_fails_leaves_something():
    saves, fails, cut = (run(2.0, changed=NOTHING) for _ in range(3))
    saves.manifest.files = ({"path": "/w/model.pt"},)
    fails.manifest.exit = {"code": 1}
    cut.cut = True
    assert all(map(leaves_something, (saves, fails, cut)))


@pytest.mark.parametrize("source", ["file", "listing"])
def test_what_a_finalizer_leaves_is_seen_by_the_next_run(source):
    """It writes after the recording has ended: only what the second run finds can tell."""
    found = entry(source, other_digest=2)
    runs = [run(2.0, changed=NOTHING, ledger=[row]) for row in (found.row, found.other)]
    assert not side_effects.leave_nothing(*runs)


def leaves_something(one):
    nothing = run(2.0, changed=NOTHING)
    return not side_effects.leave_nothing(nothing, one) and not side_effects.leave_nothing(
        one, nothing
    )
