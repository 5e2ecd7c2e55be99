"""What `samebits watch` says and shows of a run, finished or under way."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from textual.widgets import DataTable, Sparkline, Static

from samebits.check.report.watch import app as app_module
from samebits.check.report.watch import view
from samebits.check.report.watch.app import WatchApp
from samebits.check.report.watch.pace import RecordingPace, pace_of_timeline
from samebits.check.report.watch.watched_run import WatchedRun
from samebits.check.trace import schema
from samebits.check.trace.codes import Flag
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError

FINISHED = {"code": 0, "signal": None, "reason": "finished"}


class Training:
    """A run whose every step has three operations, the second of which draws."""

    def __init__(self, folder, **facts):
        self.folder = folder
        script = {"path": "train.py", "sha256": ""}
        self.writer = TraceWriter(folder, Manifest().replaced({"script": script, **facts}))
        self._steps = 0

    def steps(self, count, **differing):
        for _ in range(count):
            first = self._steps == 0
            if first:
                sites = [("train.py", 7, "main", ""), ("train.py", 8, "main", "net.drop")]
                self.writer.append_sites(sites)
            zero = np.zeros(3)
            columns = dict.fromkeys(schema.OPS_DTYPES, zero) | {
                "step": np.full(3, self._steps),
                "op": np.arange(3),
                "site": np.array([0, 1, 0]),
                "outputs": np.arange(3) + 16,
                "flags": np.array([0, int(Flag.RANDOM), 0]),
            }
            names = ["aten.mm", "aten.bernoulli", "aten.add"] if first else []
            signatures = ["float32[1]"] if first else []
            self.writer.append_ops(columns, new_ops=names, new_signatures=signatures)
            digests = dict.fromkeys(schema.STEP_DIGESTS, self._steps + 1) | differing
            loss = {"loss_value": 1 / (self._steps + 1), "ops_end": 3 * (self._steps + 1)}
            self.writer.append_steps([{"step": self._steps, **loss, **digests}])
            self._steps += 1
        self.writer.flush()

    def end(self, **facts):
        self.writer.close(**{"exit": FINISHED, "seconds": 2.0, **facts})


@pytest.fixture
def training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Training(tmp_path / "run")


def said(run, *, now=None, process=0):
    """The sentences, `now` seconds after the last row was written."""
    one = run.processes[process]
    written = (one.growing.folder / "seals.txt").stat().st_mtime
    return view.facts(run, one, written + (now or 0.0))


def test_a_run_under_way(training):
    training.steps(2)
    run = WatchedRun(training.folder)
    run.look(10.0)
    training.steps(4)
    run.look(12.0)
    assert said(run) == (
        "run, train.py at level op",
        "under way",
        "6 steps, 18 operations, 6 draws; 6 operations and 2 steps a second",
        "last: aten.add, setup, train.py:7, fingerprint 0000000000000012",
    )
    assert said(run, now=130)[1] == (
        "not ended, and nothing was recorded for 2 min: it computes, waits, or was killed"
    )
    step = view.step_cells(run.processes[0].steps[-1], compared=False)
    digest = "0000000000000006"
    assert step == ("5", "0.166667", "3", "1", digest, digest)
    assert view.draw_rows(run.processes[0]) == [("6", "aten.bernoulli", "train.py:8", "net.drop")]


def test_a_finished_run(training):
    training.steps(4)
    training.end(timeline=[[0, 0, 0.0], [1, 3, 0.5], [4, 12, 2.0]])
    site = Site("train.py", 8, "main", "")
    rows = [
        LedgerRow(source="torch-cpu", event="draw", detail="torch.dropout", site=site, calls=4),
        LedgerRow(source="numpy", event="draw", detail="numpy.random.rand", site=None, calls=9),
        LedgerRow(source="uuid", event="draw", detail="import torch", site=site, calls=99),
        LedgerRow(source="clock", event="read", detail="time.time", site=site, calls=50),
    ]
    write_ledger(training.folder, rows)
    run = WatchedRun(training.folder)
    run.look(10.0)
    assert said(run)[1:3] == (
        "finished after 2.0 s, exit 0",
        "4 steps, 12 operations, 4 draws; 6 operations and 2 steps a second",
    )
    assert view.draw_rows(run.processes[0]) == [
        ("9", "numpy numpy.random.rand", "", ""),
        ("4", "torch-cpu torch.dropout", "train.py:8", ""),
    ]
    assert view.pace(run.processes[0]) == [6.0, 6.0]


def test_a_run_that_is_compared(training, tmp_path):
    training.steps(5)
    training.end()
    other = Training(tmp_path / "new", extra={"against": str(training.folder)})
    other.steps(2)
    run = WatchedRun(other.folder)
    run.look(0.0)
    assert said(run)[-1] == "the same as run in 2 steps"
    other.steps(1, loss=77, gradients=78, generators=79)
    other.steps(4)
    run.look(1.0)
    assert said(run)[-1] == (
        "step 2 is the first that differs from run: loss, gradients and generators"
    )
    cells = [view.step_cells(step, compared=True) for step in run.processes[0].steps]
    assert [row[1] for row in cells] == ["same", "same", "differs", "same", "same", "-", "-"]
    assert cells[2][3] == "loss, gradients, generators"


def test_what_it_is_compared_with_may_be_named(training, tmp_path):
    training.steps(1)
    other = Training(tmp_path / "other")
    other.steps(1, loss=5)
    run = WatchedRun(training.folder, tmp_path / "other")
    assert run.against == tmp_path / "other"
    run.look(0.0)
    assert "step 0 is the first" in said(run)[-1]
    with pytest.raises(TraceError):
        WatchedRun(training.folder, tmp_path / "nowhere")


def test_what_it_was_compared_with_may_be_gone(tmp_path):
    gone = Training(tmp_path / "run", extra={"against": str(tmp_path / "gone")})
    gone.steps(1)
    run = WatchedRun(gone.folder)
    run.look(0.0)
    assert said(run)[-1].endswith("gone is no folder")


def test_a_folder_without_a_run_yet(tmp_path):
    run = WatchedRun(tmp_path)
    run.look(0.0)
    told = view.facts(run, run.processes[0], 0.0)
    assert told[0].endswith("nothing recorded yet: recording begins when the script imports torch")


def test_processes_are_followed_as_they_appear(training, tmp_path):
    run = WatchedRun(training.folder)
    run.look(0.0)
    rank = Training(training.folder / "processes" / "0.1")
    rank.steps(2)
    run.look(1.0)
    assert [process.name for process in run.processes] == ["", "0.1"]
    assert said(run)[0].startswith("run, process 1 of 2 (the script's own)")
    assert said(run, process=1)[0].startswith("run, process 2 of 2 (0.1)")
    assert run.processes[1].step_count == 2


def test_damage_stops_the_reading_and_is_said(training):
    training.steps(3)
    ops = training.folder / "ops.arrow"
    ops.write_bytes(b"x" + ops.read_bytes()[1:])
    run = WatchedRun(training.folder)
    for now in range(3):
        run.look(now)
    assert "are not what the run wrote" in said(run)[-1]


def test_hostile_names_are_shown_as_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "[red]\x1b[31m\u202e" + "a" * 10_000
    folder = tmp_path / "run"
    writer = TraceWriter(folder, Manifest(script={"path": name, "sha256": ""}))
    writer.append_sites([(name, 1, name, name)])
    one = dict.fromkeys(schema.OPS_DTYPES, np.zeros(1)) | {"flags": np.ones(1)}
    writer.append_ops(one, new_ops=[name], new_signatures=[name])
    writer.flush()
    run = WatchedRun(folder)
    app = WatchApp(run, every=None)

    async def look():
        async with app.run_test(size=(80, 24)):
            return str(app.query_one("#said", Static).content)

    told = asyncio.run(look())
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "[red]\\x1b[31m\\u202eaaa" in told


def test_the_pace_is_that_of_the_last_seconds():
    pace = RecordingPace()
    assert pace.rates() is None
    for now, ops in ((0.0, 0), (10.0, 100), (14.0, 500), (14.0, 900)):
        pace.look(now, ops // 100, ops)
    assert pace.rates() == (1.0, 100.0)
    assert list(pace.curve()) == [10.0, 100.0]
    for second in range(15, 31):  # rows reach the disk every other second
        pace.look(second, 5, 500 + 20 * (second // 2))
    assert max(list(pace.curve())[-8:]) < 1.8 * min(list(pace.curve())[-8:])
    pace.look(60.0, 5, 830)
    assert pace.rates() == (0.0, 1.0)


def test_reading_what_was_there_is_no_pace(training):
    for _ in range(20):
        training.steps(1)
    run = WatchedRun(training.folder)
    for now in range(2):
        run.look(now)
        assert said(run)[1] == "reading what has been recorded so far"
    run.look(2)
    assert said(run)[1] == "under way"
    assert run.processes[0].step_count == 20
    assert run.processes[0].pace.rates() is None


@pytest.mark.parametrize(
    "noted", [None, {}, [1, 2], [[1, 2]], [["a", 1, 2], [1, 2, "b"]], [[0, 0, 1], [0, 9, 1]]]
)
def test_a_timeline_that_is_none_is_no_curve(noted):
    assert pace_of_timeline(noted) == []


class Watched:
    """The app with a clock of its own, as the pilot drives it."""

    def __init__(self, folder):
        self.seconds = 0.0
        self.app = WatchApp(
            WatchedRun(folder),
            every=None,
            clock=lambda: self.seconds,
            today=lambda: (folder / "seals.txt").stat().st_mtime,
        )

    @property
    def said(self):
        return str(self.app.query_one("#said", Static).content).split("\n")

    def table(self, name):
        table = self.app.query_one(name, DataTable)
        return [[str(cell) for cell in table.get_row_at(n)] for n in range(table.row_count)]


@pytest.mark.parametrize("size", [(80, 24), (40, 24), (200, 60)])
def test_the_view_follows_a_run_to_its_end(training, size):
    training.steps(2)
    watched = Watched(training.folder)

    async def drive():
        async with watched.app.run_test(size=size) as pilot:
            assert watched.said[1] == "under way"
            assert len(watched.table("#steps")) == 2
            assert not watched.app.query_one("#pace", Sparkline).display
            for _ in range(2):
                training.steps(1)
                watched.seconds += 1
                await pilot.press("r")
            steps = watched.app.query_one("#steps", DataTable)
            assert steps.cursor_row == 3  # with the last step
            await pilot.press("up", "up")
            training.steps(1)
            training.end()
            watched.seconds += 1
            await pilot.press("r")
            assert watched.said[1] == "finished after 2.0 s, exit 0"
            assert [row[0] for row in watched.table("#steps")] == ["0", "1", "2", "3", "4"]
            assert steps.cursor_row == 1  # whoever looks at a step stays there
            await pilot.press("f")
            assert steps.cursor_row == 4
            assert watched.table("#draws") == [["5", "aten.bernoulli", "train.py:8", "net.drop"]]
            await pilot.press("q")

    asyncio.run(drive())
    assert watched.app.return_code == 0


def test_a_cursor_stays_on_its_step_when_the_first_rows_go(training, monkeypatch):
    monkeypatch.setattr(app_module, "_SHOWN_STEPS", 5)
    training.steps(5)
    watched = Watched(training.folder)

    async def drive():
        async with watched.app.run_test(size=(80, 24)) as pilot:
            steps = watched.app.query_one("#steps", DataTable)
            await pilot.press("f", "up")
            for count in (1, 2, 3):
                training.steps(count)
                watched.seconds += 1
                await pilot.press("r")
                shown = [row[0] for row in watched.table("#steps")]
                assert len(shown) == 5
                on = shown[steps.cursor_row]
                assert on == ("3" if "3" in shown else shown[0])

    asyncio.run(drive())


def test_a_process_that_computes_is_shown_first_and_n_shows_the_next(training):
    Training(training.folder / "processes" / "0.1").steps(3)
    Training(training.folder / "processes" / "0.2").steps(1)
    watched = Watched(training.folder)

    async def keys():
        async with watched.app.run_test() as pilot:
            seen = [watched.said[0]]
            for _ in range(3):
                await pilot.press("n")
                seen.append(watched.said[0])
            return seen

    seen = [line.partition(" of ")[0] for line in asyncio.run(keys())]
    assert seen == [f"run, process {number}" for number in (2, 3, 1, 2)]


def test_a_timer_looks_again_and_at_once_where_there_is_more(training, monkeypatch):
    training.steps(1)
    asked = []
    app = WatchApp(WatchedRun(training.folder), every=7.5)
    monkeypatch.setattr(app, "set_timer", lambda delay, _: asked.append(delay))

    async def drive():
        async with app.run_test():
            monkeypatch.setattr(type(app._run), "is_behind", True)
            app.look()

    asyncio.run(drive())
    assert asked == [7.5, 0.01]
