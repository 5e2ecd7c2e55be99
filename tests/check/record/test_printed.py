"""What is printed, by one thread or several, is noted in the order in which it was written."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from samebits.check.record.printed import PrintedOutput


class _Native:
    def call_hook(self, kind, original, after):
        def write(text):
            result = original(text)
            after((text,), {}, result)
            return result

        return write


class _Stream(io.StringIO):
    """Has attributes of its own, as a file of text has."""


@pytest.fixture
def printed(monkeypatch):
    stream = _Stream()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        return PrintedOutput(_Native(), lambda: 7, lambda number: False), stream.write


def test_lines_have_the_step_before_them(printed):
    kept, (printed, write) = [], printed
    write("a\nb")
    printed.connect(kept.append)
    write("c\n")
    assert "".join(kept) == "7\ta\n7\tbc\n"


def test_threads_leave_their_text_to_the_one_that_passes_it_on(printed):
    kept, (printed, write) = [], printed
    inside, go_on = threading.Event(), threading.Event()

    def slow(text):
        if "first" in text:
            inside.set()
            assert go_on.wait(10)
        kept.append(text)

    printed.connect(slow)
    one = threading.Thread(target=write, args=("first\n",))
    one.start()
    assert inside.wait(10)
    for text in ("sec", "ond\n"):
        other = threading.Thread(target=write, args=(text,))
        other.start()
        other.join(10)
        assert not other.is_alive()  # it does not wait for the first
    go_on.set()
    one.join(10)
    assert "".join(kept) == "7\tfirst\n7\tsecond\n"
    assert list(printed.by_others) == [0, 1]


def test_what_is_written_while_text_is_passed_on_comes_after_it(printed):
    kept, (printed, write) = [], printed

    def sink(text):
        if "first" in text:
            write("by a signal\n")
        kept.append(text)

    printed.connect(sink)
    write("first\n")
    assert "".join(kept) == "7\tfirst\n7\tby a signal\n"
