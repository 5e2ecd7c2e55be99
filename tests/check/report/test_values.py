"""What is said of the values behind a difference, in a terminal, in Markdown and on the page."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from samebits.check.diff.explanation import (
    AxisShare,
    DivergenceValues,
    PartGrowth,
    Repetition,
    TensorDifference,
)
from samebits.check.report.json import render_json
from samebits.check.report.model import build_report
from samebits.check.report.page.content import page_content
from samebits.check.report.page.render import render
from samebits.check.report.text import render_text
from samebits.check.report.values import values_view
from samebits.check.report.verdict_file import read_verdict
from samebits.check.report.verdicts.markdown import render as render_markdown

TENSOR = TensorDifference(
    dtype="F32", shape=(64, 16), elements=1024, differing=3, first=(5, 3), worst=(5, 4),
    values=(0.5, 0.5000001), max_abs=1.2e-7, max_relative=2.4e-7, max_ulp=2, median_ulp=1,
    histogram=(1021, 2, 1),
    axes=(AxisShare(axis=0, size=64, differing=1, first=5),
          AxisShare(axis=1, size=16, differing=3, first=3)),
    map=((0, 1), (2, 0)),
)  # fmt: skip
GROWTH = PartGrowth(
    part="parameters", steps=(3, 4, 8), relative=(1e-8, 1e-6, 1e-4), differing=(0.1, 0.5, 1.0),
    doubling=0.4,
)  # fmt: skip
EXPLANATION = DivergenceValues(
    runs=("a", "b"), tensors=(TENSOR,), repeats=Repetition(times=10, results=1), growth=(GROWTH,)
)


@pytest.fixture
def explained(make_verdict, make_divergence):
    def make(**changes):
        return make_verdict(
            verdict="different",
            first_divergence=make_divergence(),
            explanation=replace(EXPLANATION, **changes),
        )

    return make


def test_the_panel_says_how_large_it_is_and_how_it_grows(explained):
    text = render_text(build_report(explained()))
    for sentence in (
        "float32[64, 16]: 3 of 1,024 elements differ, in the last bits: they were rounded",
        "the largest distance is 2 ULP",
        "furthest apart at [5, 4]: 0.5 in A, 0.5000001 in B",
        "all of them lie at 5 of axis 0, which has 64",
        "they lie at 3 of 16 places of axis 1",
        "repeated 10 times on the inputs of run A, the operation gave the same bits",
        "1e-08 of its size after step 3, 0.0001 after step 8; doubles every 0.4 steps",
    ):
        assert sentence in " ".join(text.split())
    assert text.isascii()


@pytest.mark.parametrize("width", [40, 80])
def test_it_fits_a_narrow_terminal(explained, width):
    text = render_text(build_report(explained()), width=width)
    block = text[text.index("How large") : text.index("How it grows")]
    assert max(map(len, block.split("\n"))) <= max(width, 44)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"max_ulp": 4}, "in the last bits"),
        ({"max_ulp": 5}, "by little, but by more than a rounding"),
        ({"max_ulp": 10**6, "max_relative": 0.5}, "they are other values"),
        ({"max_ulp": None, "values": None}, "3 of 1,024 elements differ\n"),
    ],
)
def test_the_kind_of_difference_is_told(explained, changes, said):
    text = render_text(build_report(explained(tensors=(replace(TENSOR, **changes),))))
    assert said in text


def test_distances_that_are_no_rounding_have_no_bars(explained):
    far = replace(TENSOR, max_ulp=1 << 20, max_relative=2.0)
    assert build_report(explained(tensors=(far,))).values.tensors[0].bars == ()
    assert build_report(explained()).values.tensors[0].bars == (("1", 2), ("2 to 3", 1))


def test_an_operation_that_does_not_repeat_is_told(explained):
    verdict = explained(repeats=Repetition(times=10, results=4))
    assert "4 different results" in " ".join(render_text(build_report(verdict)).split())


def test_curves_rise_with_the_logarithm(explained):
    (curve,) = build_report(explained()).values.curves
    assert curve.heights == (1, 5, 8)
    gone = replace(GROWTH, relative=(0.0, math.nan, 1e-3))
    (curve,) = build_report(explained(growth=(gone,))).values.curves
    assert curve.heights == (0, 0, 8)


def test_other_formats_say_it_too(explained, tmp_path):
    assert "How large it is, in two further runs" in render_markdown(build_report(explained()))
    page = render(page_content(explained()))
    assert "3 of 1,024 elements differ" in page
    assert 'id="state-chart"' in page


def test_the_verdict_file_keeps_it(explained, tmp_path):
    file = tmp_path / "v.json"
    verdict = explained(growth=(replace(GROWTH, relative=(1e-8, math.nan, 1.0)),))
    file.write_text(render_json(verdict))
    again = read_verdict(file).explanation
    assert again.tensors == (TENSOR,)
    assert again.growth[0].steps == (3, 4, 8)
    assert math.isnan(again.growth[0].relative[1])


def test_of_other_values_the_relative_difference_is_told_and_no_ulp(explained):
    apart = {"max_ulp": 10**9, "median_ulp": 10**8, "max_abs": 0.25, "max_relative": 0.5}
    found = build_report(explained(tensors=(replace(TENSOR, **apart),)))
    text = " ".join(render_text(found).split())
    assert "they are other values" in text
    assert "0.5 times the larger of both values" in text
    assert "1,000,000,000" not in text
    near = render_text(build_report(explained(tensors=(TENSOR,))))
    assert "the largest distance is 2 ULP" in near


def test_the_first_divergence_tells_ulp_of_roundings_alone(make_verdict, make_divergence):
    for ulp, is_told in ((12, True), (3_231_711_233, False)):
        found = make_divergence(max_abs=0.5, max_ulp=ulp)
        text = render_text(build_report(make_verdict(first_divergence=found)))
        assert "largest difference 0.5" in text
        assert ("ULP" in text) is is_told


def test_curves_of_ranks_that_are_alike_are_one():
    of_0, of_1 = (replace(GROWTH, process=f"rank {rank}") for rank in (0, 1))
    other = replace(of_1, part="gradients")
    growth = (of_0, of_1, replace(of_0, part="gradients", relative=GROWTH.relative[::-1]), other)
    view = values_view(replace(EXPLANATION, growth=growth))
    assert [curve.name for curve in view.curves] == [
        f"{GROWTH.part} of every rank", "gradients of rank 0", "gradients of rank 1",
    ]  # fmt: skip
