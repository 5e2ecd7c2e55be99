"""What the scripts expect is read right, and there are enough of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from harness import TESTS, Outcome, expectations, misses, read

from samebits.check.causes import CODES, VARIATION_NAMES

BROKEN_CAUSES = {
    *("unseeded-rng", "worker-rng", "rank-rng", "hash-order", "address-order", "file-order"),
    *("clock", "entropy", "data-changed", "nondeterministic-op", "uninitialized-memory"),
    *("thread-timing", "process-timing", "control-flow", "collective-order"),
}
LONGEST = 45  # lines of a script; a program is as long as it needs

RIGHT = Outcome(
    verdict="different",
    code="clock",
    detail="time",
    line=3,
    confidence="proved",
    others=(),
    seconds=1.0,
    unable="",
    text="",
)


def script(tmp_path, text):
    path = tmp_path / "train.py"
    path.write_text(text)
    return path


def of(kind):
    return expectations(kind)


def test_each_cause_has_three_scripts():
    counts = Counter(e.script.parent.name for e in of("broken"))
    assert counts.keys() == BROKEN_CAUSES
    assert min(counts.values()) >= 3


def test_each_detail_of_generators_has_three_scripts():
    counts = Counter(e.settings.get("detail") for e in of("broken") if "rng" in e.causes[0])
    for detail in ("python", "numpy", "numpy-generator", "torch-cpu"):
        assert counts[detail] >= 3, detail


def test_scripts_lie_in_the_folder_of_their_cause():
    for e in of("broken"):
        assert e.causes[0] == e.script.parent.name, e.name


def test_each_variation_has_three_scripts():
    counts = Counter(e.script.parent.name for e in of("latent"))
    # Unwatched runs show what recording itself would change: no script depends on that.
    assert counts.keys() == set(VARIATION_NAMES) - {"unwatched"}
    assert min(counts.values()) >= 3
    for e in of("latent"):
        assert e.settings["vary"] == e.script.parent.name, e.name


def test_there_are_as_many_sound_scripts_as_others():
    assert len(of("sound")) >= len(of("broken")) + len(of("latent"))


def test_sound_scripts_are_the_same_and_blame_nothing():
    for e in of("sound"):
        assert (e.verdict, e.causes, e.culprits) == ("same", (), ()), e.name


@pytest.mark.parametrize("kind", ["broken", "latent", "programs"])
def test_others_name_causes_that_exist_and_lines(kind):
    for e in of(kind):
        assert e.verdict == "different", e.name
        assert e.causes or "ledger" in e.settings, e.name
        assert set(e.causes) <= set(CODES), e.name
        assert e.culprits, e.name


def test_scripts_with_a_finding_lie_in_its_folder_and_name_a_line():
    for e in of("found"):
        assert (e.verdict, e.causes) == ("same", ()), e.name
        assert e.settings["finding"] == e.script.parent.name, e.name
        assert e.culprits, e.name


def test_a_finding_that_nobody_expects_is_wrong(tmp_path):
    (sound,) = read(script(tmp_path, "# samebits-test: verdict=same\n"))
    (bad,) = read(
        script(tmp_path, "# samebits-test: verdict=same finding=missing-data\nx  # culprit\n")
    )
    same = replace(RIGHT, verdict="same", code="", line=None)
    found = replace(same, findings=(("missing-data", 2),))
    assert misses(sound, same).keys() == misses(bad, found).keys() == set()
    assert misses(sound, found).keys() == misses(bad, same).keys() == {"cause"}
    assert misses(bad, replace(same, findings=(("missing-data", 3),))).keys() == {"cause"}
    assert misses(bad, replace(same, findings=(("duplicate-data", 2),))).keys() == {"cause"}


def test_scripts_are_short():
    lengths = {
        path: len(path.read_text().splitlines())
        for kind in ("broken", "latent", "sound", "found")
        for path in (TESTS / kind).rglob("*.py")
    }
    assert {path.name: n for path, n in lengths.items() if n > LONGEST} == {}


def test_an_expectation_is_read_from_the_first_comments(tmp_path):
    text = (
        '# samebits-test: verdict=different cause=clock|entropy args="--a 1"\n'
        "#   env=A=b=c\n"
        "# samebits-test: vary=isa cause=isa at=other\n"
        "import time  # culprit\n"
        "x = 1  # culprit other\n"
    )
    first, second = read(script(tmp_path, text))
    assert first.causes == ("clock", "entropy")
    assert first.settings["args"] == "--a 1"
    assert first.settings["env"] == "A=b=c"
    assert first.culprits == (4,)
    assert (second.verdict, second.culprits) == ("different", (5,))


@pytest.mark.parametrize(("module", "told"), [("json", None), ("absent_here", "absent_here")])
def test_a_script_is_not_checked_without_a_module_that_it_needs(tmp_path, module, told):
    (one,) = read(script(tmp_path, f"# samebits-test: verdict=same needs={module}\n"))
    why = one.cannot_run()
    assert why is None if told is None else told in why


@pytest.mark.parametrize(
    ("text", "complaint"), [("import os\n", "begin"), ("# samebits-test: colour=red\n", "colour")]
)
def test_a_script_without_an_expectation_is_an_error(tmp_path, text, complaint):
    with pytest.raises(ValueError, match=complaint):
        list(read(script(tmp_path, text)))


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, set()),
        ({"code": "entropy"}, set()),
        ({"verdict": "same", "code": "", "line": None}, {"verdict", "cause", "line"}),
        ({"code": "unknown"}, {"cause"}),
        ({"detail": "date"}, {"detail"}),
        ({"line": 4}, {"line"}),
    ],
)
def test_misses_of_a_broken_script(tmp_path, change, wrong):
    text = "# samebits-test: cause=clock|entropy detail=time\n\nx = 1  # culprit\n"
    (expected,) = read(script(tmp_path, text))
    assert misses(expected, replace(RIGHT, **change)).keys() == wrong


def test_a_cause_named_for_a_sound_script_is_a_false_alarm(tmp_path):
    (expected,) = read(script(tmp_path, "# samebits-test: verdict=same\n"))
    assert misses(expected, replace(RIGHT, verdict="same")).keys() == {"cause"}
    assert misses(expected, replace(RIGHT, verdict="same", code="")) == {}


def test_names_are_those_below_the_tests():
    names = [e.name for e in expectations()]
    assert len(set(names)) == len(names)
    assert "programs/language_model#2" in names
    assert all(Path(TESTS, name.split("#")[0] + ".py").exists() for name in names)
