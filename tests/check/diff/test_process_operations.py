"""What the processes of two runs computed: what comes first, and what pace may share out."""

from __future__ import annotations

import json

import pytest
from tests.check.process_entries import process_entry

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace

OWN = [{"op": "aten.add.Tensor"}]
DIFFERENT_DATA = {"op": "aten.add.Tensor", "data": 7, "inputs": 7, "outputs": 7}
AT_7 = {"site": ("train.py", 7, "step", "")}
SENT = {"op": "c10d.allreduce_", "flags": 1 << 4}


def process(name, rows=None, **facts):
    """A manifest's entry and the rows of its folder."""
    usual = {
        "via": "mp.spawn",
        "file": "/a/train.py",
        "line": 12,
        "program": "multiprocessing.spawn",
        "torch": "no" if rows is None else "computed",
        "recorded": rows is not None,
        "rows": len(rows or ()) + facts.pop("lost", 0),
        "exit": {"code": facts.pop("code", 0), "signal": facts.pop("signal", None)},
    }
    return process_entry(name, **{**usual, **facts}), rows


def thread(number, rows):
    """A worker of a pool of threads."""
    return process(f"0+{number}", rows, kind="thread", via="thread", role="pool")


def rank(number, rows, **facts):
    return process(f"0.{number + 1}", rows, rank=str(number), via="torchrun", **facts)


@pytest.fixture
def record(make_run):
    """A run with these processes."""

    def run(processes, rows=OWN, steps=(), cut=False):
        entries = [entry for entry, _ in processes]
        made = make_run(rows, cwd="/a", processes=entries)
        for entry, own in processes:
            if own is not None:
                folder = process_folder(made.folder, entry["name"])
                make_run(own, folder=folder, cut=cut or entry["exit"]["signal"] is not None)
        return Trace.open(made.folder)

    return run


@pytest.fixture
def judge(record):
    """The verdict on two runs with these processes."""

    def compare(a, b, **more):
        return compare_traces(record(a, **more), record(b, **more))

    return compare


def test_what_a_process_computes_decides(judge):
    rows = [{"op": "aten.add.Tensor"}, {"op": "aten.mul.Tensor", "site": ("train.py", 3, "w", "")}]
    other = [rows[0], {**rows[1], "outputs": 5}]
    assert judge([process("0.1", rows)], [process("0.1", rows)]).verdict == "same"
    verdict = judge([process("0.1", rows)], [process("0.1", other)])
    found = verdict.first_divergence
    assert verdict.verdict == "different"
    assert (found.op, found.file, found.line) == ("aten.mul.Tensor", "train.py", 3)
    assert found.process == "the process started at train.py:12 (mp.spawn)"
    assert found.processes == ("0.1", "0.1")
    assert found.rows == (1, 1)


def test_a_process_that_computes_and_is_not_recorded_is_named(judge):
    unrecorded = process("0.1", torch="computed")
    verdict = judge([unrecorded], [unrecorded])
    assert verdict.verdict == "incomplete"
    assert verdict.not_compared[0].why == "it computed with torch, and is not recorded"


def test_ranks_are_compared_rank_by_rank_whoever_was_started_first(judge):
    a = [rank(0, [{"outputs": 1}]), rank(1, [{"outputs": 2}])]
    b = [process("0.1", [{"outputs": 2}], rank="1"), process("0.2", [{"outputs": 1}], rank="0")]
    b = [({**entry, "via": "torchrun"}, rows) for entry, rows in b]
    assert judge(a, b).verdict == "same"
    b[0] = (b[0][0], [{"outputs": 3}])
    verdict = judge(a, b)
    assert verdict.first_divergence.process == "rank 1"
    assert verdict.first_divergence.processes == ("0.2", "0.1")


def test_where_a_collective_carries_a_difference_on_the_rank_is_named_that_made_it(judge):
    plain = [AT_7, SENT, {}]
    makes = [{**AT_7, "outputs": 5}, SENT, DIFFERENT_DATA]
    receives = [AT_7, SENT, DIFFERENT_DATA]
    for made_by in (0, 1):
        b = [rank(n, makes if n == made_by else receives) for n in range(2)]
        found = judge([rank(0, plain), rank(1, plain)], b).first_divergence
        assert (found.process, found.line) == (f"rank {made_by}", 7)


def test_data_that_enter_before_a_collective_come_before_what_it_brought(judge):
    plain = [{}, {**AT_7, "data": 1}, SENT, {}]
    reads = [{}, {**AT_7, **DIFFERENT_DATA}, SENT, {**DIFFERENT_DATA, "data": 9}]
    receives = [{}, {**AT_7, "data": 1}, SENT, DIFFERENT_DATA]
    found = judge([rank(0, plain), rank(1, plain)], [rank(0, receives), rank(1, reads)])
    assert found.first_divergence.process == "rank 1"
    assert found.first_divergence.line == 7


def test_what_a_process_hands_back_is_blamed_on_the_process(judge, make_run):
    """The script's own process receives data; the process that was started before made them."""
    own = [{}, {}]
    child = [{"outputs": 1}]

    def runs(start_row, own_b, child_b):
        pair = []
        for rows, of_child in ((own, child), (own_b, child_b)):
            entry, _ = process("0.1", of_child, row=start_row)
            made = make_run(rows, cwd="/a", processes=[entry])
            make_run(of_child, folder=process_folder(made.folder, "0.1"))
            pair.append(Trace.open(made.folder))
        return compare_traces(*pair).first_divergence

    differs = [{"outputs": 2}]
    assert runs(1, [{}, DIFFERENT_DATA], differs).processes == ("0.1", "0.1")
    # it was started after the script's own process had diverged
    assert runs(2, [DIFFERENT_DATA, {}], differs).processes == ()
    # what an operation does on equal inputs is nobody else's doing
    assert runs(0, [{"outputs": 3}, {}], differs).processes == ()


def test_processes_of_one_line_may_share_their_work_as_it_comes(judge):
    tasks = [{"inputs": n, "outputs": n} for n in range(1, 5)]
    a = [process("0.1", tasks[:2]), process("0.2", tasks[2:])]
    b = [process("0.1", tasks[:1]), process("0.2", tasks[1:])]
    assert judge(a, b).verdict == "same"
    everything = [process("0.1", tasks), process("0.2")]
    assert judge(a, everything).verdict == "same"
    # ranks do not
    ranks = [[rank(n, entry[1]) for n, entry in enumerate(run)] for run in (a, b)]
    assert judge(*ranks).verdict == "different"
    # one of a kind has nobody to share with
    assert judge([process("0.1", tasks)], [process("0.1", tasks[:3])]).verdict == "different"
    other = [process("0.1", tasks[:1]), process("0.2", [*tasks[1:3], {"inputs": 4, "outputs": 9}])]
    assert judge(a, other).verdict == "different"


def test_of_shared_work_the_operation_is_named_that_gave_another_result(judge):
    tasks = [{"inputs": n, "outputs": n} for n in range(1, 5)]
    changed = {**tasks[3], "outputs": 9}
    a = [process("0.1", [tasks[0], tasks[3]]), process("0.2", [tasks[1], tasks[2]])]
    b = [process("0.1", [tasks[1], tasks[0]]), process("0.2", [tasks[2], changed])]
    found = judge(a, b).first_divergence
    assert (found.kind, found.rows, found.processes) == ("output", (1, 1), ("0.1", "0.2"))
    assert found.process == "process 1 of 2 started at train.py:12 (mp.spawn)"


LOOPS = """
for future in as_completed(futures):
    total += future.result()
for future in futures:
    total += future.result()
"""


@pytest.mark.parametrize(
    ("line", "blamed"), [(3, "train.py"), (5, "pool")], ids=["as they are ready", "in their order"]
)
def test_threads_are_not_blamed_where_the_script_adds_up_as_they_are_ready(
    record, tmp_path, line, blamed
):
    """What they were given next was made of that sum."""
    script = tmp_path / "train.py"
    script.write_text(LOOPS)
    at = {"site": (str(script), line, "step", "")}
    tasks = [{"inputs": n, "outputs": n} for n in range(1, 5)]
    new = {"inputs": 9, "outputs": 9}
    a = [thread(1, tasks[:2]), thread(2, tasks[2:])]
    b = [thread(1, [*tasks[:1], new]), thread(2, tasks[1:3])]
    own = [{}, {"inputs": 9, "outputs": 9, **at}]
    runs = [record(a, rows=[{}, at]), record(b, rows=own)]
    found = compare_traces(*runs).first_divergence
    assert bool(found.processes) is (blamed == "pool")


def test_shared_work_of_which_only_steps_are_recorded_is_not_compared_whole(make_run):
    """At level auto operations are recorded up to the first step of each process."""
    step = {"kind": "step", "step": 0, "ops_end": 1, "parameters": 3}

    def verdict(*tasks, last=4, level="auto"):
        traces = []
        for rows, losses in (((1, 2), (5, 6)), (tasks, (6, last))):
            own = [process(f"0.{n}", [{}])[0] for n in (1, 2)]
            made = make_run(OWN, cwd="/a", processes=own, level=level)
            for n, (row, loss) in enumerate(zip(rows, losses, strict=True), 1):
                folder = process_folder(made.folder, f"0.{n}")
                content = {"inputs": row, "outputs": row}
                make_run([content], steps=[{**step, "loss": loss}], folder=folder, level=level)
            traces.append(Trace.open(made.folder))
        return compare_traces(*traces)

    assert verdict(2, 1, last=5, level="op").verdict == "same"
    assert verdict(2, 7, last=5, level="op").verdict == "different"
    shared = verdict(2, 7, last=5)
    assert shared.verdict == "incomplete"
    assert "--level op" in shared.not_compared[0].why
    assert verdict(2, 1, last=9).verdict == "different"


def test_rows_that_a_kill_has_taken_are_told(judge):
    whole = process("0.1", [{}, {}], signal=15)
    assert judge([whole], [whole]).verdict == "same"
    lost = process("0.1", [{}, {}], signal=15, lost=3)
    verdict = judge([whole], [lost])
    assert verdict.verdict == "incomplete"
    assert verdict.not_compared[0].why == "it was killed before its last 3 operations were written"
    shorter = process("0.1", [{}], signal=15)
    verdict = judge([whole], [shorter])
    assert verdict.verdict == "incomplete"
    assert "had done more in one of the runs" in verdict.not_compared[0].why
    steps = process("0.1", [{}, {}], signal=15, steps=2)
    verdict = judge([steps], [steps])
    assert verdict.not_compared[0].why == "it was killed before its last 2 steps were written"
    assert judge([whole], [process("0.1", [{"outputs": 9}], signal=15)]).verdict == "different"


def test_a_process_that_computes_in_one_run_only_is_a_difference(judge):
    verdict = judge([process("0.1", [{}])], [process("0.1")])
    assert verdict.verdict == "different"
    assert verdict.first_divergence.kind == "inserted"
    assert "computes in run A only" in verdict.first_divergence.detail
    killed = judge([process("0.1", [{}])], [process("0.1", signal=9)])
    assert killed.verdict == "incomplete"
    assert "killed before its first operation" in killed.not_compared[0].why


def test_trainings_on_threads_of_a_process_are_compared(judge, make_run):
    entry, _ = process("0.1", [{}])
    runs = []
    for digest in ("a", "b"):
        made = make_run(OWN, cwd="/a", processes=[entry])
        training = {"file": "/a/train.py", "line": 4, "steps": 3, "digest": digest}
        make_run([{}], folder=process_folder(made.folder, "0.1"), thread_steps=[training])
        runs.append(Trace.open(made.folder))
    found = compare_traces(*runs).first_divergence
    assert (found.kind, found.line, found.processes) == ("saved", 4, ("0.1", "0.1"))


def test_the_runs_of_a_verdict_name_their_processes(judge):
    verdict = judge([rank(0, [{}, {}]), rank(1, [{}])], [rank(0, [{}, {}]), rank(1, [{}])])
    assert [(p.name, p.ops) for p in verdict.runs[0].processes] == [("rank 0", 2), ("rank 1", 1)]


def test_a_process_that_was_ended_has_done_the_steps_that_it_told(judge):
    entry, rows = rank(0, [{}, {}])
    cut = ({**entry, "steps": 3}, rows)
    verdict = judge([cut], [cut])
    assert [p.steps for p in verdict.runs[0].processes] == [3]


def test_a_pools_worker_is_called_by_the_line_that_made_the_pool(judge):
    a = [process(f"0.{n}", [{"outputs": n}], role="pool") for n in (1, 2)]
    b = [a[0], process("0.2", [{"outputs": 9}], role="pool")]
    found = judge(a, b).first_divergence
    assert found.process == "worker 2 of the pool made at train.py:12"


def still_running(trace):
    """As a process leaves its manifest that was killed: it had no time to say how it ended."""
    for entry in trace.manifest.processes:
        if not entry["recorded"]:
            continue
        path = process_folder(trace.folder, entry["name"]) / "manifest.json"
        facts = json.loads(path.read_text())
        assert facts["complete"] is False
        facts["exit"] = {"code": None, "signal": None, "reason": "running"}
        path.write_text(json.dumps(facts))
    return trace


def test_a_process_that_was_killed_is_not_called_one_that_went_on(record):
    def verdict(a, b):
        return compare_traces(still_running(record(a)), still_running(record(b)))

    one = [process("0.1", [{}, {}], signal=9)]
    shorter = [process("0.1", [{}], signal=9)]
    assert verdict(one, one).verdict == "same"
    found = verdict(one, shorter)
    assert found.verdict == "incomplete"
    assert [one.why for one in found.not_compared] == [
        "it was killed, and had done more in one of the runs: the rest has no equal"
    ]
    assert not any("still running" in note for note in found.notes)


def test_killed_workers_of_a_pool_may_have_shared_their_work_otherwise(record):
    def pool(*shares):
        return [process(f"0.{n}", own, role="pool", signal=15) for n, own in enumerate(shares, 1)]

    def verdict(a, b):
        return compare_traces(still_running(record(a)), still_running(record(b)))

    task, other = {"outputs": 1}, {"outputs": 2, "inputs": 2}
    shared = verdict(pool([task, task, other], [task]), pool([task], [task, other, task]))
    assert (shared.verdict, shared.notes) == ("same", ())
    again = verdict(pool([task, task], [task]), pool([task], [task]))
    assert (again.verdict, again.notes) == ("same", ())
    idle = process("0.2", role="pool", signal=15, torch="idle")
    late = verdict(pool([task], [task]), [*pool([task, task]), idle])
    assert (late.verdict, late.not_compared) == ("same", ())
    lost = verdict(pool([task, other], [task]), pool([task], [task]))
    assert lost.verdict in ("incomplete", "different")


def test_a_rank_whose_disk_was_full_is_told_once_by_its_name(judge):
    why = "cannot write ops.arrow: No space left on device"
    full = [rank(0, [{}, {}]), rank(1, [{}], failure=why)]
    verdict = judge(full, full, cut=True)
    assert verdict.verdict == "incomplete"
    assert [(one.name, one.why) for one in verdict.not_compared] == [
        ("rank 1", f"not all of it is recorded: {why}")
    ]
    assert not any("rank 1" in note for note in verdict.notes)


def test_what_ranks_have_started_goes_by_the_rank(judge):
    ranks = [rank(0, [{}]), rank(1, [{}])]
    forks = [process(f"0.{n}.1", [{"outputs": n}], via="os.fork", kind="fork") for n in (1, 2)]
    other = [forks[0], process("0.2.1", [{"outputs": 9}], via="os.fork", kind="fork")]
    found = judge([*ranks, *forks], [*ranks, *other]).first_divergence
    assert found.process == "the process started at train.py:12 by rank 1 (os.fork)"
    names = [one.name for one in judge([*ranks, *forks], [*ranks, *forks]).runs[0].processes]
    assert len(set(names)) == 4


def test_of_two_ranks_that_differ_by_themselves_both_are_told(judge):
    at_8 = {"site": ("train.py", 8, "step", "")}
    plain = [AT_7, at_8, SENT, {}]
    first = [{**AT_7, "outputs": 5}, at_8, SENT, DIFFERENT_DATA]
    of_itself = [AT_7, {**at_8, "outputs": 5}, SENT, DIFFERENT_DATA]
    read = [AT_7, {**at_8, **DIFFERENT_DATA}, SENT, DIFFERENT_DATA]
    received = [AT_7, at_8, SENT, DIFFERENT_DATA]

    def beside(other):
        verdict = judge([rank(0, plain), rank(1, plain)], [rank(0, first), rank(1, other)])
        assert verdict.first_divergence.process == "rank 0"
        return [note for note in verdict.notes if "independently" in note]

    for other in (of_itself, read):
        (note,) = beside(other)
        assert "rank 1 diverges as well: aten.add.Tensor at train.py:8, step 0: " in note
    # What a rank has received of the first one is no divergence of its own, and one line is enough.
    assert beside(received) == beside(first) == []
