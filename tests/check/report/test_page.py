"""The page as text: what is on it, and that nothing on it can leave its place."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from tests.check.conftest import RunMaker
from tests.check.report.test_hostile import VERDICTS

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.run_summary import run_summary
from samebits.check.report.page.content import page_content
from samebits.check.report.page.render import render
from samebits.check.report.page.sources import content_of
from samebits.check.trace.schema import NO_SITE
from samebits.errors import TraceError, UsageError

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[2J'\"&{{7*7}}"


class Elements(HTMLParser):
    """Collects tags with their attributes, and the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._in_script = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts[-1] += data


@pytest.fixture
def record(tmp_path):
    """Makes run folders, row by row."""
    return RunMaker(tmp_path / "recorded")


@pytest.fixture
def two_runs(record):
    rows = [
        {"op": f"aten.op{n}", "outputs": n, "site": ("train.py", 5, "f", "fc")} for n in range(9)
    ]
    a = record(rows)
    rows[4] = {**rows[4], "outputs": 77}
    return a, record(rows)


def data_of(page):
    return json.loads(Elements(page).scripts[0])


def test_the_page_needs_nothing_beside_it(two_runs):
    page = render(page_content(compare_traces(*two_runs)))
    assert page.isascii()
    for tag, attributes in Elements(page).tags:
        assert tag not in ("iframe", "img", "object", "embed", "base", "form")
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        if tag == "link":
            raise AssertionError("a stylesheet of its own")
        assert attributes.get("href", "#").startswith("#")
    policy = next(a["content"] for t, a in Elements(page).tags if a.get("http-equiv"))
    assert "default-src 'none'" in policy


def test_the_maps_hold_what_the_runs_hold(two_runs):
    (lane,) = data_of(render(page_content(compare_traces(*two_runs))))["lanes"]
    assert lane["operations"]["counts"] == [9, 1, 0, 0]
    (detail,) = lane["details"]
    assert detail["row"] == 4
    assert [row["agrees"] for row in detail["rows"]] == [True, True, False, True, True]
    assert detail["outputs"] == [f"{4:016x}", f"{77:016x}"]


@settings(deadline=None, derandomize=True, max_examples=40)
@given(verdict=VERDICTS)
def test_any_verdict_makes_a_page_of_the_same_elements(verdict):
    page = render(page_content(verdict))
    assert page.isascii()
    elements = Elements(page)
    assert sum(tag == "script" for tag, _ in elements.tags) == 3
    found = json.loads(elements.scripts[0])
    assert found == {"lanes": [], "groups": None, "tensors": [], "measured": None, "state": []}


def test_hostile_names_stay_text(record, make_cause):
    rows = [{"op": HOSTILE, "signature": HOSTILE, "site": (HOSTILE, 5, HOSTILE, HOSTILE * 9)}]
    a, b = record([{**rows[0], "outputs": 1}]), record([{**rows[0], "outputs": 2}])
    verdict = compare_traces(a, b)
    verdict = replace(
        verdict, causes=(make_cause(detail=HOSTILE, fix=HOSTILE),), notes=(HOSTILE, "x" * 10_000)
    )
    page = render(page_content(verdict))
    elements = Elements(page)
    assert sum(tag == "script" for tag, _ in elements.tags) == 3
    assert not [tag for tag, _ in elements.tags if tag == "img"]
    assert "{{7*7}}" in page  # the template is not run twice
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page)
    (lane,) = data_of(page)["lanes"]
    assert lane["details"][0]["rows"][0]["op"].startswith("</script>")


def test_a_run_folder_that_is_gone_is_a_sentence(make_verdict):
    verdict = make_verdict()
    gone = page_content(verdict)
    assert len(gone.missing) == 2
    assert "runs/run-1 is gone" in gone.missing[0]
    page = render(gone)
    assert "runs/run-1 is gone" in page


def test_a_damaged_folder_loses_its_own_part_only(two_runs):
    a, b = two_runs
    verdict = compare_traces(a, b)
    (b.folder / "ops.arrow").write_bytes(b"nonsense")
    content = page_content(verdict)
    assert content.lanes == ()
    assert any("ops.arrow" in sentence for sentence in content.missing)
    assert "DIFFERENT" in render(content)


def test_relative_folders_are_found_beside_the_verdict_file(two_runs, monkeypatch, tmp_path):
    from samebits.check.report.json import write_json

    verdict = compare_traces(*two_runs)
    short = tuple(replace(run, folder="/".join(run.folder.split("/")[-2:])) for run in verdict.runs)
    write_json(replace(verdict, runs=short), str(tmp_path / "v.json"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    content = content_of([tmp_path / "v.json"])
    assert content.missing == ()
    assert content.lanes


def test_many_runs_are_sorted_by_what_they_agree_with(two_runs):
    a, b = two_runs
    content = content_of([a.folder, a.folder, b.folder, a.folder, b.folder])
    assert content.groups is not None
    assert content.groups.group == (0, 0, 1, 0, 1)
    assert content.groups.count == 2
    assert content.report.verdict == "different"
    assert data_of(render(content))["groups"]["group"] == [0, 0, 1, 0, 1]


def test_one_run_alone_is_shown_as_not_compared(two_runs):
    content = content_of([two_runs[0].folder])
    assert (content.report.verdict, content.report.title) == ("incomplete", "NOT COMPARED")
    assert "agrees" not in content.report.headline
    assert content.lanes == ()
    assert "nothing to compare this one with" in render(content)


def test_a_verdict_beside_a_run_is_refused(two_runs, tmp_path):
    (tmp_path / "v.json").write_text("{}")
    with pytest.raises(UsageError, match="no run folder"):
        content_of([two_runs[0].folder, tmp_path / "v.json"])


def test_a_name_of_nothing_is_a_message(tmp_path):
    with pytest.raises((UsageError, TraceError), match="nowhere"):
        content_of([tmp_path / "nowhere"])


def test_the_page_quotes_no_file_that_the_runs_do_not_vouch_for(two_runs, tmp_path):
    from samebits.check.report.json import write_json

    secret = tmp_path / "secret.txt"
    secret.write_text("the secret line\n" * 9)
    verdict = compare_traces(*two_runs)
    found = replace(verdict.first_divergence, file=str(secret), line=3)
    write_json(replace(verdict, first_divergence=found), str(tmp_path / "v.json"))
    assert "the secret line" not in render(content_of([tmp_path / "v.json"]))


def test_a_run_that_was_cut_does_not_join_two_others(record):
    rows = [{"op": f"aten.op{n}", "outputs": n} for n in range(9)]
    cut = record(rows[:3], cut=True)
    whole = record(rows)
    other = record([*rows[:5], {**rows[5], "outputs": 77}, *rows[6:]])
    content = content_of([cut.folder, whole.folder, other.folder])
    assert content.groups.count == 2
    assert content.groups.group[1] != content.groups.group[2]


def test_the_way_of_the_difference_is_shown(record):
    rows = [
        {"op": f"aten.op{n}", "outputs": n, "inputs": 1, "site": ("train.py", 5 + n // 2, "f", "")}
        for n in range(6)
    ]
    a = record(rows)
    b = record([{**one, "outputs": 77, "inputs": 1 + (n > 2)} if n > 1 else one
                for n, one in enumerate(rows)])  # fmt: skip
    content = page_content(compare_traces(a, b))
    ((phase, stops),) = content.way.phases
    assert phase == "forward"
    assert [(stop.part, stop.place) for stop in stops] == [
        ("begins", "train.py:6"),
        ("carries", "train.py:7"),
    ]
    page = render(content)
    assert "Which way the difference went in step 0" in page
    assert "carries it on" in page


def of_a_check(record, folder, changes):
    """The runs of a check in their folder, with the verdict that was kept of them."""
    rows = [{"op": f"aten.op{n}", "outputs": n} for n in range(4)]
    runs = [
        record([*rows[:3], {**rows[3], "outputs": change}], folder=folder / f"run-{number}")
        for number, change in enumerate(changes, start=1)
    ]
    verdict = compare_traces(runs[0], runs[1])
    return runs, replace(verdict, runs=(*verdict.runs, *(run_summary(run) for run in runs[2:])))


def test_the_runs_of_a_check_are_grouped(record, tmp_path):
    _, verdict = of_a_check(record, tmp_path / "check", (1, 2, 1))
    assert page_content(verdict).groups.group == (0, 1, 0)
    assert "3 runs, 2 groups" in render(page_content(verdict))
    runs = tuple(replace(run, exit_code=-9) for run in verdict.runs)
    assert page_content(replace(verdict, runs=runs)).groups is None  # as at --kill-at-step


def test_two_runs_of_a_check_have_what_it_came_to(record, tmp_path, make_cause):
    from samebits.check.report.json import write_json

    folder = tmp_path / "check"
    runs, verdict = of_a_check(record, folder, (1, 2, 3))
    kept = replace(verdict, causes=(make_cause(code="clock", detail="time.time"),))
    write_json(kept, str(folder / "verdict.json"))
    first, second, third = (run.folder for run in runs)
    assert content_of([first, second]).report.causes[0].title == "clock (time.time)"
    assert content_of([second, first]).report.causes[0].title != "clock (time.time)"
    assert content_of([first, third]).report.causes[0].title != "clock (time.time)"
    (folder / "verdict.json").write_text("{}")
    assert content_of([first, second]).report.causes[0].title != "clock (time.time)"


def test_digests_that_were_never_seen_have_no_row(record):
    steps = [{"kind": "step", "step": n, "site": NO_SITE, "loss": 5} for n in range(3)]
    content = page_content(compare_traces(record([{}], steps=steps), record([{}], steps=steps)))
    assert data_of(render(content))["lanes"][0]["steps"]["rows"] == ["loss"]
    without = page_content(compare_traces(record([{}]), record([{}])))
    assert data_of(render(without))["lanes"][0]["steps"] is None


def test_distances_of_the_loss_are_in_the_map(record):
    steps = [{"kind": "step", "step": n, "site": NO_SITE, "loss": n + 1, "loss_value": 2.0}
             for n in range(3)]  # fmt: skip
    other = [*steps[:2], {**steps[2], "loss": 9, "loss_value": 1.0}]
    content = page_content(compare_traces(record([{}], steps=steps), record([{}], steps=other)))
    assert data_of(render(content))["lanes"][0]["steps"]["sizes"] == {"loss": [[2, 2**23, 0.5]]}
