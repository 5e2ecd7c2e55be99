"""Runs scripts one after the other in this process, each with its values traced.

Called as `python values_driver.py FOLDER SCRIPT...`; the trace of `a.py` is written to `FOLDER/a`.
"""

from __future__ import annotations

import builtins
import os
import runpy
import sys
from pathlib import Path

from samebits.check.hooks import install
from samebits.check.record.values.tracing import ValuesTrace
from samebits.core import _native
from samebits.core.interposition.surroundings import HookSpec

sys.path.insert(0, str(Path(__file__).parent))
from traced_scripts import WORDS


class Thing:
    """An object with the default hash, repr and equality."""

    def __init__(self, value):
        self.value = value


def leave_room(number):
    """Makes objects that stay, in one run others than in the next: what follows lies elsewhere."""
    _BETWEEN.append([Thing(number) for _ in range(number * int(os.environ["SIDE"]) % 7)])


_BETWEEN = []


class OnlyScripts:
    """Classifies the scripts and what they execute as the user's, and not this file."""

    def __init__(self, folder):
        self._folder = str(folder)

    def is_user(self, file):
        return file.startswith((self._folder, "<string>"))


def main(out, *scripts):
    # What stands at which address must differ even where addresses are not randomised.
    spaces = [bytearray(4096 * int(os.environ["SIDE"])) for _ in range(97)]
    things = [Thing(number) for number in range(len(spaces) * int(os.environ["SIDE"]))]
    classify = OnlyScripts(Path(scripts[0]).parent)
    builtins.leave_room = leave_room
    for script in map(Path, scripts):
        # What is made one after another lies in another order, too.
        install([HookSpec(name="addresses", settings={"seed": int(os.environ["SIDE"])})])
        trace = ValuesTrace(str(Path(out, script.stem)), classify, _native.Recorder(), 100_000)
        given = {"words": WORDS, "Thing": Thing}
        if not trace.start():
            raise SystemExit(f"cannot trace {script}")
        runpy.run_path(str(script), given, "__main__")
        trace.stop()
    del things


if __name__ == "__main__":
    main(*sys.argv[1:])
