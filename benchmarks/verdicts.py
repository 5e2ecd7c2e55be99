"""How often the verdict, the cause and the line are right, over all scripts that have a known one.

Each script below tests/broken, tests/latent, tests/sound and tests/programs is checked ten times,
in fresh processes. All of them take hours, so that `make bench` leaves them out:

    python benchmarks/verdicts.py [--repeat N] [--jobs N] [--json FILE] [NAME ...]

A NAME is a part of a script's path, such as broken/clock. The file is written after each script, so
that an interrupted measurement keeps what it has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "verdicts"))

from harness import KINDS, Expectation, Outcome, check, expectations, misses  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "verdicts.json"
TARGETS = {"verdict": 1.0, "cause": 0.98, "line": 0.95}


def measure(chosen: list[Expectation], repeat: int, jobs: int) -> Iterator[dict[str, Any]]:
    """Check each script so often; one row for each, in order, as soon as it is there."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [(e, [pool.submit(check, e) for _ in range(repeat)]) for e in chosen]
        for expectation, futures in waiting:
            yield row(expectation, [future.result() for future in futures])


def row(expectation: Expectation, outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """What came out for one script: how often each aspect was right, and how it was wrong."""
    able = [outcome for outcome in outcomes if not outcome.unable]
    wrong = [misses(expectation, outcome) for outcome in able]
    asked = {"verdict": True, "cause": True, "line": bool(expectation.culprits)}
    asked["detail"] = "detail" in expectation.settings
    if "ledger" in expectation.settings:
        asked["cause"] = False
    return {
        "name": expectation.name,
        "runs": len(able),
        "right": {a: sum(a not in w for w in wrong) for a, yes in asked.items() if yes},
        "proved": sum(outcome.confidence == "proved" for outcome in able),
        "others": sorted({code for outcome in able for code in outcome.others}),
        "seconds": round(sum(o.seconds for o in able) / max(len(able), 1), 1),
        "wrong": sorted({sentence for w in wrong for sentence in w.values()}),
    }


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


def keep(target: Path, repeat: int, rows: list[dict[str, Any]]) -> None:
    """Write what is known so far."""
    kept = {"repeat": repeat, "targets": TARGETS, "rates": rates(rows), "scripts": rows}
    target.write_text(json.dumps(kept, indent=1) + "\n")


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only scripts with this in a path")
    parser.add_argument("--repeat", type=int, default=10, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="checks at the same time")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="the results")
    args = parser.parse_args()
    everything = [e for e in expectations() if not e.cannot_run()]
    chosen = [e for e in everything if not args.names or any(n in e.name for n in args.names)]
    if not chosen:
        parser.error(f"no script has {' or '.join(args.names)} in its path")
    target = args.json or (None if args.names else RESULTS)
    rows: list[dict[str, Any]] = []
    for found in measure(chosen, args.repeat, args.jobs):
        rows.append(found)
        right = all(n == found["runs"] for n in found["right"].values())
        mark = "" if right else "   " + "; ".join(found["wrong"])
        print(f"{found['name']:50} {found['seconds']:6.1f} s{mark}", flush=True)
        if target is not None:
            kept = {
                "repeat": args.repeat,
                "targets": TARGETS,
                "rates": rates(rows),
                "scripts": rows,
            }
            target.write_text(json.dumps(kept, indent=1) + "\n")
    show(rates(rows))


if __name__ == "__main__":
    main()
