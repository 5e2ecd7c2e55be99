from __future__ import annotations

import json

import pytest

BAD = "import os\nx = os.listdir('.')[0]\n"


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    return path


def test_no_findings(cli):
    result = cli("lint")
    assert result.exit_code == 0
    assert result.stdout == "No findings in 1 file.\n"


def test_findings_are_shown_with_a_caret(cli, bad):
    result = cli("lint", "bad.py")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "bad.py:2:5: SB202 os.listdir() gives files in the order of the file system, and it "
        "reaches a result [listing-order]",
        "    x = os.listdir('.')[0]",
        "        ^^^^^^^^^^^^^^^",
        "    = put sorted(...) around it (--fix does it)",
        "",
        "1 finding in 1 file (SB202 1); --fix can rewrite 1.",
    ]


def test_quiet_leaves_the_summary_out(cli, bad):
    assert "1 finding" not in cli("lint", "-q", "bad.py").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--select", "SB1"], 0),
        (["--select", "SB1,SB2"], 1),
        (["--ignore", "SB202"], 0),
        (["--select", "SB2", "--ignore", "SB202"], 0),
    ],
)
def test_choosing_rules(cli, bad, arguments, code):
    assert cli("lint", *arguments, "bad.py").exit_code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py"], "there is no nowhere.py"),
        (["--select", "E501"], "'E501' is no rule code"),
        (["--explain", "SB999"], "there is no rule 'SB999'"),
        (["--fix", "--diff"], "exclude each other"),
        (["--output", "no/such/folder.txt"], "cannot write the findings"),
        (["--format", "xml"], "xml"),
    ],
)
def test_wrong_usage(cli, arguments, message):
    result = cli("lint", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_wrong_configuration_is_an_error(cli, bad, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.samebits.lint]\nselect = 3\n")
    result = cli("lint", "bad.py")
    assert result.exit_code == 2
    assert "select must be a list of strings" in result.stderr


def test_a_diff_changes_nothing(cli, bad):
    result = cli("lint", "--diff", "bad.py")
    assert result.exit_code == 1
    assert "+x = sorted(os.listdir('.'))[0]" in result.stdout
    assert bad.read_text() == BAD
    assert cli("lint", "--diff", "train.py").exit_code == 0


def test_fix_rewrites_and_reports_the_rest(cli, bad):
    result = cli("lint", "--fix", "bad.py")
    assert result.exit_code == 0
    assert bad.read_text() == BAD.replace("os.listdir('.')", "sorted(os.listdir('.'))")
    assert "rewrote 1 file" in result.stderr


def test_explain(cli):
    result = cli("lint", "--explain", "listing-order")
    assert result.exit_code == 0
    assert result.stdout.startswith("SB202 listing-order: ")
    assert "⟦" not in result.stdout


def test_json(cli, bad, tmp_path):
    assert cli("lint", "--format", "json", "-o", "found.json", "bad.py").exit_code == 1
    content = json.loads((tmp_path / "found.json").read_text())
    assert content["schema"] == "samebits.lint/1"
    (finding,) = content["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("SB202", 2, 5)
    assert (finding["end_line"], finding["end_column"]) == (2, 20)
    assert json.loads(cli("lint", "--format", "json", "train.py").stdout)["findings"] == []


def check_sarif(log):
    """The requirements of SARIF 2.1.0 on the objects that samebits writes (sections 3.13 on)."""
    assert log["version"] == "2.1.0"
    assert set(log) <= {"$schema", "version", "runs"}
    for run in log["runs"]:
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        driver = run["tool"]["driver"]
        assert driver["name"]
        rules = driver["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for rule in rules:
            assert rule["shortDescription"]["text"]
            assert rule["fullDescription"]["text"]
            assert rule["help"]["text"]
            assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
        for result in run["results"]:
            assert result["message"]["text"]
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("none", "note", "warning", "error")
            for location in result["locations"]:
                place = location["physicalLocation"]
                uri = place["artifactLocation"]["uri"]
                assert uri.isascii()
                assert not set(uri) & set(' <>"{}|\\^`\n')
                region = place["region"]
                assert all(type(n) is int and n >= 1 for n in region.values())
                assert region["endLine"] >= region["startLine"]


def test_sarif(cli, bad, tmp_path):
    (tmp_path / "a b\né.py").write_text("def f(:\n")
    log = json.loads(cli("lint", "--format", "sarif").stdout)
    check_sarif(log)
    (run,) = log["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["SB001", "SB202"]
    check_sarif(json.loads(cli("lint", "--format", "sarif", "train.py").stdout))


def test_annotations_cannot_be_forged_by_a_file_name(cli, tmp_path):
    (tmp_path / "a\n::error::b,c:d.py").write_text(BAD)
    lines = cli("lint", "--format", "github").stdout.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error title=samebits SB202 listing-order,file=a%0A%3A%3Aerror")


def test_hostile_names_and_lines_are_made_visible(cli, tmp_path):
    (tmp_path / "\x1b[31m[bold]\u202e.py").write_text("import os\nx='\x1b[2J',os.listdir('.')[0]\n")
    result = cli("lint")
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "\\x1b[31m[bold]\\u202e.py" in result.stdout


def test_carets_stand_under_the_place(cli, tmp_path):
    (tmp_path / "t.py").write_text("import os\nif 1:\n\tx='漢é', os.listdir('.')[0]\n")
    lines = cli("lint", "t.py").stdout.splitlines()
    assert lines[1] == "    x='漢é', os.listdir('.')[0]"
    # Wide characters take two cells.
    assert lines[2] == "    " + " " * 9 + "^" * 15
