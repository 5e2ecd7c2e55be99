"""Which of several lines that walk a set has reached the divergence."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.diff.values import ValueDifference
from samebits.check.trials.attribution.decisive_line import decisive

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
