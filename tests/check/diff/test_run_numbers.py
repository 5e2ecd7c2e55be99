"""Two runs that differ in the number of the run alone."""

from __future__ import annotations

import pytest

from samebits.check.diff.run_numbers import differ_by_the_number_of_the_run


@pytest.fixture
def alike(make_run):
    """Whether two runs count as such: what each printed, and the digests of a file."""

    def ask(first, second, files=((), ())):
        runs = []
        for printed, file in zip((first, second), files, strict=True):
            facts = dict(zip(("digest", "unnumbered", "numbers"), file, strict=False))
            held = {"path": "r.json", "kind": "text", "size": 1, "step": -1, **facts}
            runs.append(make_run([{}], printed=printed, files=[held] if file else []))
        return differ_by_the_number_of_the_run(*runs)

    return ask


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("run 1\nloss 0.5\n", "run 2\nloss 0.5\n", True),
        ("run 1\nrun 1 ends\n", "run 2\nrun 2 ends\n", True),
        ("run 1\n", "run 3\n", False),
        ("run 2\n", "run 1\n", False),
        ("run 1\nloss 0.5\n", "run 2\nloss 0.6\n", False),
        ("run 1, version 4\n", "run 2, version 5\n", False),
        ("held out 238\n", "held out 239\n", False),
        ("run 1\n", "run 2\nmore\n", False),
    ],
)
def test_printed_lines(alike, first, second, expected):
    assert alike(first, second) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (("d", "u", [1]), ("e", "u", [2]), True),
        (("d", "u", [1, 7]), ("e", "u", [2, 7]), True),
        (("d", "u", [238]), ("e", "u", [239]), False),
        (("d", "u", [1]), ("e", "v", [2]), False),
        (("d", "u", [1]), ("e", "u", [3]), False),
        (("d", "u", [1]), ("e", "u", ["2"]), False),
        (("d", "u", [1]), ("e", "u", [2, 3]), False),
        (("d",), ("e",), False),
        (("d",), ("d",), True),
    ],
)
def test_written_files(alike, a, b, expected):
    assert alike("run 1\n", "run 2\n", (a, b)) is expected
