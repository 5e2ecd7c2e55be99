from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import _at_most, first_value_differences

HERE = Path(__file__).parent
SCRIPTS = runpy.run_path(str(HERE / "traced_scripts.py"))
FLOW, SOUND = SCRIPTS["FLOW"], SCRIPTS["SOUND"]
DIFFERENT = {**SCRIPTS["HASH_ORDER"], **SCRIPTS["ADDRESSES"], **SCRIPTS["CLOCKS"]}
ALL = {**DIFFERENT, **FLOW, **SOUND}


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The folders of two fresh processes that ran every script, with different hash seeds."""
    folder = tmp_path_factory.mktemp("traced")
    scripts = []
    for name, source in ALL.items():
        path = folder / "scripts" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"))
        scripts.append(str(path))
    running = [
        subprocess.Popen(
            [sys.executable, str(HERE / "values_driver.py"), str(folder / side), *scripts],
            env={**os.environ, "PYTHONHASHSEED": side, "SIDE": side},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for side in "12"
    ]
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    return folder


def compared(traced, name):
    return first_value_differences(traced / "1" / name, traced / "2" / name)


def culprit(name):
    """Line and variable that a script's comment names."""
    lines = textwrap.dedent(ALL[name]).lstrip("\n").splitlines()
    (found,) = (number for number, line in enumerate(lines, 1) if "# culprit" in line)
    return found, re.search(r"# culprit:? ?(.*)", lines[found - 1])[1]


@pytest.mark.parametrize("name", sorted(DIFFERENT.keys() - {"executed_text"}))
def test_the_first_difference_is_the_culprits_line(traced, name):
    found = compared(traced, name)
    line, variable = culprit(name)
    assert (found.first.file, found.first.line) == (f"{traced}/scripts/{name}.py", line), found
    if variable:
        assert variable in found.first.names
    assert found.place == (found.first.file, line, found.first.function)
    assert found.notes == ()


@pytest.mark.parametrize("name", sorted(FLOW))
def test_the_line_at_which_ways_part_is_the_culprits(traced, name):
    found = compared(traced, name)
    line, _ = culprit(name)
    assert (found.flow.file, found.flow.line) == (f"{traced}/scripts/{name}.py", line), found
    assert found.flow.next_a != found.flow.next_b
    assert "" not in (found.flow.next_a, found.flow.next_b)
    assert found.lines == ()
    assert found.place[1] == line


@pytest.mark.parametrize("name", sorted(SOUND))
def test_what_does_not_differ_is_not_reported(traced, name):
    found = compared(traced, name)
    assert (found.lines, found.flow, found.notes) == ((), None, ())
    assert found.events > 5


def test_executed_text_is_named_as_python_names_it(traced):
    found = compared(traced, "executed_text")
    assert (found.first.file, found.first.line, found.first.names) == ("<string>", 3, ("labels",))


def test_an_argument_is_reported_where_the_call_is_made(traced):
    found = compared(traced, "argument_of_a_call").first
    assert (found.role, found.callee, found.names) == ("argument", "build", ("labels",))
    assert (found.function, found.kinds) == ("<module>", ("list",))


def test_a_result_is_called_so(traced):
    found = compared(traced, "result_of_a_call").first
    assert (found.role, found.names, found.function) == ("result", ("return value",), "labels")


def test_later_lines_are_listed_once_each_in_order(traced):
    lines = [found.line for found in compared(traced, "list_of_a_set").lines]
    assert lines == [3, 4]


def test_a_thread_is_named(traced):
    found = compared(traced, "thread").first
    assert (found.process, found.function, found.visit) == ("0", "work", 1)
    assert found.thread.startswith("Thread-")


def test_a_trace_and_itself_do_not_differ(traced):
    folder = traced / "1" / "list_of_a_set"
    found = first_value_differences(folder, folder)
    assert (found.lines, found.flow, found.place) == ((), None, None)


def test_runs_without_traces_say_so(traced, tmp_path):
    assert first_value_differences(tmp_path, tmp_path).notes == (
        "values were traced in neither run",
    )
    found = first_value_differences(traced / "1" / "branch", tmp_path)
    assert found.notes == ("values were traced in run A only",)
    assert found.events == 0


def test_what_workers_computed_does_not_crowd_out_the_main_thread():
    facts = {"file": "a.py", "function": "f", "names": ("x",), "kinds": ("int",)}
    workers = [ValueDifference(line=n, process="0-1", **facts) for n in range(50)]
    threads = [ValueDifference(line=100 + n, thread="0+1", **facts) for n in range(50)]
    main = [ValueDifference(line=200 + n, **facts) for n in range(50)]
    kept = list(_at_most(20, iter([*workers, *threads, *main])))
    assert [one.line for one in kept] == [*range(20), *range(200, 220)]
