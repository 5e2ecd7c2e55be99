"""Names of runs that are put together of what was drawn, and what only looks like them."""

from __future__ import annotations

import pytest

from samebits.core.catalog.drawn_names import drawn_names_in, without_drawn_names

CHOSEN = ("amber", "jetway", "301", "49")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("run amber-jetway-301", "run #name 0.1.2#"),
        ("run-Amber-301-b", "run-#name 0.2#-b"),
        ('{"run": "amber_049"}', '{"run": "#name 0.3#"}'),
        ("experiment name = amber-jetway", "experiment name = #name 0.1#"),
        ("runs/amber-301/net.pt", "runs/#name 0.2#/net.pt"),
        ("loss 0.5\nrun amber-301", "loss 0.5\nrun #name 0.2#"),
    ],
    ids=["run", "in front", "a key", "two words", "a path", "another line"],
)
def test_what_is_said_to_be_a_name_is_one(text, left):
    assert without_drawn_names(text, CHOSEN) == left


@pytest.mark.parametrize(
    "text",
    [
        "patient 7: amber-301",
        '{"arm": "amber-301"}',
        "best run amber-301",
        "run amber",
        "run 301-49",
        "run amber-302",
        "run amber 301",
        "rerun amber-301",
    ],
)
def test_what_is_not_may_be_a_result(text):
    assert without_drawn_names(text, CHOSEN) == text


def test_a_file_that_is_written_under_it_says_so_as_well():
    path = "/w/out/amber-301/net-amber-jetway.pt"
    written = frozenset(drawn_names_in(path, CHOSEN))
    assert written == {"amber-301", "net-amber-jetway"}
    assert without_drawn_names("amber-301: 0.5", CHOSEN, written) == "#name 0.2#: 0.5"
    assert without_drawn_names(path, CHOSEN, written) == "/w/out/#name 0.2#/net-#name 0.1#.pt"
    assert without_drawn_names("amber-49: 0.5", CHOSEN, written) == "amber-49: 0.5"


def test_which_of_several_names_it_is_stays():
    elected = [without_drawn_names(f"run {n}", CHOSEN) for n in ("amber-301", "jetway-49")]
    assert elected[0] != elected[1]
