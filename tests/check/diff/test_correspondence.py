"""Source files that are called otherwise in the other run."""

from __future__ import annotations

import pytest

from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.ledger_differences import ledger_differences
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site


def run_of(make_run, *files, script=None, cwd="/project", **more):
    """A run that loaded these (path, digest) files, the first of them its script; a row each."""
    code = [{"path": path, "sha256": digest} for path, digest in files]
    rows = [{"site": (path, 10, "main", "")} for path, _ in files]
    rows += more.pop("rows", [])
    return make_run(rows, script=script or code[0], code=code, cwd=cwd, **more)


SAME = [
    pytest.param([("/p/train.py", "1")], [("/q/copy.py", "1")], id="copied"),
    pytest.param([("/p/train.py", "1")], [("train.py", "1")], id="relative"),
    pytest.param(
        [("/p/train.py", "1"), ("/p/pkg/a.py", "2")],
        [("/p/train.py", "1"), ("/p/pkg/b.py", "2")],
        id="module-renamed",
    ),
    pytest.param(
        [("/p/train.py", "1"), ("/p/a.py", "2"), ("/p/b.py", "3")],
        [("/p/train.py", "1"), ("/p/b.py", "2"), ("/p/a.py", "3")],
        id="names-exchanged",
    ),
    pytest.param(
        [("/p/train.py", "1"), ("/p/x/__init__.py", "0"), ("/p/y/__init__.py", "0")],
        [("C:\\q\\main.py", "1"), ("C:\\q\\x\\__init__.py", "0"), ("C:\\q\\y\\__init__.py", "0")],
        id="equal-content",
    ),
]


@pytest.mark.parametrize(("of_a", "of_b"), SAME)
def test_files_with_equal_content_are_the_same_file(make_run, of_a, of_b):
    a, b = run_of(make_run, *of_a), run_of(make_run, *of_b)
    assert correspondence(a, b).edited == ()
    verdict = compare_traces(a, b)
    assert (verdict.verdict, verdict.notes) == ("same", ())
    assert compare_traces(b, a).verdict == "same"


def test_the_scripts_correspond_whatever_they_are_called(make_run):
    a = run_of(make_run, ("/p/train.py", "1"))
    b = make_run(
        [{"site": ("/p/train_2.py", 14, "main", "")}],
        script={"path": "/p/train_2.py", "sha256": "2"},
    )
    verdict = compare_traces(a, b)
    assert verdict.verdict == "same"
    assert verdict.notes == (
        "the code differs (train.py in A, train_2.py in B): rows are aligned without line numbers",
    )


def test_a_script_that_is_a_module_of_the_other_run_is_that_module(make_run):
    a = run_of(make_run, ("/p/train.py", "1"))
    b = run_of(make_run, ("/p/main.py", "2"), ("/p/lib/train.py", "1"))
    assert correspondence(a, b).edited == ()


def test_a_file_that_only_one_run_loaded_was_not_edited(make_run):
    a = run_of(make_run, ("/p/train.py", "1"))
    b = run_of(make_run, ("/p/train.py", "1"), ("/p/more.py", "2"))
    assert correspondence(a, b).edited == ()


def test_a_class_of_a_renamed_module_is_the_same_class(make_run):
    row = {"site": ("/p/train.py", 10, "main", "")}
    a = run_of(
        make_run,
        ("/p/train.py", "1"),
        ("/p/pkg/old.py", "2"),
        rows=[{**row, "op": "pkg.old.Net"}],
    )
    b = run_of(
        make_run,
        ("/p/train.py", "1"),
        ("/p/pkg/new.py", "2"),
        rows=[{**row, "op": "pkg.new.Net"}],
    )
    assert compare_traces(a, b).verdict == "same"


def test_ledgers_of_renamed_scripts_are_laid_side_by_side(make_run):
    traces = []
    for name in ("train.py", "copy.py"):
        trace = run_of(make_run, (f"/p/{name}", "1"))
        row = LedgerRow(
            source="torch-cpu",
            event="draw",
            detail="torch.rand",
            site=Site(f"/p/{name}", 3, "main", ""),
            amount=64,
            seeded=1,
        )
        write_ledger(trace.folder, [row])
        traces.append(type(trace).open(trace.folder))
    assert len(ledger_differences(*traces)) == 2
    assert ledger_differences(*traces, None, correspondence(*traces)) == ()
    assert compare_traces(*traces).ledger == ()


def test_the_same_operation_from_another_line_is_told_by_its_lines(make_run):
    a = make_run([{"site": ("train.py", 10, "main", "")}, {}])
    b = make_run([{"site": ("train.py", 12, "main", "")}, {}])
    found = compare_traces(a, b).first_divergence
    assert found.detail == (
        "both runs do aten.add.Tensor (float32[4]) next, "
        "run A at train.py:10 in main, run B at train.py:12 in main"
    )
