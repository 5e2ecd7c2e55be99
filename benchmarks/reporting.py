"""The command line that every benchmark shares: measure, print, keep."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(description: str, measure: Callable[[], dict[str, Any]]) -> None:
    """Measure, print the numbers, and write them to the file that `--json` names."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the numbers")
    target = parser.parse_args().json
    text = json.dumps(measure(), indent=1) + "\n"
    print(text, end="")
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
