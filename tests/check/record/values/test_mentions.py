from __future__ import annotations

import sys
import textwrap

import pytest

from samebits.check.record.values.mentions import GLOBAL, LOCAL, NAME, mentions_of


def lines(source, function=None):
    """Line → texts of what it mentions, of a module or of a function in it."""
    code = compile(textwrap.dedent(source).lstrip("\n"), "script.py", "exec")
    if function is not None:
        code = next(c for c in code.co_consts if getattr(c, "co_name", "") == function)
    return {line: {m.text for m in found} for line, found in mentions_of(code).lines}


def test_stored_loaded_and_deleted_names_are_mentioned():
    found = lines(
        """
        a = 1
        b = a + 1
        del a
        """
    )
    assert found == {1: {"a"}, 2: {"a", "b"}, 3: {"a"}}


def test_attributes_lead_on_and_methods_do_not():
    found = lines(
        """
        def f(self, other):
            self.labels = other.deep.names
            self.items.append(other)
            self.count += 1
            self.table[other.key] = 2
        """,
        "f",
    )
    assert found[2] == {"self.labels", "other.deep.names"}
    assert found[3] == {"self.items", "other"}
    assert found[4] == {"self.count"}
    assert found[5] == {"self.table", "other.key"}


def test_builtins_are_left_out_until_they_are_assigned():
    assert lines("x = len(sorted([]))\ninput = 1\n") == {1: {"x"}, 2: {"input"}}


def test_cells_and_globals():
    source = """
        def outer(a):
            b = a
            def inner():
                global counter
                counter = b
                return a
            return inner
        """
    code = compile(textwrap.dedent(source), "script.py", "exec").co_consts[0]
    inner = next(c for c in code.co_consts if getattr(c, "co_name", "") == "inner")
    found = {mention for _, line in mentions_of(inner).lines for mention in line}
    assert {(mention.scope, mention.name) for mention in found} == {
        (GLOBAL, "counter"),
        (LOCAL, "a"),
        (LOCAL, "b"),
    }
    assert [mention.text for mention in mentions_of(code).arguments] == ["a"]


def test_class_bodies_and_modules_have_names():
    code = compile("class A:\n    x = 1\n", "script.py", "exec").co_consts[0]
    scopes = {mention.scope for _, found in mentions_of(code).lines for mention in found}
    assert scopes == {NAME}


def test_every_parameter_is_an_argument():
    code = compile("def f(a, /, b, *c, d, **e): pass", "script.py", "exec").co_consts[0]
    assert [mention.text for mention in mentions_of(code).arguments] == list("abdce")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="comprehensions have no code of their own")
def test_the_iterator_of_a_comprehension_is_no_argument():
    code = compile("[x for x in y]", "script.py", "exec").co_consts[0]
    assert mentions_of(code).arguments == ()


def test_statements_over_several_lines():
    found = lines(
        """
        x = [
            y
            for y in z
        ]
        """
    )
    assert "x" in found[1]
    assert "z" in found[3]


def test_lines_with_very_many_names_are_cut():
    (found,) = lines("x = (" + ", ".join(f"a{n}" for n in range(200)) + ")").values()
    assert len(found) == 64
