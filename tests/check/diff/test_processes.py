"""Processes of two runs: what they print, write and return decides, and what nobody saw is said."""

from __future__ import annotations

import re

import pytest
from tests.check.process_entries import process_entry

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.printed_text import ignoring

ROWS = [{"op": "aten.add.Tensor"}]


def process(name="0.1", text="", **facts):
    usual = {
        "via": "subprocess",
        "file": "/a/train.py",
        "line": 12,
        "program": "python -c",
        "torch": "no",
        "recorded": False,
        "exit": {"code": facts.pop("code", 0), "signal": facts.pop("signal", None)},
        "printed": {"text": text, "whole": facts.pop("whole", True)},
    }
    return process_entry(name, **{**usual, **facts})


def file(path, digest="d", kind="tensors", beside=""):
    facts = {"kind": kind, "digest": digest, "beside": beside}
    return {"path": f"/a/{path}", "size": 1, "process": "0.1", **facts}


def named(path, digest, anonymous):
    return file(path, digest, kind="text") | {"anonymous": anonymous}


def table(path, digest, rows, *, added=False):
    """One whose columns are named by the line before the rows, which its first writer writes."""
    return {**file(path, digest, kind="text"), "rows": rows, "added": added}


@pytest.fixture
def judge(make_run):
    """The verdict on two runs whose manifests say this of their processes."""

    def compare(a, b, rows=ROWS, **more):
        both = [{"processes": one} if isinstance(one, list) else one for one in (a, b)]
        return compare_traces(*(make_run(rows, cwd="/a", **one, **more) for one in both))

    return compare


def test_what_a_process_prints_decides(judge):
    verdict = judge([process(text="0.5\n")], [process(text="0.6\n")])
    assert verdict.verdict == "different"
    found = verdict.first_divergence
    assert (found.kind, found.file, found.line) == ("printed", "/a/train.py", 12)
    assert found.process == "the process started at train.py:12 (python -c)"
    assert "line 1 as '0.5' in run A, '0.6' in run B" in found.detail


def test_one_that_the_script_has_left_running_is_not_compared_to_its_end(judge):
    left = {"error": "", "message": "", "file": "", "line": 0, "operation": "", "by": "end"}
    verdict = judge([process(ending=left)], [process(ending=left)])
    assert verdict.verdict == "incomplete"
    (unseen,) = verdict.not_compared
    assert unseen.name == "the process started at train.py:12 (python -c)"
    assert unseen.why == "it went on after the script had ended, and was ended then"
    assert verdict.notes == ()


def test_times_do_not(judge):
    lines = ["epoch 1 loss 0.5 took 3.1s\n", "epoch 1 loss 0.5 took 13.2s\n"]
    verdict = judge(*([process(text=line)] for line in lines))
    assert (verdict.verdict, verdict.notes) == ("same", ())


def test_numbers_of_the_processes_themselves_do_not(judge):
    def run(first, texts, script=4000, role=""):
        ones = [
            process(f"0.{n}", text.format(first, first + 1), pid=first + n - 1, role=role)
            for n, text in enumerate(texts, 1)
        ]
        return {"processes": ones, "extra": {"process": script}}

    def verdict(texts, others=None, **more):
        runs = run(4711, texts), run(5822, others or texts, script=5800, **more)
        return judge(*runs).verdict

    log = "{0}\tTrain Epoch: 1\tLoss: 0.5"
    assert verdict([log, "{1} ends"]) == "same"
    assert verdict([log, "{1} ends"], [log, "{0} ends"]) == "different"
    assert verdict([log], ["{0}\tTrain Epoch: 1\tLoss: 0.6"]) == "different"
    # In a container the numbers are small, and others may be equal to one of them.
    texts = ["started {0}\nepoch 12\nepoch 13", "epoch 12"]
    assert judge(run(12, texts), run(31, texts)).verdict == "same"
    # What was computed with it is another number.
    runs = run(4711, ["seed 711"]), run(5822, ["seed 822"])
    assert judge(*runs).verdict == "different"
    # Whichever worker of a pool took the task, and whoever started it.
    for number, line in enumerate(("{0} does it", "{1} does it")):
        texts = [line, ""][:: 1 - 2 * number]
        first = run(4711, ["{0} does it", ""], role="pool")
        assert judge(first, run(5822, texts, role="pool")).verdict == "same"
    runs = run(4711, ["by 4000"]), run(5822, ["by 5800"], script=5800)
    assert judge(*runs).verdict == "same"
    runs = run(4711, ["by 4000"]), run(5822, ["by 5822"], script=5800)
    assert judge(*runs).verdict == "different"


def test_lines_that_are_to_be_ignored_do_not(judge):
    with ignoring([re.compile("^id ")]):
        verdict = judge([process(text="id 1\n")], [process(text="id 2\nid 3\n")])
    assert (verdict.verdict, verdict.ignored_output) == ("same", ("^id ",))


def test_processes_are_paired_by_where_they_were_started(judge):
    a = [process("0.1", "x\n", line=3), process("0.2", "y\n", line=5)]
    b = [process("0.1", "y\n", line=5), process("0.2", "x\n", line=3)]
    assert judge(a, b).verdict == "same"
    # of one kind: as heaps, since threads may start them in any order
    a, b = ([process("0.1", one), process("0.2", two)] for one, two in (("x", "y"), ("y", "x")))
    assert judge(a, b).verdict == "same"
    a, b = ([process("0.1.1", one), process("0.1")] for one in ("x", "y"))
    assert judge(a, b).verdict == "different"


def test_the_order_of_lines_counts_but_not_among_a_pools_workers(judge):
    texts = [("1\n2\n", "3\n"), ("1\n", "2\n3\n")]
    for role, expected in (("pool", "same"), ("", "different")):
        runs = [[process(f"0.{n}", t, role=role) for n, t in enumerate(ts)] for ts in texts]
        assert judge(*runs).verdict == expected
    assert judge([process(text="a\nb")], [process(text="b\na")]).verdict == "different"


def test_a_process_that_only_one_run_starts_counts_by_what_it_prints(judge):
    assert judge([process()], []).verdict == "same"
    assert judge([process(text="x")], []).verdict == "different"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"code": 0}, {"code": 3}, "different"),
        ({"code": 3}, {"code": 3}, "same"),
        ({"code": 0}, {"code": None, "signal": 11}, "different"),
        ({"code": 0}, {"code": None, "signal": 15}, "same"),  # somebody else has ended it
        ({"code": None}, {"code": 0}, "same"),  # nobody asked
    ],
)
def test_ends(judge, a, b, expected):
    assert judge([process(**a)], [process(**b)]).verdict == expected


@pytest.mark.parametrize("torch", ["no", "idle"])
def test_a_process_without_an_operation_leaves_nothing_out(judge, torch):
    runs = [[process(torch=torch)]] * 2
    assert judge(*runs).verdict == "same"


@pytest.mark.parametrize(
    "facts",
    [
        {"torch": "computed"},
        {"torch": "imported"},
        {"torch": "idle", "threads": True},
        {"watched": False, "kind": "python-alone"},
    ],
)
def test_a_process_that_may_have_computed_is_named(judge, facts):
    verdict = judge(*[[process(via="mp.spawn", program="multiprocessing.spawn", **facts)]] * 2)
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4)
    (one,) = verdict.not_compared
    assert one.name == "the process started at train.py:12 (mp.spawn)"
    assert one.what == "process"
    (written,) = verdict.to_json()["not_compared"]
    assert written == {"what": "process", "name": one.name, "why": one.why}


def test_what_goes_on_in_a_container_is_left_out_and_named(judge):
    facts = {"via": "subprocess", "program": "docker run", "kind": "container", "watched": False}
    verdict = judge(*[[process(**facts)]] * 2)
    assert verdict.verdict == "incomplete"
    (one,) = verdict.not_compared
    assert one.why == "docker run: what goes on in a container is not recorded"
    assert judge(*[[process(**facts, code=127)]] * 2).verdict == "same"  # there is no docker


def test_another_program_leaves_nothing_out(judge):
    git = process(program="git", kind="program", watched=False)
    assert judge([git], [git]).verdict == "same"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (file("w.pt"), file("w.pt", "e"), "different"),
        (file("w.pt"), file("w.pt"), "same"),
        (file("w.pt", beside="x"), file("w.pt", beside="y"), "incomplete"),
        (file("a.csv", kind="text"), file("a.csv", "e", kind="text"), "different"),
        (file("a.bin", kind="bytes"), file("a.bin", "e", kind="bytes"), "incomplete"),
        (file("run-2024-01-02/w.pt"), file("run-2025-03-04/w.pt"), "same"),
        (file("x1/w.pt"), file("x2/w.pt"), "same"),
        (named("a.log", "d", "n"), named("a.log", "e", "n"), "same"),
        (named("a.log", "d", "n"), named("a.log", "e", "m"), "different"),
        (named("a.log", "d", "n"), named("b.log", "e", "n"), "same"),
        (named("a.log", "d", "n"), named("b.log", "e", "m"), "different"),
        (table("a.csv", "d", "r"), table("a.csv", "e", "r", added=True), "same"),
        (table("a.csv", "d", "r"), table("a.csv", "e", "s", added=True), "different"),
        (table("a.csv", "d", "r"), table("a.csv", "e", "r"), "different"),
        (file("x1/w.pt"), file("x2/w.pt", "e"), "different"),
        (file("x1/w.bin", kind="bytes"), file("x2/w.bin", "e", kind="bytes"), "incomplete"),
    ],
)
def test_files(judge, a, b, expected):
    runs = [{"processes": [process()], "process_files": [one]} for one in (a, b)]
    verdict = judge(*runs)
    assert verdict.verdict == expected
    if expected == "different":
        assert verdict.first_divergence.process.startswith("the process started at train.py:12")
    assert {one.what for one in verdict.not_compared} <= {"file"}


@pytest.mark.parametrize(
    ("values", "expected", "why"),
    [
        (("v", "v"), "same", ""),
        (("v", "w"), "incomplete", "also without times"),
        (("v",), "incomplete", "cannot be read"),
        (("", ""), "incomplete", "cannot be read"),
    ],
)
def test_what_the_writer_noted_of_a_save_without_times_stands_for_it(judge, values, expected, why):
    files = [file("w.pt", beside="x"), file("w.pt", beside="y")]
    for one, digest in zip(files, values, strict=False):
        one["values"] = digest
    verdict = judge(*({"processes": [process()], "process_files": [one]} for one in files))
    assert verdict.verdict == expected
    assert [one.why for one in verdict.not_compared if why not in one.why] == []
    assert bool(verdict.not_compared) is bool(why)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("tread-{}/w.pt",), "same"),
        (("tread-{}/w.pt", "tread-{}/best.pt"), "same"),
        (("other-c0ffee/w.pt",), "different"),
    ],
)
def test_a_folder_that_has_the_runs_own_name_is_the_same_one(judge, files, expected):
    def run(name, digest):
        written = [file(path.format(name), digest, kind="bytes") for path in files]
        if expected == "different":
            written = [file(files[0], digest)]
        return {"processes": [process()], "process_files": written, "extra": {"drawn": [name]}}

    verdict = judge(run("1a2b3c", "d"), run("4d5e6f", "d" if expected == "same" else "e"))
    assert verdict.verdict == expected
    # What has the same name in both is compared, whatever it holds.
    named = judge(run("1a2b3c", "d"), run("4d5e6f", "e"))
    assert [one.name.startswith("tread-#/") for one in named.not_compared] == [True] * (
        len(files) if expected == "same" else 0
    )


def test_an_empty_temporary_file_says_nothing(judge):
    def run(*files):
        return {"processes": [process()], "process_files": [*files]}

    empty = {**file("cache/tmp1a2b3c4d", "0", kind="text"), "size": 0}
    assert judge(run(), run(empty)).verdict == "same"
    assert judge(run(), run({**empty, "size": 3})).verdict == "different"
    assert judge(run(), run({**empty, "path": "cache/DONE"})).verdict == "different"


def test_files_that_differ_in_the_names_of_a_run_alone_stand_for_themselves(judge):
    def run(*names):
        files = [file(f"{name}.bin", name, kind="bytes") for name in names]
        return {"processes": [process()], "process_files": files, "extra": {"drawn": [*names]}}

    verdict = judge(run("1a2b3c", "aaaaaa"), run("4d5e6f", "bbbbbb"))
    assert {one.name for one in verdict.not_compared} == {
        *("1a2b3c.bin", "aaaaaa.bin", "4d5e6f.bin", "bbbbbb.bin"),
    }


def test_what_other_programs_print_decides_as_a_heap_of_lines(judge):
    def run(*lines):
        shell = process(program="bash", kind="shell", watched=False)
        return {"processes": [shell], "other_output": {"lines": list(lines), "whole": True}}

    assert judge(run("a", "b"), run("b", "a")).verdict == "same"
    verdict = judge(run("a", "b"), run("a", "c"))
    assert verdict.verdict == "different"
    assert "prints 'b' in run A, 'c' in run B" in verdict.first_divergence.detail


def test_lines_that_may_be_pieces_of_several_accuse_nobody(judge):
    def run(line):
        shells = [process(f"0.{n}", kind="shell", program="bash", watched=False) for n in (1, 2)]
        return {"processes": shells, "other_output": {"lines": [line * 3000], "whole": True}}

    verdict = judge(run("ab"), run("ba"))
    assert [(one.what, verdict.verdict) for one in verdict.not_compared] == [
        ("output", "incomplete")
    ]


def test_more_than_is_kept_is_said(judge):
    verdict = judge(*[[process(text="a", whole=False)]] * 2)
    assert [one.what for one in verdict.not_compared] == ["output"]


def test_runs_that_end_early_are_not_compared_in_their_processes(judge):
    stopped = {"code": 0, "signal": None, "reason": "stopped-at-row"}
    verdict = judge([process(text="x")], [process(text="y")], exit=stopped)
    assert verdict.verdict == "same"
