"""Edits at the positions of a syntax tree."""

from __future__ import annotations

import ast

import pytest

from samebits.core.source.edits import Edit, Text, replacing, wrapping


def calls(source):
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {ast.unparse(node.func): node for node in found}


def test_edits_may_lie_inside_each_other_when_they_only_wrap():
    source = "x = 'é' ; f( g(1) )  # why\n"
    found = calls(source)
    edits = [*wrapping(found["f"], "sorted"), *wrapping(found["g"], "list")]
    assert Text(source).edited(edits) == "x = 'é' ; sorted(f( list(g(1)) ))  # why\n"


def test_lines_end_where_python_ends_them():
    source = "x = '\u2028'\n\x0cy = f(\n  1,\n)\n"
    text, node = Text(source), calls(source)["f"]
    assert text.of(node) == "f(\n  1,\n)"
    assert text.edited([replacing(node, "2")]) == "x = '\u2028'\n\x0cy = 2\n"


def test_a_stretch_of_the_text_can_be_taken():
    source = "a = f()\nb = g()\nc = 1\n"
    text = Text(source)
    edits = [replacing(calls(source)["g"], "2")]
    begin, end = text.offset((2, 0)), text.offset((3, 0))
    assert text.edited(edits, begin=begin, end=end) == "b = 2\n"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit((1, 0), (1, 4), "x"), Edit((1, 2), (1, 3), "y")],
        [Edit((9, 0), (9, 1), "x")],
        [Edit((0, 0), (0, 0), "x")],
    ],
    ids=["overlapping", "below", "above"],
)
def test_edits_that_cannot_be_made_are_refused(edits):
    with pytest.raises(ValueError, match=r"replaced|no line"):
        Text("f(a)\n").edited(edits)


def test_a_node_at_a_wrong_place_is_noticed():
    source = "x = f(1)\n"
    node = calls(source)["f"]
    assert Text(source).holds(node)
    node.col_offset += 1
    assert not Text(source).holds(node)
