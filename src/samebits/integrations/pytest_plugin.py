"""The marker `@pytest.mark.samebits`: a test's body has to compute the same bits each time.

pytest finds this module by its entry point and imports it in every session: nothing heavy is
imported before a marked test runs.
"""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from samebits.errors import NotSameError

MARKER = "samebits"

_DESCRIPTION = (
    "samebits(runs=2): call the test's body so often, from the same states of all random "
    "generators, and demand the same bits of every torch operation"
)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _DESCRIPTION)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse what the marker cannot do, rather than pass a test that nobody has compared."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return
    try:
        _runs(*marker.args, **marker.kwargs)
    except (TypeError, ValueError):
        wrong = ", ".join(
            [*map(repr, marker.args), *(f"{k}={v!r}" for k, v in marker.kwargs.items())]
        )
        pytest.fail(f"samebits({wrong}) is no such marker; write samebits(runs=3)", pytrace=False)
    body = getattr(item, "obj", None)
    cls = getattr(item, "cls", None)
    is_plain = isinstance(item, pytest.Function) and not inspect.iscoroutinefunction(body)
    if not is_plain or (isinstance(cls, type) and issubclass(cls, unittest.TestCase)):
        pytest.fail(
            "the samebits marker is for plain test functions and methods; call "
            "samebits.assert_same inside this one",
            pytrace=False,
        )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    """Call the body of a marked test several times, and compare."""
    marker = pyfuncitem.get_closest_marker(MARKER)
    if marker is None:
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names if name in pyfuncitem.funcargs}
    _compare(functools.partial(pyfuncitem.obj, **arguments), _runs(*marker.args, **marker.kwargs))
    return True


def _runs(runs: int = 2) -> int:
    if not isinstance(runs, int) or runs < 2:
        raise ValueError(runs)
    return runs


def _compare(body: Callable[[], object], runs: int) -> None:
    from samebits.check.trials.assertion import assert_same

    try:
        assert_same(body, runs)
    except NotSameError as error:
        told = _told(error)
    else:
        return
    pytest.fail(told, pytrace=False)


def _told(error: NotSameError) -> str:
    """The error, and the verdict as a terminal shows it."""
    if error.verdict is None:
        return str(error)
    return f"{error}\n\n{_panel(error.verdict)}"


def _panel(verdict: Any) -> str:
    from samebits.check.report.model import build_report
    from samebits.check.report.text import render_text

    # The folders of both calls are gone by now.
    return render_text(build_report(replace(verdict, runs=(), notes=())))
