"""Ports that the system has chosen, and what goes by them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.given_ports import put_in_order
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.line import _by_a_port
from samebits.check.trials.attribution.scope import WHOLE
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


def test_the_line_that_puts_addresses_in_an_order_is_found(script):
    places = [place(script, "secrets", 1), place(script, "port", 2)]
    found = put_in_order(places, after(script, 1, 2, 3, 4))
    assert (found.line, found.entry) == (4, places[1].entry)
    assert put_in_order(places, after(script, 1, 2, 3)) is None
    assert put_in_order(places[:1], after(script, 1, 4)) is None


def test_neither_what_draws_nor_one_of_several_ports_is_taken_for_it(script):
    drawn = [place(script, "secrets", 4), place(script, "port", 2)]
    assert put_in_order(drawn, after(script, 2, 4)) is None
    ports = [place(script, "port", 1), place(script, "port", 2)]
    assert put_in_order(ports, after(script, 1, 2, 4)) is None


class OneMorePair:
    """A case in which one pair is made with a pin bound to lines."""

    def __init__(self, agrees):
        self.agrees = agrees
        self.lines = None

    def agrees_with_lines_pinned(self, situation, finding, pin, lines):
        self.lines = lines
        return self.agrees


@pytest.mark.parametrize("agrees", [True, False, None])
def test_beside_another_draw_a_pair_with_the_ports_alone_pinned_decides(script, agrees):
    places = [place(script, "secrets", 1), place(script, "port", 2)]
    case = OneMorePair(agrees)
    found = _by_a_port(case, None, None, places, after(script, 1, 2, 4))
    assert (found is None) is (agrees is False)
    assert case.lines == [(script, 2)]


def test_alone_it_needs_none(script):
    case, situation = OneMorePair(False), SimpleNamespace(closer=divergence(file=script, line=4))
    port = place(script, "port", 2)
    assert _by_a_port(case, situation, None, [port], after(script, 2, 4)).line == 4
    assert _by_a_port(case, situation, None, [port], after(script, 2, 3)).line == 2
    assert case.lines is None


@pytest.mark.parametrize("ordered", [True, False])
def test_it_is_said_where_the_port_was_given(script, ordered):
    hypothesis = Hypothesis(pin="entropy", code="entropy", standing=Standing.POSSIBLE)
    finding = FoundCause(
        hypotheses=(hypothesis,), confirmed=True, pins=frozenset({"entropy"}), rivals=()
    )
    found = place(script, "port", 2)
    if ordered:
        found = put_in_order([found], after(script, 2, 4))
    said = evidence(finding, hypothesis, found)
    assert said.startswith("socketserver.TCPServer ")
    assert ("route.py:2 was given a free port" in said) is ordered
    assert ("what is put in order here may hold it" in said) is ordered
    assert "give sorted() a key" in fix("entropy", found, frozenset({"entropy"}))


def test_a_pin_that_is_bound_to_lines_is_told_with_them():
    bound = Interventions(
        pinned=frozenset({"entropy", "files"}), sites=(("entropy", (("/w/route.py", 2),)),)
    )
    assert bound.pinned_in_words == ("entropy at route.py:2", "files")
    assert Interventions(control=True).pinned_in_words == ("samebits run --seed 0",)


@pytest.mark.parametrize(
    ("usable", "later", "agrees"), [(True, None, True), (True, {}, False), (False, None, None)]
)
def test_a_run_that_does_something_else_under_the_pin_decides_nothing(usable, later, agrees):
    later = None if later is None else divergence(**later)
    made = []

    def pair(circumstances, scope):
        made.append(circumstances)
        return SimpleNamespace(usable=usable, divergence=later)

    situation = SimpleNamespace(
        pinned=frozenset(), scope=WHOLE, found=divergence(), closer=divergence()
    )
    finding = SimpleNamespace(pins=frozenset({"entropy"}))
    case = Case(trials=SimpleNamespace(pair=pair), usable=())
    assert case.agrees_with_lines_pinned(situation, finding, "entropy", [("a.py", 2)]) is agrees
    assert made[0].sites == (("entropy", (("a.py", 2),)),)
