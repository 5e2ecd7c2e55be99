"""`@pytest.mark.samebits`: a marked test's body is called twice, and has to compute the same."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def run(pytester):
    """Write a test file, run pytest on it in this process, and return the result."""

    def write_and_run(body, *options):
        pytester.makepyfile("import pytest\nimport torch\n\n" + textwrap.dedent(body))
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)

    return write_and_run


def test_a_body_that_repeats_passes_and_is_called_twice(run):
    result = run(
        """
        calls = []

        @pytest.mark.samebits
        def test_draws():
            calls.append(float(torch.rand(3).sum()))

        def test_both_calls_drew_the_same():
            assert len(calls) == 2
            assert calls[0] == calls[1]
        """,
        "--strict-markers",
    )
    result.assert_outcomes(passed=2)


def test_a_body_that_does_not_repeat_fails_with_the_verdict(run):
    result = run(
        """
        import os

        @pytest.mark.samebits
        def test_unseeded():
            numbers = torch.frombuffer(bytearray(os.urandom(8)), dtype=torch.uint8)
            numbers + 1
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*call 1 and call 2 differ at *test_a_body_that_does_not*.py:10:*",
            "*DIFFERENT*",
            "*First divergence:*",
            "*> *numbers + 1*",
        ]
    )
    assert "During handling" not in result.stdout.str()
    assert "assertion.py" not in result.stdout.str()  # nothing of samebits' own code


def test_the_number_of_calls_can_be_chosen(run):
    result = run(
        """
        calls = []

        @pytest.mark.samebits(runs=4)
        def test_one():
            calls.append(1)

        @pytest.mark.samebits(3)
        def test_two():
            calls.append(2)

        def test_counts():
            assert calls == [1] * 4 + [2] * 3
        """
    )
    result.assert_outcomes(passed=3)


def test_fixtures_parameters_and_methods_reach_the_body(run):
    result = run(
        """
        @pytest.fixture
        def model():
            torch.manual_seed(0)
            return torch.nn.Linear(2, 2)

        class TestModel:
            @pytest.mark.samebits
            @pytest.mark.parametrize("size", [1, 3])
            def test_forward(self, model, size):
                assert model(torch.rand(size, 2)).shape == (size, 2)
        """
    )
    result.assert_outcomes(passed=2)


def test_a_fixture_that_the_body_changes_is_named(run):
    result = run(
        """
        @pytest.fixture
        def weight():
            return torch.ones(2)

        @pytest.mark.samebits
        def test_changes_it(weight):
            weight.mul_(2)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*call 1 changed weight*"])


def test_other_outcomes_stay_what_they_are(run):
    result = run(
        """
        @pytest.mark.samebits
        def test_skips():
            pytest.skip("not here")

        @pytest.mark.samebits
        @pytest.mark.xfail(strict=True)
        def test_is_known_to_fail():
            assert torch.zeros(1)

        @pytest.mark.samebits
        def test_is_wrong():
            assert float(torch.ones(1)) == 2
        """
    )
    result.assert_outcomes(skipped=1, xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["*assert 1.0 == 2*"])


@pytest.mark.parametrize("arguments", ["runs=1", "runs='two'", "2, 3", "times=3", "runs=None"])
def test_a_marker_that_means_nothing_fails(run, arguments):
    result = run(
        f"""
        @pytest.mark.samebits({arguments})
        def test_nothing():
            pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*write samebits(runs=3)*"])


def test_what_the_marker_cannot_do_is_no_pass(run):
    result = run(
        """
        import unittest

        class TestOld(unittest.TestCase):
            @pytest.mark.samebits
            def test_method(self):
                pass

        @pytest.mark.samebits
        async def test_later():
            pass
        """
    )
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*call samebits.assert_same inside*"])


def test_unmarked_tests_never_import_torch(pytester):
    """The plugin is part of every session of pytest in an environment that has samebits."""
    pytester.makepyfile("def test_it():\n    import sys\n    assert 'torch' not in sys.modules\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=pytester.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_pytest_lists_the_marker(run):
    run("").stdout.no_fnmatch_line("*samebits(runs=2)*")
    run("", "--markers").stdout.fnmatch_lines(["@pytest.mark.samebits(runs=2):*"])
