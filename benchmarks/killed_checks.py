"""What becomes of checks whose ranks are killed at random moments.

`tests/check/trials/test_killed_at_random.py` checks a training on two ranks, kills a rank with
SIGKILL at some moment, and demands that the check ends in time, that no process is left over and
that every table can be read. Here its trials run, and their outcomes are summed up.

    python benchmarks/killed_checks.py --kills 50
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).parent
TEST = HERE.parent / "tests" / "check" / "trials" / "test_killed_at_random.py"
NAME = "test_ranks_killed_at_random_moments"


def measure(kills: int) -> dict[str, Any]:
    """Run that many trials of the test, and sum up what they tell.

    Args:
        kills: How many, at most the 50 that the test has.
    """
    trials = [f"{TEST}::{NAME}[{seed}]" for seed in range(kills)]
    with tempfile.TemporaryDirectory() as place:
        outcome = Path(place, "outcome.xml")
        options = ["-m", "slow", "-q", f"--basetemp={place}/trials", f"--junitxml={outcome}"]
        options += ["-o", "junit_family=xunit1"]  # the later format has no properties of tests
        subprocess.run([sys.executable, "-m", "pytest", *trials, *options], check=False)
        cases = ElementTree.parse(outcome).getroot().findall(".//testcase")
    told: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for case in cases:
        for one in case.iter("property"):
            name, value = one.attrib["name"], one.attrib["value"]
            if name == "exit_code":
                codes[value] += 1
            else:
                told[name] += int(value)
    failed = [
        case.attrib["name"]
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return {
        "checks": len(cases),
        "killed": told["killed"],
        "exit_codes": dict(sorted(codes.items())),
        "left_over": told["left_over"],
        "tables_read": told["tables_read"],
        "failed": failed,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the numbers")
    chosen = parser.parse_args()
    result = measure(chosen.kills)
    text = json.dumps(result, indent=1) + "\n"
    print(text, end="")
    if chosen.json is not None:
        chosen.json.write_text(text)
    raise SystemExit(1 if result["failed"] or result["checks"] < chosen.kills else 0)


if __name__ == "__main__":
    main()
