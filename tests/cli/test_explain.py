from __future__ import annotations

import pytest

from samebits.check.report.explanation import explanation_of, render_explanations
from samebits.core.catalog.operations import operations


def test_an_operation_is_explained_with_its_replacement(cli):
    result = cli("explain", "aten.upsample_bicubic2d_backward")
    assert result.exit_code == 0
    assert "use_deterministic_algorithms(True) raises an error" in result.stdout
    assert "mode='bilinear', which switches" in result.stdout


def test_the_name_in_torchs_error_message_is_enough(cli):
    by_error = cli("explain", "upsample_bicubic2d_backward_out_cuda").stdout
    assert by_error == cli("explain", "aten.upsample_bicubic2d_backward").stdout


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("NCCL_ALGO", "conflicts  Ring and Tree"),
        ("unseeded-rng", "samebits.seed_everything(0)"),
        ("kthvalue", "before 2.10"),
    ],
)
def test_switches_causes_and_versions_are_explained(cli, name, shown):
    result = cli("explain", name)
    assert result.exit_code == 0
    assert shown in result.stdout


def test_an_unknown_name_ends_with_suggestions(cli):
    result = cli("explain", "aten.cumsun")
    assert result.exit_code == 2
    assert "there is no entry for 'aten.cumsun'" in result.stderr
    assert "Did you mean aten.cumsum" in result.stderr


def test_a_hostile_name_is_shown_as_it_is_spelled(cli):
    result = cli("explain", "\x1b[2J[red]")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "[red]" in result.stderr


def test_a_rule_is_explained_as_lint_explains_it(cli):
    result = cli("explain", "sb101")
    assert result.exit_code == 0
    assert result.stdout == cli("lint", "--explain", "SB101").stdout


def test_an_unknown_rule_is_an_error(cli):
    result = cli("explain", "SB999")
    assert result.exit_code == 2
    assert "SB999" in result.stderr


def test_without_a_name_the_usage_is_shown(cli):
    assert cli("explain").exit_code == 2


@pytest.mark.parametrize("width", [40, 100])
def test_no_line_is_wider_than_asked_for(width):
    text = render_explanations([explanation_of(entry) for entry in operations()], width=width)
    assert max(map(len, text.splitlines())) <= width
