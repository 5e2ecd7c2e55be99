"""Each rule finds its bad example, exactly there, and nothing in its good one."""

from __future__ import annotations

import ast
import re

import pytest

from samebits.errors import UsageError
from samebits.lint.discovery import find_files
from samebits.lint.registry import all_rules, chosen_codes, find_rule
from samebits.lint.rewriting import fix_file
from samebits.lint.runner import lint_files

RULES = list(all_rules().values())
PYTHON = [rule for rule in RULES if rule.file_name.endswith(".py") and rule.code != "SB001"]


def found_in(folder, rule, text):
    (folder / rule.file_name).write_text(text, encoding="utf-8")
    if rule.file_name == "requirements.txt":
        (folder / "train.py").write_text("print(1)\n")
    return lint_files(find_files([folder]), jobs=1).findings


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_is_found_where_it_is_bad(rule, tmp_path):
    found = found_in(tmp_path, rule, rule.bad_source)
    places = [(f.code, f.line, f.column, f.end_line, f.end_column) for f in found]
    assert rule.bad_places
    assert places == [(rule.code, *place) for place in rule.bad_places]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_good_example_is_clean(rule, tmp_path):
    assert found_in(tmp_path, rule, rule.good) == ()


@pytest.mark.parametrize("rule", PYTHON, ids=lambda rule: rule.code)
def test_both_examples_are_python(rule):
    ast.parse(rule.bad_source)
    ast.parse(rule.good)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_described(rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*|tf32", rule.name)
    assert rule.summary
    assert not rule.summary.endswith(".")
    assert len(rule.explanation.split()) > 10
    assert rule.category


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_fix_leaves_nothing_to_find(rule, tmp_path):
    found = found_in(tmp_path, rule, rule.bad_source)
    # Only some sets can be sorted safely; test_rewriting has them.
    assert any(f.fixable for f in found) == (rule.fixes and rule.code != "SB201")
    if not any(f.fixable for f in found):
        return
    path = tmp_path / rule.file_name
    assert fix_file(path, rule.file_name, found, write=True)
    assert path.read_text() == rule.good
    assert lint_files(find_files([path]), jobs=1).findings == ()


def test_codes_and_names_are_unique():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("name", ["SB101", "sb101", " unseeded-random "])
def test_a_rule_is_found_by_code_or_name(name):
    assert find_rule(name).code == "SB101"


def test_an_unknown_rule_names_the_nearest():
    with pytest.raises(UsageError, match="no rule 'unseeded-randm'") as error:
        find_rule("unseeded-randm")
    assert "unseeded-random" in error.value.hint


def test_the_longer_selector_wins():
    assert chosen_codes(["SB101"], ["SB1"]) == {"SB101"}
    assert "SB101" not in chosen_codes(["SB1"], ["SB101"])
    assert chosen_codes(["SB101"], ["SB101"]) == frozenset()
    assert chosen_codes(["ALL"], []) == frozenset(all_rules())


@pytest.mark.parametrize("selector", ["SB9", "E501", "sb1*", ""])
def test_a_selector_that_selects_nothing_is_an_error(selector):
    with pytest.raises(UsageError):
        chosen_codes([selector], [])
