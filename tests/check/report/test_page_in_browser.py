"""The page in a real browser, opened from disk: it draws, asks nobody, and obeys the keyboard."""

from __future__ import annotations

import importlib.util
import re
import shutil
from dataclasses import replace

import pytest
from tests.check.conftest import RunMaker

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.explanation import (
    CarriedTensor,
    DivergenceValues,
    GraphSlice,
    PartGrowth,
    SlicePart,
    TensorDifference,
)
from samebits.check.diff.verdict import Cause
from samebits.check.report.page.content import page_content
from samebits.check.report.page.sources import content_of
from samebits.check.report.page.write import write_page
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = [
    *([] if CHROMIUM else ["Chromium"]),
    *(
        name
        for name in ("playwright", "axe_playwright_python")
        if importlib.util.find_spec(name) is None
    ),
]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"needs {', '.join(MISSING)}: make setup-browser"
)

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
HOSTILE = "</script><script>document.title='taken'</script><b>\u202e\x1b[2J" + "n" * 10_000


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a page from disk; a request or a message on the console fails the test."""
    contexts, heard = [], []

    def open_page(path, **settings):
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        assert heard.pop(0) == path.as_uri()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


@pytest.fixture
def report(tmp_path, monkeypatch):
    """A page about two runs of twelve steps that part in the seventh operation."""
    monkeypatch.chdir(tmp_path)
    record = RunMaker(tmp_path)
    modules = ("encoder.0", "encoder.1", "head")
    rows = [
        {"op": f"aten.op{n}", "outputs": n, "site": ("train.py", n + 1, "f", modules[n % 3])}
        for n in range(12)
    ]
    steps = [
        dict.fromkeys(STEP_DIGESTS, 7)
        | {"kind": "step", "step": n, "site": NO_SITE, "ops_end": 1, "loss_value": 1 / (n + 1)}
        for n in range(12)
    ]
    a = record(rows, steps=steps)
    rows = [{**row, "outputs": 90 + n} if n in (7, 8) else row for n, row in enumerate(rows)]
    steps = [
        {**row, "loss": 8, "loss_value": row["loss_value"] + 1e-9 * 2**n} if n > 2 else row
        for n, row in enumerate(steps)
    ]
    b = record(rows, steps=steps)
    path = tmp_path / "report.html"
    write_page(page_content(compare_traces(a, b)), path)
    return path


def test_it_opens_from_disk_and_draws(opened, report):
    page = opened(report)
    assert page.locator("h1").inner_text().startswith("DIFFERENT")
    assert page.locator(".map canvas").count() == 2
    assert page.locator(".uplot").count() == 1
    assert "2 of 12 compared operations differ" in page.locator("#maps").inner_text()


def test_the_map_is_moved_by_keys_and_by_clicks(opened, report):
    page = opened(report)
    canvas, detail = page.locator(".map canvas").nth(1), page.locator(".detail").nth(1)
    assert "encoder.1, operation 7: different bits" in detail.inner_text()
    assert "its inputs agree" in detail.inner_text()
    canvas.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert "head, operation 8: different bits" in detail.inner_text()
    page.keyboard.press("Home")
    assert "head, operation 0: nothing here" in detail.inner_text()
    page.keyboard.press("+")
    page.keyboard.press("0")
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] - 12, "y": 45})
    assert "head, operation 11: same bits" in detail.inner_text()


def test_the_ledger_is_filtered(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from samebits.check.report.page.drawn import Drawn, DrawnRow

    def row(detail):
        return DrawnRow(
            source="python", event="draw", detail=detail, place="", who="", a="once", b="",
            state="differs", unseeded=True, blamed=False, rank=2,
        )  # fmt: skip

    record = RunMaker(tmp_path)
    content = page_content(compare_traces(record(), record()))
    rows = (row("random.random"), row("uuid.uuid4"))
    content = replace(content, drawn=Drawn(rows=rows, total=2))
    path = tmp_path / "report.html"
    write_page(content, path)
    page = opened(path)
    page.fill("#ledger-filter", "UUID")
    assert page.locator("#ledger tbody tr:visible").count() == 1
    assert page.locator("#ledger-count").inner_text() == "1 of 2 rows"


def test_hostile_names_stay_text(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = RunMaker(tmp_path)
    row = {"op": HOSTILE, "signature": HOSTILE, "site": (HOSTILE, 5, HOSTILE, HOSTILE)}
    a, b = record([{**row, "outputs": 1}]), record([{**row, "outputs": 2}])
    path = tmp_path / "report.html"
    write_page(page_content(compare_traces(a, b)), path)
    page = opened(path)
    assert page.title() == "DIFFERENT: samebits"
    assert "</script><script>" in page.locator(".detail").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("is_explained", [False, True])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(opened, report, tmp_path, scheme, is_explained):
    from axe_playwright_python.sync_playwright import Axe

    if is_explained:
        explained(report, tmp_path)
    page = opened(report, color_scheme=scheme, bypass_csp=True)
    found = Axe().run(page).response
    assert len(found["passes"]) > 10  # it has looked
    grave = ("moderate", "serious", "critical")
    assert [v["id"] for v in found["violations"] if v["impact"] in grave] == []


def test_the_theme_can_be_chosen(opened, report):
    page = opened(report, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.click("#theme")
    assert page.evaluate(ground) != before
    assert page.locator("#theme").inner_text() == "Light"
    assert page.locator("#theme").get_attribute("aria-label") == "Light theme"


def test_it_fits_a_phone(opened, report):
    page = opened(report, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_fix_is_copied(opened, tmp_path, monkeypatch):
    from playwright.sync_api import expect

    monkeypatch.chdir(tmp_path)
    record = RunMaker(tmp_path)
    verdict = compare_traces(record([{"outputs": 1}]), record([{"outputs": 2}]))
    cause = replace(verdict.causes[0], fix="torch.manual_seed(0)\nrandom.seed(0)")
    path = tmp_path / "report.html"
    write_page(page_content(replace(verdict, causes=(cause,))), path)
    page = opened(path)
    page.click(".copy")
    expect(page.locator(".copy")).to_have_text(re.compile("Copied|Selected"))
    assert page.locator(".fix code").inner_text() == "torch.manual_seed(0)\nrandom.seed(0)"


def test_a_long_fix_scrolls_by_itself(opened, report, tmp_path):
    verdict = compare_traces(*(Trace.open(tmp_path / f"run-{number}") for number in (0, 1)))
    fix = f"torch.manual_seed(0)  # {'before anything is drawn ' * 20}"
    cause = Cause(
        code="unseeded-rng", detail="torch-cpu", file="train.py", line=5, evidence="", fix=fix,
        confidence="proved",
    )  # fmt: skip
    path = tmp_path / "report.html"
    write_page(page_content(replace(verdict, causes=(cause,))), path)
    page = opened(path, viewport={"width": 360, "height": 800})
    assert page.locator(".fix pre").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_runs_that_agree_are_drawn_in_groups(opened, report, tmp_path):
    path = tmp_path / "groups.html"
    write_page(content_of([tmp_path / "run-0", tmp_path / "run-1", tmp_path / "run-0"]), path)
    page = opened(path)
    assert "3 runs, 2 groups of equal bits" in page.locator("main").inner_text()
    assert page.locator("#groups canvas").count() == 1


STRANGE = "<script>alert(1)</script>" + "long" * 200


def sliced(count=9):
    """A slice with a branch over its whole length, and names that nobody would choose."""
    parts = tuple(
        SlicePart(
            phase="forward", file="", line=0, module=STRANGE if number == 2 else "", row=number,
            ops=(STRANGE if number == 1 else "aten.mm",), operations=1, max_ulp=3,
            max_relative=1e-7, is_goal=number == count - 1,
            given=tuple(
                CarriedTensor(source=source, signature="float32[4]", others=0)
                for source in ([0, number - 1] if number == count - 1 else [number - 1])
                if number
            ),
        )
        for number in range(count)
    )  # fmt: skip
    return GraphSlice(
        step=3, goal="loss", loss=True, parts=parts, operations=count, reached=count, absorbed=0,
        others=0, joined="operation",
    )  # fmt: skip


def explained(report, tmp_path):
    """The page with the values behind the divergence, which lies at operation 7."""
    a, b = (Trace.open(tmp_path / f"run-{number}") for number in (0, 1))
    tensor = TensorDifference(
        dtype="F32", shape=(8, 96), elements=768, differing=768, first=(0, 0), worst=(0, 0),
        values=(1.0, 1.0000001), max_abs=1e-7, max_relative=1e-7, max_ulp=1 << 15, median_ulp=1,
        histogram=tuple(range(17)), axes=(), map=tuple((n % 5,) * 96 for n in range(8)),
    )  # fmt: skip
    growth = PartGrowth(
        part="parameters", steps=(3, 4, 11), relative=(1e-8, 1e-4, 0.5), differing=(1.0,) * 3,
        doubling=0.4, max_ulp=(1, 900, 1 << 20),
    )  # fmt: skip
    values = DivergenceValues(
        tensors=(tensor,), growth=(growth,), slice=sliced(), distances=((7, 12, 1e-7), (8, 3, 1e-6))
    )
    write_page(page_content(replace(compare_traces(a, b), explanation=values)), report)


@pytest.mark.parametrize("width", [400, 1280])
def test_values_fit_and_do_not_overlap(opened, report, tmp_path, width):
    explained(report, tmp_path)
    page = opened(report, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    bars = page.locator(".bars").bounding_box()
    edges = "[...document.querySelectorAll('.bar')].map(b => b.getBoundingClientRect().right)"
    assert max(page.evaluate(edges)) <= bars["x"] + bars["width"]
    tensor = page.locator(".tensor canvas").bounding_box()
    assert tensor["x"] >= bars["x"] + bars["width"] or tensor["y"] >= bars["y"] + bars["height"]


@pytest.mark.parametrize("width", [360, 1280])
def test_the_way_to_the_loss_is_a_picture_with_words_beside_it(opened, report, tmp_path, width):
    explained(report, tmp_path)
    page = opened(report, viewport={"width": width, "height": 900})
    steps = page.locator(".slice > li")
    assert steps.count() == 9
    assert "the loss" in steps.nth(8).inner_text()
    assert "given float32[4] from 1 and float32[4] from 8" in steps.nth(8).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Each strip reaches from the top of its part to the bottom: tracks have no gaps.
    heights = "[...document.querySelectorAll('.slice > li')].map(li => [li, li.firstElementChild])"
    whole = page.evaluate(f"{heights}.map(pair => pair.map(e => e.getBoundingClientRect().height))")
    assert all(abs(part - strip) < 2 for part, strip in whole)
    dots = page.locator(".slice circle")
    xs = [dots.nth(number).bounding_box()["x"] for number in range(9)]
    assert xs[1] > xs[0]  # beside the track that goes on to the loss
    assert abs(xs[8] - xs[0]) < 5


def test_known_distances_are_told_in_the_maps(opened, report, tmp_path):
    page = opened(report)
    assert page.locator(".sized:visible").count() > 0  # the loss has values
    explained(report, tmp_path)
    page = opened(report)
    detail = page.locator(".detail")
    assert "operation 7: different bits, up to 32,768 ULP apart" in detail.nth(1).inner_text()
    assert "loss, step 3: different bits, up to" in detail.nth(0).inner_text()


def test_processes_are_lanes(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = RunMaker(tmp_path)
    content = page_content(compare_traces(record([{"outputs": 1}]), record([{"outputs": 2}])))
    lane = content.lanes[0]
    lanes = [replace(lane, name=name) for name in ("rank 0", "rank 1")]
    idle = replace(lane, name="the script", operations=None, details=())
    path = tmp_path / "lanes.html"
    write_page(replace(content, lanes=(idle, *lanes)), path)
    page = opened(path)
    assert page.locator(".map h3").first.inner_text() == "All processes, step by step"
    assert "rank 0, step 0: different bits" in page.locator(".detail").first.inner_text()
    page.locator(".map canvas").first.focus()
    page.keyboard.press("ArrowDown")
    assert "rank 1, step 0: different bits" in page.locator(".detail").first.inner_text()
