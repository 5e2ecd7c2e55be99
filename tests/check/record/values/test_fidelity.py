"""A script cannot tell that its values are followed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from samebits.check.diff.values import first_value_differences
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.values_format import PlaceKind
from samebits.check.trace.values_reader import read_values

EVERYTHING = Path(__file__).with_name("everything_python_can.py")
OWN_TRACE = "values were traced until the script set a trace function of its own"


@pytest.fixture
def traced(scripts):
    """Runs a script plainly and traced: (plain, recorded, result)."""

    def run(source=None, **options):
        if source is None:
            shutil.copy(EVERYTHING, scripts.folder / "script.py")
        else:
            scripts.write(source)
        plain = scripts.plain("script.py")
        recorded, result = scripts.recorded("script.py", trace_values=True, **options)
        assert result.failure is None
        return plain, recorded, result

    return run


def test_nothing_shows_in_what_a_script_prints(traced):
    plain, recorded, result = traced()
    assert recorded == plain
    assert plain.code == 0
    assert b"asked []" in plain.stdout
    assert set(read_values(result.folder)["0"].streams) > {""}


def test_an_exception_ends_a_script_as_it_would(traced):
    plain, recorded, result = traced(
        """
        import sys

        def fails(n):
            return 1 // n if n == 0 else fails(n - 1)

        sys.excepthook(*[None] * 3) if False else None
        fails(3)
        """
    )
    assert recorded == plain
    assert plain.code == 1
    assert b"ZeroDivisionError" in plain.stderr
    assert read_values(result.folder)["0"].streams[""].places.size > 8


def test_what_was_written_survives_a_kill(traced):
    source = """
        import os, signal
        total = 0
        for number in range(1000):
            total += number
        os.kill(os.getpid(), signal.SIGKILL)
        """
    plain, recorded, result = traced(source)
    assert recorded == plain
    assert plain.code == -9
    (stream,) = read_values(result.folder)["0"].streams.values()
    assert stream.places.size > 2000


def test_the_limit_ends_the_trace_and_not_the_script(traced):
    plain, recorded, result = traced("print(sum(n for n in range(1000)))", values_limit=100)
    assert recorded == plain
    (stream,) = read_values(result.folder)["0"].streams.values()
    assert stream.places.size == 100
    notes = Manifest.read(result.folder / "manifest.json").notes
    assert "values were traced for the first 100 lines and calls only" in notes


def test_a_trace_function_of_the_scripts_own_wins(traced):
    plain, recorded, result = traced(
        """
        import sys
        lines = []
        def follow(frame, event, argument):
            lines.append(event)
            return follow
        sys.settrace(follow)
        def f():
            return 1
        f()
        print(lines)
        """
    )
    assert recorded == plain
    assert OWN_TRACE in Manifest.read(result.folder / "manifest.json").notes


def test_forked_children_write_traces_of_their_own(scripts):
    scripts.write(
        """
        import os
        import multiprocessing

        def child(number):
            labels = list({f"word{n}" for n in range(40)})
            raise SystemExit(number)

        for number in range(2):
            process = multiprocessing.get_context("fork").Process(target=child, args=(number,))
            process.start()
            process.join()
        """
    )
    folders = [scripts.recorded("script.py", trace_values=True)[1].folder for _ in "12"]
    assert list(read_values(folders[0])) == ["0", "0-1", "0-2"]
    found = first_value_differences(*folders)
    assert ("0-1", 6, ("labels",)) in [(one.process, one.line, one.names) for one in found.lines]


def test_a_run_that_is_not_asked_to_writes_none(scripts):
    scripts.write("x = 1")
    assert read_values(scripts.recorded("script.py")[1].folder) == {}


def test_the_import_of_torch_is_passed_over(traced):
    plain, recorded, result = traced(
        """
        import sys

        class Asked:
            def find_spec(self, name, path=None, target=None):
                self.name = name
                return None

        sys.meta_path.insert(0, asked := Asked())
        import torch
        import this_is_not_there.though_it_is_asked_for
        """
    )
    assert recorded == plain
    assert b"this_is_not_there" in plain.stderr
    values = read_values(result.folder)["0"]
    called = [
        number
        for number, place in values.places.items()
        if place.function.endswith("find_spec") and place.kind is PlaceKind.CALL
    ]
    events = list(values.streams[""].places)
    # For torch, before its code runs, and for what comes after it; while the code runs, the parts
    # of torch are hundreds.
    assert sum(events.count(number) for number in called) == 2


def test_a_librarys_import_is_passed_over_wherever_it_stands(traced, scripts):
    scripts.write("import wave\nanswer = 6 * 7\n", "helper.py")
    plain, recorded, result = traced(
        """
        import sys

        class Asked:
            def find_spec(self, name, path=None, target=None):
                self.name = name
                return None

        sys.meta_path.insert(0, Asked())

        def prepare():
            import email.mime.text
            return "prepared"

        print(prepare())
        import helper
        """
    )
    assert recorded == plain
    values = read_values(result.folder)["0"]
    seen = list(values.streams[""].places)
    called = [
        number
        for number, place in values.places.items()
        if place.function.endswith("find_spec") and place.kind is PlaceKind.CALL
    ]
    # email, email.mime, email.mime.text; helper and wave: not what they import in turn.
    assert sum(seen.count(number) for number in called) == 5
    assert any(Path(values.places[number].file).name == "helper.py" for number in seen)
