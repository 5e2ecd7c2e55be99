"""What a set goes by is read off its elements; the walk that decides is told from an idle one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from samebits.check import causes
from samebits.check.diff.values import first_value_differences
from samebits.check.diff.verdict import Divergence
from samebits.check.trials.attribution import culprit_by_values, walked_sets
from samebits.check.trials.attribution.walked_sets import _Met, _Seen, walked_set, walks_no_set

from .walking_scripts import MODULES, SCRIPTS, WITHOUT_DIFFERENCE

DRIVER = Path(__file__).parents[2] / "diff" / "values_driver.py"
ALL = {**SCRIPTS, **WITHOUT_DIFFERENCE}


def text_of(source):
    return textwrap.dedent(source).lstrip("\n")


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The folders of two fresh processes that ran every script, with other hashes and addresses."""
    folder = tmp_path_factory.mktemp("walked")
    (folder / "scripts").mkdir()
    for name, source in {**MODULES, **ALL}.items():
        (folder / "scripts" / f"{name}.py").write_text(text_of(source))
    running = [
        subprocess.Popen(
            [
                *(sys.executable, str(DRIVER), str(folder / side)),
                *(str(folder / "scripts" / f"{name}.py") for name in ALL),
            ],
            env={
                **os.environ,
                "PYTHONHASHSEED": side,
                "SIDE": side,
                "PYTHONPATH": str(folder / "scripts"),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for side in "12"
    ]
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    return folder


def expected(traced, name):
    """File, line and word of the line that decides; it may stand in a module."""
    for part in (name, *MODULES):
        for number, line in enumerate(text_of({**MODULES, **ALL}[part]).splitlines(), 1):
            found = re.search(r"# decides: (\w+)", line)
            if found is not None and (part == name or f"from {part} " in ALL[name]):
                return f"{traced}/scripts/{part}.py", number, found[1]
    raise AssertionError(name)


def end_of(traced, name):
    lines = text_of(ALL[name]).splitlines()
    (line,) = (number for number, text in enumerate(lines, 1) if text.endswith("# ends"))
    return Divergence(
        kind="output",
        step=0,
        phase="setup",
        op="aten.x",
        file=f"{traced}/scripts/{name}.py",
        line=line,
    )


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_elements_tell_what_an_order_goes_by(traced, name):
    file, line, word = expected(traced, name)
    found = walked_set(traced / "1" / name, file, line)
    assert (found.file, found.line, found.goes_by) == (file, line, word)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_walk_that_reaches_the_divergence_is_blamed(traced, name):
    file, line, word = expected(traced, name)
    values = first_value_differences(traced / "1" / name, traced / "2" / name)
    place = culprit_by_values.of_order(values, end_of(traced, name))
    assert (place.file, place.line) == (file, line)
    assert place.walked.goes_by == word


def test_other_sets_of_the_same_order_are_known_too(traced):
    file, _, _ = expected(traced, "two_sets_of_objects")
    runs = (traced / side / "two_sets_of_objects" for side in "12")
    place = culprit_by_values.of_order(
        first_value_differences(*runs), end_of(traced, "two_sets_of_objects")
    )
    also = [
        number
        for number, line in enumerate(text_of(SCRIPTS["two_sets_of_objects"]).splitlines(), 1)
        if line.endswith("# as well")
    ]
    assert place.alike == tuple((file, number) for number in also)


def test_elements_that_sorted_can_compare_are_told_from_others(traced):
    for name in ("names_of_another_module", "days", "paths", "pairs_of_text_and_number"):
        file, line, _ = expected(traced, name)
        assert walked_set(traced / "1" / name, file, line).ordered
    for name in ("enum_members", "frozen_dataclass_of_text", "objects_of_another_module"):
        file, line, _ = expected(traced, name)
        assert not walked_set(traced / "1" / name, file, line).ordered


def test_a_line_that_walks_nothing_is_not_known(traced):
    run = traced / "1" / "an_idle_walk_first"
    assert walked_set(run, f"{traced}/scripts/an_idle_walk_first.py", 2) is None
    assert walked_set(run, None, None) is None


@pytest.mark.parametrize(
    ("goes_by", "codes"),
    [
        ("identity", {"address-order"}),
        ("string", {"hash-order"}),
        ("value", set()),
        ("mixed", {"address-order", "hash-order"}),
        ("unknown", {"address-order", "hash-order"}),
    ],
)
def test_the_elements_leave_open_only_what_they_can_go_by(goes_by, codes):
    assert set(causes.orders_by(goes_by)) == codes


@pytest.mark.parametrize(
    ("line", "none"),
    [
        ("for row in rows: pass", True),
        ("for name in names: pass", False),
        ("rows.extend(names)", False),
        ("rows += map(len, names)", False),
        ("for row in zip(rows, names): pass", False),
        ("rows.extend({1, 2})", False),
    ],
)
def test_that_a_line_walks_no_set_is_said_of_what_is_known_alone(tmp_path, monkeypatch, line, none):
    script = tmp_path / "train.py"
    script.write_text(f"{line}\n")
    rows, names = _Met(pins=True), _Met(is_set=True, pins=True)
    seen = _Seen({(str(script), 1): {"rows": rows, "names": names}}, {})
    monkeypatch.setattr(walked_sets, "_seen", lambda run: seen)
    assert walks_no_set(tmp_path, str(script), 1) == none
