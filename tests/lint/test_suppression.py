from __future__ import annotations

import pytest

LISTING = "import os\nx = os.listdir('.')[0]"


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# samebits: ignore[SB202] one file only", []),
        ("# samebits: ignore[SB202, SB101]: one file only", []),
        ("# samebits: ignore one file only", []),
        ("#samebits:ignore[sb202] one file only", []),
        ("# samebits: ignore[SB202]", ["SB002"]),
        ("# samebits: ignore", ["SB002"]),
        ("# samebits: ignore[SB101] another rule", ["SB202"]),
        ("# samebits: ignore[SB998] no such rule", ["SB202", "SB003"]),
        ("# a samebits: comment", ["SB202"]),
    ],
)
def test_comments_on_the_line(codes, comment, expected):
    assert codes(f"{LISTING}  {comment}\n") == expected


def test_a_comment_on_its_own_line_speaks_for_the_next(codes):
    text = "import os\n# samebits: ignore[SB202] one file only\n\nx = os.listdir('.')[0]\n"
    assert codes(text) == []


def test_a_string_is_no_comment(codes):
    text = LISTING + "; y = '# samebits: ignore[SB202] no comment'\n"
    assert codes(text) == ["SB202"]


def test_a_comment_on_any_line_of_the_place_counts(codes):
    text = "import os\nx = os.listdir(\n    '.'  # samebits: ignore[SB202] one file\n)[0]\n"
    assert codes(text) == []


def test_requirements_take_the_same_comment(codes):
    files = {
        "train.py": "print(1)\n",
        "requirements.txt": "torch  # samebits: ignore[SB603] whatever the cluster has\n",
    }
    assert codes(files) == []
