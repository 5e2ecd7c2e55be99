"""Lines that a file runs on threads of its own."""

from __future__ import annotations

import textwrap

import pytest

from samebits.core.source.threads import runs_on_a_thread

SOURCE = """
    class Heartbeat(threading.Thread):
        def pause(self):
            return random.uniform(0, 1)  # called by run

        def run(self):
            while not self.stopped.wait(self.pause()):
                random.random()  # run

        def __enter__(self):
            random.seed(0)  # entered

    class Feeder:
        def __init__(self):
            self.thread = Thread(target=self._feed, daemon=True)

        def _feed(self):
            random.shuffle(self.rows)  # target

        def rows(self):
            random.shuffle(self.rows)  # of the caller

    def run():
        random.random()  # of the same name

    class Loader:
        def pause(self):
            random.random()  # of another class

    def beat():
        random.random()  # timer

    threading.Timer(3, beat)
    random.random()  # of the module
    """


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("called by run", True),
        ("# run", True),
        ("target", True),
        ("timer", True),
        ("entered", False),
        ("of the caller", False),
        ("of the module", False),
        ("of the same name", False),
        ("of another class", False),
    ],
)
def test_which_lines_run_on_a_thread(tmp_path, word, expected):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SOURCE))
    lines = script.read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.endswith(word))
    assert runs_on_a_thread(str(script), line) is expected
