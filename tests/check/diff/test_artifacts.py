from __future__ import annotations

import re

import pytest

from samebits.check.diff.artifacts import divergence_beside, notes_beside
from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.diff.printed_output import (
    is_said_at_other_times,
    lines_that_count,
    printed_difference,
    printed_steps,
)
from samebits.check.diff.printed_text import ignoring
from samebits.check.diff.written_files import unread_differences, value_steps, wrote_the_same
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, Site

ROWS = [{"op": "aten.add.Tensor"}]


def file(path, digest, kind="tensors", step=1):
    return {"path": path, "kind": kind, "digest": digest, "size": 1, "step": step}


def test_saved_tensors_decide(make_run):
    runs = [make_run(ROWS, files=[file("a.pt", "1"), file("b.pt", d)]) for d in "12"]
    found = first_divergence(*runs)
    assert (found.kind, found.op, found.step) == ("saved", "save", 1)
    assert found.detail == "the tensors in b.pt differ"


def test_a_checkpoint_is_compared_each_time_it_is_written(make_run):
    a, b = ([file("c.pt", "1"), file("c.pt", last, step=4)] for last in "12")
    assert first_divergence(make_run(ROWS, files=a), make_run(ROWS, files=b)).step == 4
    found = first_divergence(make_run(ROWS, files=a), make_run(ROWS, files=a[:1]))
    assert "run A writes c.pt 2 times, run B once" in found.detail


def test_folders_and_temporary_names_do_not_matter(make_run):
    a = make_run(ROWS, cwd="/a", files=[file("/a/out/c.pt", "1"), file("/tmp/x1/d.pt", "2")])
    b = make_run(ROWS, cwd="/b", files=[file("out/c.pt", "1"), file("/tmp/x2/e.pt", "2")])
    assert first_divergence(a, b) is None


def test_a_file_that_only_one_run_saves(make_run):
    found = first_divergence(make_run(ROWS), make_run(ROWS, files=[file("c.pt", "1")]))
    assert found.detail == "run B writes c.pt, the other does not"


@pytest.mark.parametrize(("loss", "differs"), [("0.25", False), ("0.26", True)])
def test_a_printed_column_that_is_named_for_time_does_not_count(make_run, loss, differs):
    of_a, of_b = "epoch,loss,rows_per_s\n0,0.25,4434\n", f"epoch,loss,rows_per_s\n0,{loss},4057\n"
    a, b = make_run(ROWS, printed=of_a), make_run(ROWS, printed=of_b)
    assert (printed_difference(a, b) is not None) == differs
    assert (printed_steps(a, b) is not None) == differs
    assert (sorted(lines_that_count(a)) != sorted(lines_that_count(b))) == differs


def test_printed_text_is_a_note_where_torch_ran(make_run):
    verdict = compare_traces(
        make_run(ROWS, printed="a\ntook 1 s\n"), make_run(ROWS, printed="a\ntook 2 s\x1b\n")
    )
    assert verdict.verdict == "same"
    assert verdict.notes == ("printed line 2 differs: 'took 1 s' in A, 'took 2 s\\x1b' in B",)


def test_printed_text_decides_where_torch_did_nothing(make_run):
    found = first_divergence(make_run(printed="1\n"), make_run(printed="1\n2\n"))
    assert found.kind == "printed"


def test_written_bytes_decide_where_torch_did_nothing(make_run):
    a, b = ([file("log.txt", digest, kind="bytes")] for digest in "12")
    assert first_divergence(make_run(files=a), make_run(files=b)).detail == (
        "the bytes of log.txt differ"
    )
    verdict = compare_traces(make_run(ROWS, files=a), make_run(ROWS, files=b))
    assert verdict.verdict == "same"
    assert verdict.notes == ("the bytes of log.txt differ",)


def test_values_beside_saved_tensors_are_a_note_where_torch_ran(make_run):
    a, b = (
        [file("c.pt", "1"), file("c.pt", digest, kind="values"), file("d.pt", "2")]
        for digest in "34"
    )
    verdict = compare_traces(make_run(ROWS, files=a), make_run(ROWS, files=b))
    assert verdict.verdict == "same"
    assert verdict.notes == ("the plain values in c.pt differ",)
    found = first_divergence(make_run(files=a), make_run(files=b))
    assert found.detail == "the plain values in c.pt differ"


def test_steps_at_which_other_values_were_saved(make_run):
    a, b = (
        make_run(ROWS, files=[file("c.pt", d, kind="values", step=k) for k, d in enumerate(ds)])
        for ds in ("1234", "1224")
    )
    assert value_steps(a, b) == {2}
    assert value_steps(a, a) == set()


def test_a_difference_beyond_the_kept_output_is_seen(make_run):
    a, b = (make_run(printed=f"the same start, {end}", output_cap=5) for end in "12")
    assert first_divergence(a, b).detail.startswith("printed output differs after")


def test_exit_codes_decide_at_last(make_run):
    failed = {"code": 1, "signal": None, "reason": "exception"}
    found = first_divergence(make_run(ROWS), make_run(ROWS, exit=failed))
    assert found.kind == "exit"
    assert found.detail == "run A ends with exit code 0, run B with exit code 1"
    verdict = compare_traces(make_run(ROWS, exit=failed), make_run(ROWS, exit=failed))
    assert verdict.verdict == "same"
    assert verdict.runs[0].exit_code == 1


def test_a_signal_is_a_negative_exit_code(make_run):
    killed = {"code": None, "signal": 11, "reason": "killed"}
    assert compare_traces(make_run(exit=killed), make_run(exit=killed)).runs[0].exit_code == -11


def test_a_cut_run_is_not_compared_beyond_its_rows(make_run):
    a = make_run(ROWS, files=[file("a.pt", "1")])
    b = make_run(ROWS, printed="x", cut=True)
    verdict = compare_traces(a, b)
    assert verdict.verdict == "incomplete"
    assert [one.name for one in verdict.not_compared] == [f"run B after operation {len(ROWS)}"]
    assert verdict.notes == ()


def test_cut_runs_without_rows_are_compared_by_what_both_printed(make_run):
    a, b = make_run(printed="1\n2\n3", cut=True), make_run(printed="1\n2\n3 4\n5\n")
    verdict = compare_traces(a, b)
    assert verdict.verdict == "incomplete"
    assert "only printed text was compared" in verdict.notes[0]
    found = first_divergence(a, make_run(printed="1\n3\n"))
    assert found.detail == "printed line 2 differs: '2' in A, '3' in B"


def test_step_tags_of_the_log_are_not_shown(make_run):
    found = first_divergence(make_run(printed="0\ta\n"), make_run(printed="0\tb\n"))
    assert found.detail == "printed line 1 differs: 'a' in A, 'b' in B"
    found = first_divergence(make_run(printed="0\ta\n"), make_run(printed="1\ta\n"))
    assert found.detail == "printed line 1, 'a', came at step 0 in A, at step 1 in B"
    long = "loss " * 40
    found = first_divergence(make_run(printed=f"0\t{long}1\n"), make_run(printed=f"1\t{long}2\n"))
    shown = long[-40:]
    assert found.detail == f"printed line 1 differs: …'{shown}1' in A, …'{shown}2' in B"


def test_times_in_printed_text_are_no_sign_and_no_note(make_run):
    a, b = (make_run(ROWS, printed=f"3\tloss 0.5, {ms}ms\n") for ms in ("12.1", "9.75"))
    assert printed_steps(a, b) is None
    assert compare_traces(a, b).notes == ()
    assert compare_traces(a, b).verdict == "same"


def test_addresses_in_printed_text_are_a_note_and_no_sign(make_run):
    a, b = (make_run(ROWS, printed=f"3\t<net at 0x7f{n}0>\n") for n in (1, 2))
    assert printed_steps(a, b) is None
    assert len(compare_traces(a, b).notes) == 1


def test_lines_that_are_to_be_ignored_are_no_sign(make_run):
    a, b = (make_run(ROWS, printed=f"3\tid {n}\n4\tloss 0.5\n") for n in (1, 2))
    assert printed_steps(a, b) == (3, 3)
    with ignoring([re.compile("^id ")]):
        assert printed_steps(a, b) is None
        assert compare_traces(a, b).notes == ()


def test_times_alone_make_no_difference_where_torch_did_nothing(make_run):
    a, b = (make_run(printed=f"0\tdone in {s} seconds\n") for s in (1.5, 2.5))
    assert first_divergence(a, b) is None
    a, b = (make_run(printed=f"0\tanswer {s}\n") for s in (1.5, 2.5))
    assert first_divergence(a, b).kind == "printed"


def test_the_number_of_the_own_process_is_no_difference(make_run):
    def text(digest, anonymous):
        return {**file("train.log", digest), "kind": "text", "anonymous": anonymous}

    runs = [make_run(ROWS, files=[text(digest, "same")]) for digest in "12"]
    assert (divergence_beside(*runs), list(notes_beside(*runs))) == (None, [])
    runs = [make_run(ROWS, files=[text(digest, digest)]) for digest in "12"]
    assert divergence_beside(*runs).detail == "the text of train.log differs"


@pytest.mark.parametrize(
    ("rows", "added", "differs"),
    [
        ("ss", (False, True), False),
        ("st", (False, True), True),
        ("ss", (False, False), True),  # other names of columns
        ("ss", (True, True), True),
    ],
)
def test_who_writes_the_names_of_a_tables_columns_is_no_difference(make_run, rows, added, differs):
    def table(digest, rows, added):
        return {**file("log.csv", digest), "kind": "text", "rows": rows, "added": added}

    runs = [make_run(ROWS, files=[table(*one)]) for one in zip("12", rows, added, strict=True)]
    assert (divergence_beside(*runs) is not None) == differs


@pytest.mark.parametrize(
    ("of_a", "of_b", "differs"),
    [
        ("411 epoch 1", "412 epoch 1", False),
        ("[411] done, 411", "[412] done, 412", False),
        ("411 epoch 1", "413 epoch 1", True),
        ("411 epoch 1", "411 epoch 1", False),
        ("x411 epoch 1", "x412 epoch 1", True),
        ("411.5 epoch 1", "412.5 epoch 1", True),
    ],
)
def test_each_process_may_print_its_own_number(make_run, of_a, of_b, differs):
    a = make_run(ROWS, printed=f"{of_a}\n", extra={"process": 411})
    b = make_run(ROWS, printed=f"{of_b}\n", extra={"process": 412})
    assert (printed_difference(a, b) is not None) == differs
    assert (printed_steps(a, b) is not None) == differs


STARTED = LedgerRow(
    source="thread", event="start", detail="start", site=Site("train.py", 3, "main", "")
)


@pytest.mark.parametrize(
    ("of_a", "of_b", "said"),
    [
        ("48\tvalidated 40\n80\tloss 0.5\n", "80\tloss 0.5\n81\tvalidated 40\n", None),
        (
            "48\tvalidated 40\n80\tloss 0.5\n",
            "80\tloss 0.6\n81\tvalidated 40\n",
            "printed line 2 differs: 'loss 0.5' in A, 'loss 0.6' in B",
        ),
        (
            "1\tdone\n1\tdone\n",
            "1\tdone\n",
            "only run A printed line 2: 'done'",
        ),
    ],
)
def test_lines_that_threads_print_have_no_order(make_run, of_a, of_b, said):
    runs = [
        make_run(ROWS, printed=text, extra={"printed_by_others": _lines_with("validated", text)})
        for text in (of_a, of_b)
    ]
    for run in runs:
        write_ledger(run.folder, [STARTED])
    runs = [Trace.open(run.folder) for run in runs]
    found = divergence_beside(*runs)
    assert (None if found is None else found.detail) == said
    assert (printed_steps(*runs) is None) == (said is None)


def _lines_with(word, text):
    return [number for number, line in enumerate(text.split("\n")) if word in line]


def test_lines_that_the_main_thread_prints_have_one(make_run):
    runs = [make_run(ROWS, printed=text) for text in ("1\tcat\n1\tdog\n", "1\tdog\n1\tcat\n")]
    for run in runs:
        write_ledger(run.folder, [STARTED])
    runs = [Trace.open(run.folder) for run in runs]
    assert divergence_beside(*runs).detail == "printed line 1 differs: 'cat' in A, 'dog' in B"
    assert list(lines_that_count(runs[0], by_main=True)) == ["cat", "dog", ""]


def test_files_of_any_kind_are_compared_where_little_else_is(make_run):
    runs = [make_run(ROWS, files=[file("w.bin", digest, "bytes")]) for digest in "112"]
    assert wrote_the_same(*runs[:2])
    assert not wrote_the_same(*runs[1:])
    assert unread_differences(*runs[:2]) == []
    assert unread_differences(*runs[1:]) == ["w.bin"]


@pytest.mark.parametrize(
    ("of_a", "of_b", "other_times"),
    [
        ("3\tstep 3: 0.5\n9\t1.0\n", "4\tstep 4: 0.4\n9\t1.0\n", True),
        ("3\tstep 3: 0.5\n9\t1.0\n", "9\t1.0\n", True),
        ("3\tstep 3: 0.5\n9\t1.0\n", "3\tstep 3: 0.4\n9\t1.0\n", False),
        ("3\tstep 3: 0.5\n9\t1.0\n", "4\tstep 4: 0.4\n9\t1.1\n", False),
        ("3\tok\n5\tbad\n6\tup\n", "3\tbad\n5\tok\n", False),
        ("3\tok\n3\tup\n", "3\tok\n", True),
        ("3\tstep 3: 0.5\n9\tstep 9: 0.1\n", "4\tstep 4: 0.4\n", True),
    ],
)
def test_a_script_may_say_how_far_it_is_now_and_then(make_run, of_a, of_b, other_times):
    steps = [{"step": number} for number in range(9)]
    a, b = (make_run(ROWS, steps=steps, printed=text) for text in (of_a, of_b))
    assert is_said_at_other_times(a, b) == other_times


def in_own_folders(*digests, names, other="#"):
    pairs = zip(names, digests, strict=True)
    files = [file(f"/a/runs/{name}/m.json", digest, kind="text") for name, digest in pairs]
    return {"cwd": "/a", "files": [*files, file(f"/a/{other}.json", "0", kind="text")]}


def test_files_in_folders_that_a_run_has_names_of_its_own_for(make_run):
    drawn = [("12" * 16, "ab" * 16), ("cd" * 16, "56" * 16)]
    names = [[one[:8] for one in of_run] for of_run in drawn]

    def run(number, *digests):
        made = in_own_folders(*digests, names=names[number], other=str(number))
        return make_run(ROWS, **made, drawn=list(drawn[number]))

    assert divergence_beside(run(0, "1", "2"), run(1, "1", "2")) is None
    found = divergence_beside(run(0, "1", "2"), run(1, "1", "3"))
    assert found.detail == "the text of runs/#/m.json differs"
    # Of several, each is compared with the one that was written as early.
    assert divergence_beside(run(0, "1", "2"), run(1, "2", "1")) is not None


def test_the_number_of_a_process_in_a_path(make_run):
    def run(process, name, digest):
        files = [file(f"run-{name}/m.json", digest, kind="text")]
        return make_run(ROWS, files=files, process=process)

    a, b = run(40_001, 40_001, "1"), run(40_777, 40_777, "2")
    assert divergence_beside(a, b).detail == "the text of run-#/m.json differs"
    # A small one may be the number of an epoch.
    a, b = run(57, 57, "1"), run(58, 57, "2")
    assert divergence_beside(a, b).detail == "the text of run-57/m.json differs"


@pytest.mark.parametrize(("order", "told"), [("x", False), ("y", True)])
def test_a_dict_in_another_order_is_told(make_run, order, told):
    runs = [
        make_run(ROWS, files=[{**file("c.pt", "1", kind="values"), "order": one}])
        for one in ("x", order)
    ]
    verdict = compare_traces(*runs)
    assert verdict.verdict == "same"
    assert ("a dict in c.pt holds the same in both runs" in "".join(verdict.notes)) == told


@pytest.mark.parametrize(
    ("names", "digests", "told"),
    [
        (("score0.52.json", "score0.53.json"), "12", True),
        (("score0.52.json", "score0.53.json"), "11", False),
        (("version_1/a.json", "version_2/a.json"), "12", False),
    ],
)
def test_a_file_named_after_a_result_is_compared_with_its_like(make_run, names, digests, told):
    runs = [
        Trace.open(make_run(ROWS, files=[file(name, digest, kind="text")]).folder)
        for name, digest in zip(names, digests, strict=True)
    ]
    found = divergence_beside(*runs)
    assert (found is not None) == told
    if found is not None:
        assert found.detail == "the text of score0.52.json in A and score0.53.json in B differ"


def test_what_came_past_sys_stdout_counts_beside_operations(make_run):
    runs = [
        Trace.open(make_run(ROWS, other_output={"lines": [text], "whole": True}).folder)
        for text in ("score 0.25", "score 0.5")
    ]
    found = divergence_beside(*runs)
    assert found.detail == "standard output differs in what was not written through sys.stdout"
    assert list(lines_that_count(runs[0])) != list(lines_that_count(runs[1]))
