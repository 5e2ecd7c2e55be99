from __future__ import annotations

import pytest

from samebits.errors import UsageError

TWO = "import os\nx = os.listdir('.')[0]\nimport random\nprint(random.random())\n"


def config(text):
    return {"train.py": TWO, "pyproject.toml": f"[tool.samebits.lint]\n{text}\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["SB202", "SB101"]),
        ('select = ["SB1"]', ["SB101"]),
        ('ignore = ["SB1"]', ["SB202"]),
        ('select = ["SB1"]\nextend-select = ["SB202"]', ["SB202", "SB101"]),
        ('exclude = ["train.py"]', []),
        ('exclude = ["*.py"]', []),
        ('[tool.samebits.lint.per-file-ignores]\n"tr*.py" = ["SB2"]', ["SB101"]),
        ('[tool.samebits.lint.per-file-ignores]\n"tests/**" = ["SB2"]', ["SB202", "SB101"]),
    ],
)
def test_the_keys(codes, text, expected):
    assert codes(config(text)) == expected


def test_options_come_before_the_file(codes):
    files = config('select = ["SB1"]\nignore = ["SB202"]')
    assert codes(files, select=("SB2", "SB1")) == ["SB101"]
    assert codes(files, ignore=("SB101",)) == []


def test_a_named_file_is_looked_at_though_excluded(codes):
    assert codes(config('exclude = ["train.py"]'), "train.py") == ["SB202", "SB101"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("select = 1", "select must be a list of strings"),
        ("select = [1]", "select must be a list of strings"),
        ('ignore = "SB1"', "ignore must be a list"),
        ("per-file-ignores = []", "per-file-ignores must be a table"),
        ('per-file-ignores = {"a" = "SB1"}', "a must be a list"),
        ('select = ["E501"]', "no rule code"),
        ('select = ["SB9"]', "selects no rule"),
        ("slect = []", "has no key 'slect'"),
        ("x = [", "no valid TOML"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(codes, text, message):
    with pytest.raises(UsageError, match=r"pyproject\.toml") as error:
        codes(config(text))
    assert message in error.value.message


@pytest.mark.parametrize("text", ["tool = 1", "[tool]\nsamebits = []", "[tool.samebits]\nlint = 2"])
def test_tables_that_are_none(codes, text):
    with pytest.raises(UsageError, match="must be a table"):
        codes({"train.py": TWO, "pyproject.toml": text})


def test_hidden_and_installed_folders_are_left_out(codes):
    files = dict.fromkeys(
        (".hidden/a.py", "env/a.py", "__pycache__/a.py", "node_modules/a.py"), TWO
    )
    assert codes({**files, "env/pyvenv.cfg": ""}) == []


def test_a_path_that_is_not_there(codes):
    with pytest.raises(UsageError, match="there is no nowhere"):
        codes("", "nowhere")
