"""Which of several lines that walk a set has reached the divergence."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.causes.culprit import Culprit
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution.culprit_by_values import first_drawn, of_content
from samebits.check.trials.attribution.decisive_line import decisive, reaching

SOURCE = """
def featurize(rows, x):
    for word in set(rows):
        x[word] += 1
    return x

def ranked(rows):
    known = {row.group for row in rows}
    return sorted(known, key=lambda group: len(group))

def split(rows):
    parts = ([], [])
    for group in ranked(rows):
        parts[len(group) % 2].extend(rows[group])
    return tuple(sorted(part) for part in parts)

def main():
    x = featurize(rows, start)
    train, test = split(rows)
    fit(x[train])
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SOURCE)
    return str(path)


def test_the_way_back_goes_through_items_of_a_container_and_key_functions(script):
    def line(number, function, *names, **more):
        kinds = ("str",) * len(names)
        return ValueDifference(
            file=script, line=number, function=function, names=names, kinds=kinds, **more
        )

    lines = (
        line(3, "featurize", "word"),
        line(9, "ranked", "group", role="argument", callee="ranked.<locals>.<lambda>"),
        line(13, "split", "group"),
        line(14, "split", "group", "parts"),
        line(15, "split.<locals>.<genexpr>", "part"),
        line(19, "main", "train", "test"),
    )
    found = decisive(lines, divergence(file=script, line=20))
    assert [one.line for one in found] == [9, 13, 15]


PREPARED = """
def prepare(frame):
    noise = draw(frame)
    rest, test = split(frame)
    regimes = cluster(rest)
    onehot = eye[regimes.predict(test)]
    return onehot

def main():
    x = prepare(table)
    fit(x)
"""


def test_the_way_back_goes_through_results_and_leaves_out_what_reaches_nothing(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PREPARED)

    def line(number, function, *names):
        return ValueDifference(
            file=str(path), line=number, function=function, names=names, kinds=("array",)
        )

    lines = (
        line(3, "prepare", "noise"),
        line(4, "prepare", "rest", "test"),
        line(5, "prepare", "rest"),
        line(6, "prepare", "test", "onehot"),
        line(7, "prepare", "onehot", "return value"),
        line(10, "main", "x"),
    )
    at = divergence(file=str(path), line=11)
    assert [one.line for one in reaching(lines, at)] == [4, 5, 6, 7, 10]
    places = [Culprit(file=str(path), line=number, detail="numpy") for number in (5, 4, 3)]
    values = ValueDifferences(lines=lines)
    # Of two draws that both go in, the first has begun it.
    assert first_drawn(places, values, at) == places[1]
    assert first_drawn(places[2:], values, at) is None


LOGGED = """
def main():
    began = perf_counter()
    version = digest(shards)
    log.info("%d pictures, %.2f s", len(x), perf_counter() - began)
    rest = hold_out(len(x), version)
"""


def test_what_is_only_looked_at_is_not_changed(tmp_path):
    """A line that logs the length of something, and a time, has not given it another length."""
    path = tmp_path / "train.py"
    path.write_text(LOGGED)
    lines = [
        ValueDifference(
            file=str(path), line=number, function="main", names=(name,), kinds=("float",)
        )
        for number, name in ((3, "began"), (4, "version"), (5, "began"))
    ]
    at = divergence(file=str(path), line=6)
    assert [one.line for one in reaching(lines, at)] == [4]


FILLING = """
index = {}

def build(names):
    for name in set(names):
        index[name] = len(index)
    return len(index)

def counted(names):
    seen = []
    for name in set(names):
        seen.append(name)
    return len(seen)

def shared(names):
    seen = table.words
    for name in set(names):
        seen.append(name)
    return len(seen)

size = build(words)
shown = list({word.upper() for word in words})
embed(size)
"""


def test_a_call_that_gave_back_the_same_may_have_filled_what_others_read(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(FILLING)

    def line(number, function, name, *, idle):
        return ValueDifference(
            file=str(path), line=number, function=function, names=(name,), kinds=("x",), idle=idle
        )

    fills, counts = line(5, "build", "name", idle=True), line(11, "counted", "name", idle=True)
    fills_others = line(17, "shared", "name", idle=True)
    other = line(22, "<module>", "shown", idle=False)
    at = divergence(file=str(path), line=23)
    assert decisive([fills_others, other], at)[0] == fills_others
    assert decisive([fills, other], at)[0] == fills
    assert decisive([counts, other], at) == [other]


STORED = """
class Table:
    def __init__(self, file):
        self.loss = load(file) if file.exists() else ones()

    def sampler(self):
        return weighted(self.loss + 0.05)

def main():
    run = folder(now())
    run.mkdir()
    table = Table(cache / "hardness")
    train(table.sampler())
"""


def test_of_what_a_file_held_the_line_is_told_that_reaches_the_divergence(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(STORED)

    def line(number, function, *names):
        return ValueDifference(
            file=str(path), line=number, function=function, names=names, kinds=("array",)
        )

    values = ValueDifferences(lines=(line(11, "main", "run"), line(4, "__init__", "self.loss")))
    found = of_content(values, divergence(file=str(path), line=7))
    assert (found.file, found.line, found.variable) == (str(path), 4, "self.loss")
    # Runs that end before the file is written again find the same in it.
    values = ValueDifferences(lines=(line(11, "main", "run"),))
    assert of_content(values, divergence(file=str(path), line=7)).line == 4
    assert of_content(values, divergence(file=str(path), line=2)) is None


def test_of_what_a_file_held_a_call_that_gave_back_the_same_has_handed_nothing_on(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("run = store.start()\nx, y = tensors(*store.fold())\n")
    store = tmp_path / "store.py"
    store.write_text("number = insert()\nrows = select()\n")

    def line(number, *names, idle):
        return ValueDifference(
            file=str(store),
            line=number,
            function="fold",
            names=names,
            kinds=("list",),
            idle=idle,
        )

    at = divergence(file=str(path), line=2)
    counted, read = line(1, "number", idle=True), line(2, "rows", idle=False)
    found = of_content(ValueDifferences(lines=(counted, read)), at)
    assert (found.line, found.variable) == (2, "rows")
    assert of_content(ValueDifferences(lines=(read,)), at) is None
    assert of_content(ValueDifferences(lines=(counted,)), at) is None


def test_what_an_object_keeps_of_a_file_is_handed_on_when_it_is_read(tmp_path):
    """Its `__init__` gives back nothing, and so the same in every run."""
    path = tmp_path / "train.py"
    path.write_text("for batch in loader:\n    f(batch)\n")
    store = tmp_path / "store.py"
    store.write_text(
        "class Appeals:\n"
        "    def __init__(self, db):\n"
        "        self.number = db.insert()\n"
        "        self.rows = db.select()\n"
        "    def words(self):\n"
        "        return [word for word in self.rows]\n"
    )

    def line(number, function, *names, idle):
        return ValueDifference(
            file=str(store),
            line=number,
            function=function,
            names=names,
            kinds=("list",) * len(names),
            idle=idle,
        )

    values = ValueDifferences(
        lines=(
            line(3, "__init__", "self.number", idle=True),
            line(4, "__init__", "self.rows", idle=True),
            line(6, "words", "word", idle=False),
        )
    )
    found = of_content(values, divergence(file=str(path), line=1))
    assert (found.line, found.variable) == (4, "self.rows")
