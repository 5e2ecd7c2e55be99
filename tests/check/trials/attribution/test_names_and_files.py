"""Files that are put back so that pinned names are free again are no cause of their own."""

from __future__ import annotations

import tempfile
from dataclasses import replace

import pytest
from tests.check.causes.made_up import entry

from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.trials.attribution.interventions import with_free_names
from samebits.check.trials.attribution.side_effects import (
    names_are_drawn,
    names_differ,
    without_needs_of_names,
)

NAME = entry("python", "draw", detail="tempfile.mkstemp")
UUID = entry("uuid", "draw", detail="uuid.uuid4")
FILES = Hypothesis(pin="files", code="data-changed", standing=Standing.NOTED)
SEEDS = Hypothesis(pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=[NAME])
READ = replace(FILES, entries=[entry("file", "read", detail="index.jsonl")])
MEMORY = Hypothesis(pin="memory", code="uninitialized-memory", standing=Standing.NOTED)


@pytest.fixture
def left(make_run):
    """Pins that stay, of runs that write these files."""

    def stay(confirmed, a=("model.pt",), b=("model.pt",)):
        traces = tuple(
            make_run(changed={"paths": [f"/work/{name}" for name in names], "found": []})
            for names in (a, b)
        )
        return [one.pin for one in without_needs_of_names(confirmed, traces)]

    return stay


@pytest.mark.parametrize(("drawn", "stay"), [(NAME, ["entropy"]), (UUID, ["entropy", "files"])])
def test_files_are_left_out_beside_names_of_files_alone(left, drawn, stay):
    entropy = Hypothesis(pin="entropy", code="entropy", standing=Standing.NOTED, entries=[drawn])
    assert left([entropy, FILES]) == stay
    assert left([SEEDS, FILES]) == ["seeds", "files"]


@pytest.mark.parametrize(("process", "stay"), [(1, ["entropy"]), (0, ["entropy", "thread-timing"])])
def test_which_worker_takes_a_task_decides_only_which_pinned_name_it_gets(left, process, stay):
    name = replace(NAME, row=replace(NAME.row, process=process))
    entropy = Hypothesis(pin="entropy", code="entropy", standing=Standing.NOTED, entries=[name])
    turns = Hypothesis(pin="thread-timing", code="process-timing", standing=Standing.NOTED)
    assert left([turns, entropy]) == sorted(stay, key=["thread-timing", "entropy"].index)
    assert left([turns, SEEDS]) == ["thread-timing", "seeds"]


def test_temporary_files_are_not_what_a_run_leaves_under_a_name_of_its_own(make_run):
    def runs(folder):
        for name in ("a1", "b2"):
            yield make_run(cwd="/project", changed={"paths": [f"{folder}/{name}"], "found": []})

    assert names_differ(*runs("/project/runs"))
    assert names_differ(*runs("/data/runs"))
    assert not names_differ(*runs(tempfile.gettempdir()))


def test_files_are_left_out_where_each_run_makes_some_under_a_name_of_its_own(left):
    folders = {"a": ("runs/brisk/config.json", "model.pt"), "b": ("runs/calm/config.json",)}
    assert left([SEEDS, FILES], **folders) == ["seeds"]
    assert left([FILES, SEEDS], **folders) == ["seeds"]
    assert left([SEEDS, READ], **folders) == ["seeds", "files"]
    assert left([MEMORY, FILES], **folders) == ["memory", "files"]
    assert left([SEEDS, FILES], a=("more.pt", "model.pt")) == ["seeds", "files"]


def test_a_folder_that_is_named_by_what_was_drawn_must_be_free_again(make_run):
    def run(name, *chosen):
        changed = {"paths": [f"/project/out/{name}/net.pt"], "found": []}
        return make_run(cwd="/project", changed=changed, extra={"chosen": list(chosen)})

    amber, dusk = run("amber-301", "amber", "301"), run("dusk-7", "dusk", "7")
    assert names_are_drawn(amber, dusk)
    assert not names_are_drawn(amber, run("dusk-8", "dusk", "7"))
    assert not names_are_drawn(amber, amber)


def test_seeds_make_the_name_that_is_drawn_the_same_each_time():
    seeds = frozenset({"seeds"})
    assert with_free_names(seeds, ("files", "seeds"), drawn=True) == {"seeds", "files"}
    assert with_free_names(seeds, ("files", "seeds")) == seeds
    assert with_free_names(seeds, ("seeds",), drawn=True) == seeds
