from __future__ import annotations

import errno
import io
import os
import sys

import pytest
from rich.cells import cell_len

from samebits.check.report.model import build_report
from samebits.check.report.output_stream import write_text
from samebits.check.report.text import print_report, render_text
from samebits.errors import UsageError

DIFFERENT = """\
-- DIFFERENT ---------------------------------------------------------------------------------------
The two runs gave different bits.

  run  steps  operations  seconds  exit  folder
    1     30      21,540      4.1  0     runs/run-1
    2     30      21,540      4.1  0     runs/run-2

First divergence: aten.uniform_
  step 0, before training, module fc1, float32[4, 8]
  a random operation drew different numbers
  largest difference 0.1, 12,345 ULP
  train.py:5 in build
    4 | layers = [
  > 5 |     torch.nn.Linear(8, 4),
    6 | ]

Cause: unseeded-rng (torch-cpu), proved
  The runs agree when torch's generator is seeded.
  at train.py:5
  Fix:
    torch.manual_seed(0)

Needs: seeds + hash-seed

Notes:
  the printed output differs too
----------------------------------------------------------------------------------------------------
"""

SAME = """\
-- SAME --------------------------------------------------------------------------------------------
Both runs gave the same bits in every operation.

  run  steps  operations  seconds  exit  folder
    1     30      21,540      4.1  0     runs/run-1
    2     30      21,540      4.1  0     runs/run-2
----------------------------------------------------------------------------------------------------
"""

FAILED = """\
-- FAILED ------------------------------------------------------------------------------------------
The script failed on its own (exit code 1).

  run  steps  operations  seconds  exit  folder
    1     30      21,540      4.1  1     runs/run-1

Notes:
  its last words:
    Traceback (most recent call last):
      File "train.py", line 1
    ValueError: \\x1b[31mred
----------------------------------------------------------------------------------------------------
"""

NARROW = """\
-- DIFFERENT ---------------------------
The two runs gave different bits.

  run  steps  operations  seconds  exit
    1     30      21,540      4.1  0
    2     30      21,540      4.1  0

First divergence: aten.uniform_
  step 0, before training, module fc1,
  float32[4, 8]
  a random operation drew different
  numbers
  largest difference 0.1, 12,345 ULP
  train.py:5 in build
    4 | layers = [
  > 5 |     torch.nn.Linear(8, 4),
    6 | ]

Cause: unseeded-rng (torch-cpu), proved
  The runs agree when torch's generator
  is seeded.
  at train.py:5
  Fix:
    torch.use_deterministic_algorithms(True, warn_only=False)
----------------------------------------
"""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "COLORTERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_different_reads_so(script, make_verdict):
    verdict = make_verdict(
        minimal_controls=("seeds", "hash-seed"), notes=("the printed output differs too",)
    )
    assert render_text(build_report(verdict)) == DIFFERENT


def test_same_reads_so(make_verdict):
    assert render_text(build_report(make_verdict("same"))) == SAME


def test_failed_reads_so(make_verdict, make_run):
    note = (
        "its last words:\nTraceback (most recent call last):\n"
        '  File "train.py", line 1\nValueError: \x1b[31mred\n'
    )
    verdict = make_verdict("failed", runs=(make_run(exit_code=1),), notes=(note,))
    assert render_text(build_report(verdict)) == FAILED


def test_a_narrow_terminal_breaks_all_but_the_fix(script, make_verdict, make_cause):
    fix = "torch.use_deterministic_algorithms(True, warn_only=False)"
    verdict = make_verdict(causes=(make_cause(fix=fix),))
    assert render_text(build_report(verdict), width=40) == NARROW


def test_long_and_wide_source_lines_are_cut_to_the_width(script, make_verdict):
    script.write_text("\n" * 4 + "x = '" + "学" * 200 + "'\n")
    panel = render_text(build_report(make_verdict()), width=60)
    assert "..." in panel
    assert all(cell_len(line) <= 60 for line in panel.splitlines())


def test_a_fix_of_several_lines_keeps_its_indentation(make_verdict, make_cause):
    fix = "for seed in seeds:\n    use(seed)"
    panel = render_text(build_report(make_verdict(causes=(make_cause(fix=fix),))))
    assert "  Fix:\n    for seed in seeds:\n        use(seed)\n" in panel


def test_advice_in_words_is_broken_like_any_sentence(make_verdict, make_cause):
    fix = "Sort what is listed from disk, " * 8 + "and seed the workers."
    panel = render_text(build_report(make_verdict(causes=(make_cause(fix=fix),))), width=60)
    assert "    Sort what is listed from disk, Sort what is listed from\n" in panel
    assert all(len(line) <= 60 for line in panel.splitlines())


def test_a_pipe_gets_ascii_without_control_codes(script, make_verdict):
    stream = io.StringIO()
    print_report(build_report(make_verdict()), stream)
    assert stream.getvalue().isascii()
    assert "\x1b" not in stream.getvalue()
    assert max(map(len, stream.getvalue().splitlines())) == 100


def test_a_terminal_gets_colour_in_its_own_width(script, make_verdict, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    stream = Terminal()
    print_report(build_report(make_verdict()), stream)
    assert "\x1b[1;31m── DIFFERENT" in stream.getvalue()
    assert "▶ 5 │     torch.nn.Linear(8, 4)," in stream.getvalue()
    last = stream.getvalue().splitlines()[-1]
    assert last.count("─") == 72


def test_no_color_takes_the_colour_out(script, make_verdict, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    print_report(build_report(make_verdict()), stream)
    assert not any(f"3{digit}m" in stream.getvalue() for digit in range(8))


def test_no_color_beats_force_color_in_a_pipe(script, make_verdict, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    panels = []
    for no_color in ("", "1"):
        monkeypatch.setenv("NO_COLOR", no_color)
        stream = io.StringIO()
        print_report(build_report(make_verdict()), stream)
        panels.append(stream.getvalue())
    assert "\x1b[1;31m" in panels[0]
    assert "\x1b" not in panels[1]


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("0", 100), ("wide", 100)])
def test_a_pipe_is_as_wide_as_asked_for(script, make_verdict, monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    stream = io.StringIO()
    print_report(build_report(make_verdict()), stream)
    assert max(map(len, stream.getvalue().splitlines())) == width


class Full(io.StringIO):
    """A stream to a disk without room."""

    encoding = "utf-8"

    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_output_is_told_as_such():
    with pytest.raises(UsageError, match="standard output: No space left"):
        write_text("x", Full())


def test_a_full_standard_error_is_nothing_to_fail_for(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Full())
    write_text("x", sys.stderr)


def test_a_terminal_that_knows_no_unicode_gets_ascii(script, make_verdict):
    stream = Terminal()
    stream.encoding = "ascii"
    print_report(build_report(make_verdict()), stream)
    assert "-- DIFFERENT" in stream.getvalue()
    assert "\\u" not in stream.getvalue()


def test_what_an_encoding_lacks_becomes_an_escape():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1", newline="\n")
    write_text("学 é\n", stream)
    assert raw.getvalue() == b"\\u5b66 \xe9\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close otherwise")
def test_a_reader_that_has_gone_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        write_text("nobody reads this\n", stream)
