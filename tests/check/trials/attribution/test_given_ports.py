"""Ports that the system has chosen, and what goes by them."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import entry

from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.given_ports import of_a_given_port
from samebits.check.trials.attribution.wording import evidence


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "route.py"
    path.write_text(
        "key = secrets.token_bytes(8)\n"
        "server = TCPServer(('', 0), Handler)\n"
        "cards = sorted(found.values(), key=lambda card: card.number)\n"
        "route = sorted(found)\n"
    )
    return str(path)


def place(script, source, line):
    called = {"port": "socketserver.TCPServer.__init__", "secrets": "secrets.token_bytes"}[source]
    site = Site(script, line, "<module>", "")
    return of_entry(entry(source, "draw", detail=called, site=site, seeded=0))


def after(script, *lines):
    found = [
        ValueDifference(
            file=script, line=line, function="<module>", names=("found",), kinds=("dict",)
        )
        for line in lines
    ]
    return ValueDifferences(lines=tuple(found))


def test_the_line_that_puts_addresses_in_an_order_is_blamed(script):
    places = [place(script, "secrets", 1), place(script, "port", 2)]
    found = of_a_given_port(places, after(script, 1, 2, 3, 4))
    assert (found.line, found.entry) == (4, places[1].entry)


def test_what_was_drawn_besides_may_be_it_where_nothing_is_put_in_order(script):
    key, port = place(script, "secrets", 1), place(script, "port", 2)
    values = after(script, 1, 2, 3)
    assert of_a_given_port([key, port], values) is None
    assert of_a_given_port([port], values) == port
    assert of_a_given_port([key], after(script, 1, 4)) is None


@pytest.mark.parametrize("ordered", [True, False])
def test_it_is_said_where_the_port_was_given(script, ordered):
    hypothesis = Hypothesis(pin="entropy", code="entropy", standing=Standing.POSSIBLE)
    finding = FoundCause(
        hypotheses=(hypothesis,), confirmed=True, pins=frozenset({"entropy"}), rivals=()
    )
    lines = (2, 4) if ordered else (2, 3)
    found = of_a_given_port([place(script, "port", 2)], after(script, *lines))
    said = evidence(finding, hypothesis, found)
    assert said.startswith("socketserver.TCPServer ")
    assert ("route.py:2 got any port" in said) is ordered
    assert ("what is put in order here goes by it" in said) is ordered
    assert "give sorted() a key" in fix("entropy", found, frozenset({"entropy"}))
