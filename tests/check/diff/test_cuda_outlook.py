from __future__ import annotations

import pytest

from samebits.check.diff.cuda_outlook import cuda_outlook, with_cuda_outlook
from samebits.check.diff.verdict import RunSummary, Verdict

BICUBIC = "aten.upsample_bicubic2d_backward"


def row(op, line=10, phase="backward", signature="float32[1, 1, 4, 4]", file="train.py"):
    return {
        "op": op,
        "phase": phase,
        "signature": signature,
        "site": (file, line, "main", ""),
    }


def told(trace):
    return [(e["op"], e["status"], e["line"], e["count"]) for e in cuda_outlook(trace)]


def test_a_bicubic_interpolation_is_reported_and_a_nearest_one_is_not(make_run):
    (entry,) = cuda_outlook(
        make_run([row(BICUBIC, 3), row("aten.upsample_nearest2d_backward", 4), row("aten.mul", 5)])
    )
    assert list(entry) == ["op", "phase", "status", "file", "line", "instead", "count"]
    assert entry.pop("instead").startswith("mode='bilinear'")
    assert entry == {
        "op": BICUBIC,
        "phase": "backward",
        "status": "raises",
        "file": "train.py",
        "line": 3,
        "count": 1,
    }


def test_operations_at_one_line_are_one_entry_whatever_their_shapes(make_run):
    rows = [row(BICUBIC, 3, signature=f"float32[1, 1, {n}, {n}]") for n in (4, 4, 8)]
    assert told(make_run([*rows, row(BICUBIC, 2)], flush_every=2)) == [
        (BICUBIC, "raises", 2, 1),
        (BICUBIC, "raises", 3, 3),
    ]


def test_what_raises_stands_before_what_switches(make_run):
    rows = [row("aten.scatter_add", 1), row(BICUBIC, 9), row("aten.convolution", 2, "forward")]
    assert told(make_run(rows)) == [
        (BICUBIC, "raises", 9, 1),
        ("aten.scatter_add", "switches", 1, 1),
        ("aten.convolution", "switches", 2, 1),
    ]


def test_the_forward_pass_at_the_same_line_decides(make_run):
    largest = "float32[2, 3]; int64[6]; int64[2]; int64[2, 3]"
    summed = "float32[2, 3]; int64[0]; int64[2]; int64[2]"
    trace = make_run(
        [
            row("aten._embedding_bag", 4, "forward", largest),
            row("aten._embedding_bag", 5, "forward", summed),
            row("aten._embedding_bag_backward", 4, signature="float32[4, 3]"),
            row("aten._embedding_bag_backward", 5, signature="float32[4, 3]"),
        ]
    )
    assert told(trace) == [("aten._embedding_bag_backward", "raises", 4, 1)]


def test_the_version_and_the_variables_are_those_of_the_recorded_run(make_run):
    rows = [row("aten.addmm", phase="forward")]
    old = {"torch": {"version": "2.9.1"}}
    settled = {**old, "variables": {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}}
    found = [
        len(cuda_outlook(make_run(rows, environment=environment)))
        for environment in (old, settled, {}, {"torch": 3, "variables": ["x"]})
    ]
    assert found == [1, 0, 0, 0]


def test_a_row_without_a_line_is_reported_without_one(make_run):
    trace = make_run([row(BICUBIC, 0)])
    assert [(e["file"], e["line"]) for e in cuda_outlook(trace)] == [("train.py", None)]


def test_names_from_a_trace_are_made_printable(make_run):
    (entry,) = cuda_outlook(make_run([row(BICUBIC, file="\x1b[2Jevil\n.py")]))
    assert entry["file"].isprintable()


def test_a_run_without_operations_has_no_outlook(make_run):
    assert cuda_outlook(make_run()) == ()


@pytest.mark.parametrize(("verdict", "expected"), [("same", 1), ("different", 1), ("failed", 0)])
def test_a_verdict_gets_the_outlook_of_its_first_run(make_run, verdict, expected):
    folders = [str(make_run(rows).folder) for rows in ([row(BICUBIC)], [])]
    runs = tuple(
        RunSummary(folder=folder, steps=0, ops=1, exit_code=0, seconds=1.0) for folder in folders
    )
    assert len(with_cuda_outlook(Verdict(verdict=verdict, runs=runs)).cuda_outlook) == expected


def test_real_rows_are_understood(tmp_path):
    import torch
    from torch.nn import functional

    import samebits

    with samebits.record(tmp_path / "run") as run:
        x = torch.ones(1, 1, 4, 4, requires_grad=True)
        weight, bags = torch.ones(4, 3, requires_grad=True), torch.zeros(2, 2, dtype=torch.long)
        bicubic = functional.interpolate(x, scale_factor=2, mode="bicubic")
        bilinear = functional.interpolate(x, scale_factor=2, mode="bilinear")
        nearest = functional.interpolate(x, scale_factor=2, mode="nearest")
        largest = functional.embedding_bag(bags, weight, mode="max")
        summed = functional.embedding_bag(bags, weight, mode="sum")
        sum(y.sum() for y in (bicubic, bilinear, nearest, largest, summed)).backward()
        for dtype in (torch.float32, torch.int64):
            torch.ones(4, dtype=dtype).cumsum(0)
        torch.bincount(bags.flatten())
        torch.bincount(bags.flatten(), torch.ones(4))
    assert [(op, status, count) for op, status, _, count in told(run.trace)] == [
        (BICUBIC, "raises", 1),
        ("aten._embedding_bag_backward", "raises", 1),
        ("aten.bincount", "raises", 1),
        ("aten.upsample_bilinear2d_backward", "switches", 1),
        ("aten.cumsum", "switches", 1),
    ]


def test_a_check_tells_the_outlook_of_its_first_run(tmp_path):
    from samebits.check.record.plan import RunPlan
    from samebits.check.record.run import Target
    from samebits.check.trials.experiment import check

    script = tmp_path / "train.py"
    script.write_text("import torch\n\ntorch.ones(3).median(0)\n")
    verdict = check(Target(script=script), plan=RunPlan(), out=tmp_path / "runs")
    (entry,) = verdict.cuda_outlook
    assert (verdict.verdict, entry["op"], entry["line"]) == ("same", "aten.median.dim", 3)
