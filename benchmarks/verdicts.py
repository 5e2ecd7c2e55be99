"""How often the verdict, the cause and the line are right, over all scripts that have a known one.

Each script below tests/broken, latent, sound, found and programs is checked ten times,
in fresh processes. All of them take hours, so that `make bench` leaves them out:

    python benchmarks/verdicts.py [--repeat N] [--jobs N] [--json FILE] [NAME ...]

A NAME is a part of a script's path, such as broken/clock. All scripts are checked once before the
second repetition begins, and the file is written after each check: what was interrupted goes on
where it stopped, with --continue. What was edited since, a script or samebits, is measured anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "verdicts"))

from harness import KINDS, Expectation, Outcome, check, expectations, misses  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "verdicts.json"
PARTS = ("src/samebits/check", "src/samebits/core", "src/samebits/training", "native")
CODE = (".py", ".cpp", ".hpp", ".toml")
TARGETS = {"verdict": 1.0, "cause": 0.98, "line": 0.95}


def digest_of(files: Iterable[Path]) -> str:
    """A name for what files hold."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def product() -> str:
    """A name for the samebits that is measured: what decides verdicts, causes and lines."""
    files = [
        [path for path in sorted((ROOT / part).rglob("*")) if path.suffix in CODE] for part in PARTS
    ]
    assert all(files), "a part has moved: what is measured would not be noticed to have changed"
    return digest_of(path for of_part in files for path in of_part)


class Tally:
    """What came out for one script so far.

    Attributes:
        expectation: The script, and what is right.
        row: What is kept of it: how often each aspect was right, and how it was wrong.
    """

    def __init__(self, expectation: Expectation, kept: dict[str, Any] | None) -> None:
        self.expectation = expectation
        asked = {"verdict": True, "cause": True, "line": bool(expectation.culprits)}
        asked["detail"] = "detail" in expectation.settings
        if "ledger" in expectation.settings:
            asked["cause"] = False
        self.aspects = [aspect for aspect, yes in asked.items() if yes]
        digest = digest_of([expectation.script])
        if kept is None or kept["script"] != digest:
            kept = {
                "name": expectation.name,
                "script": digest,
                "runs": 0,
                "unable": 0,
                "right": dict.fromkeys(self.aspects, 0),
                "proved": 0,
                "others": [],
                "seconds": 0.0,
                "wrong": [],
            }
        self.row: dict[str, Any] = kept

    @property
    def tried(self) -> int:
        """How often the script was checked, or could not be on this machine."""
        return int(self.row["runs"]) + int(self.row["unable"])

    def add(self, outcome: Outcome) -> list[str]:
        """Count one more check; what was wrong with it, a sentence for each aspect."""
        row = self.row
        if outcome.unable:
            row["unable"] += 1
            return []
        wrong = misses(self.expectation, outcome)
        for aspect in self.aspects:
            row["right"][aspect] += aspect not in wrong
        row["proved"] += outcome.confidence == "proved"
        row["others"] = sorted({*row["others"], *outcome.others})
        row["seconds"] = round(
            (row["seconds"] * row["runs"] + outcome.seconds) / (row["runs"] + 1), 1
        )
        row["runs"] += 1
        row["wrong"] = sorted({*row["wrong"], *wrong.values()})
        return list(wrong.values())


def measure(tallies: list[Tally], repeat: int, jobs: int) -> Iterator[tuple[Tally, Outcome]]:
    """Check until each script was checked so often: all of them once, then all of them again."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {
            pool.submit(check, tally.expectation): tally
            for turn in range(repeat)
            for tally in tallies
            if tally.tried <= turn
        }
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def rates(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Share of right answers for each kind of script, and for all of them together."""
    result = {}
    for kind in (*KINDS, "all"):
        of_kind = [r for r in rows if kind in ("all", r["name"].split("/")[0])]
        if not of_kind:
            continue
        result[kind] = {"scripts": len(of_kind), "runs": sum(r["runs"] for r in of_kind)}
        for aspect in ("verdict", "cause", "detail", "line"):
            asked = [r for r in of_kind if aspect in r["right"]]
            if runs := sum(r["runs"] for r in asked):
                result[kind][aspect] = sum(r["right"][aspect] for r in asked) / runs
    return result


def show(table: dict[str, dict[str, Any]]) -> None:
    """Print the rates."""
    print(f"\n{'':10}{'scripts':>8}{'runs':>7}" + "".join(f"{a:>9}" for a in (*TARGETS, "detail")))
    for kind, numbers in table.items():
        cells = (numbers.get(a) for a in (*TARGETS, "detail"))
        shown = "".join(f"{'' if c is None else f'{100 * c:.1f} %':>9}" for c in cells)
        print(f"{kind:10}{numbers['scripts']:8}{numbers['runs']:7}{shown}")
    wanted = "".join(f"{100 * t:.0f} %".rjust(9) for t in TARGETS.values())
    print(f"{'target':25}{wanted}")


def keep(target: Path, measured: str, rows: list[dict[str, Any]]) -> None:
    """Write what is known so far; a reader never finds half of it."""
    kept = {"targets": TARGETS, "product": measured, "rates": rates(rows), "scripts": rows}
    beside = target.with_suffix(".part")
    beside.write_text(json.dumps(kept, indent=1) + "\n")
    beside.replace(target)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only scripts with this in a path")
    parser.add_argument("--repeat", type=int, default=10, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="checks at the same time")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="the results")
    parser.add_argument("--continue", action="store_true", dest="go_on", help="count on from there")
    args = parser.parse_args()
    everything = [e for e in expectations() if not e.cannot_run()]
    chosen = [e for e in everything if not args.names or any(n in e.name for n in args.names)]
    if not chosen:
        parser.error(f"no script has {' or '.join(args.names)} in its path")
    target = args.json or (None if args.names else RESULTS)
    measured = product()
    kept: dict[str, dict[str, Any]] = {}
    if args.go_on and target is not None and target.exists():
        before = json.loads(target.read_text())
        if before["product"] == measured:
            kept = {row["name"]: row for row in before["scripts"]}
    tallies = [Tally(expectation, kept.get(expectation.name)) for expectation in chosen]
    for tally, outcome in measure(tallies, args.repeat, args.jobs):
        wrong = "; ".join(tally.add(outcome))
        print(f"{tally.expectation.name:50} {outcome.seconds:6.1f} s   {wrong}", flush=True)
        if target is not None:
            keep(target, measured, [t.row for t in tallies])
    show(rates([t.row for t in tallies]))


if __name__ == "__main__":
    main()
