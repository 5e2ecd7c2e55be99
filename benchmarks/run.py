"""`make bench`: every measurement in turn, one table, results in benchmarks/results/.

Each file here measures in a fresh process and can be run by itself. A row that misses its target is
shown as it is; nothing here passes or fails.

    python benchmarks/run.py [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the number, and what it must reach."""

    what: str
    value: float
    target: float
    unit: str = ""
    at_least: bool = False

    @property
    def reached(self) -> bool:
        """Whether the number is as good as it must be."""
        return self.value >= self.target if self.at_least else self.value <= self.target


def recording_rows(result: dict[str, Any]) -> Iterator[Row]:
    for program, numbers in result.items():
        if isinstance(numbers, dict):
            for level, target in numbers["targets"].items():
                yield Row(f"{program}, level {level}", numbers["ratios"][level], target, "x plain")


def fingerprint_rows(result: dict[str, Any]) -> Iterator[Row]:
    for size, target in result["targets"].items():
        what = f"fingerprint of {size}, one thread"
        yield Row(what, result["ratios"][size], target, "x torch.sum", at_least=True)


def startup_rows(result: dict[str, Any]) -> Iterator[Row]:
    yield Row("import samebits", result["import_ms"], result["targets"]["import_ms"], "ms")
    yield Row("samebits --help", result["help_s"], result["targets"]["help_s"], "s")


def checking_rows(result: dict[str, Any]) -> Iterator[Row]:
    yield Row("whole check that ends same", result["check_s"], result["allowed_s"], "s")


def processes_rows(result: dict[str, Any]) -> Iterator[Row]:
    ranks, threads, check = result["ranks"], result["threads"], result["check"]
    for level, target in ranks["targets"].items():
        yield Row(f"encoder on 2 ranks, level {level}", ranks["ratios"][level], target, "x plain")
    of_one = "x one thread"
    yield Row("recording 4 threads, ratio to plain", threads["ratio"], threads["target"], of_one)
    added, target = threads["ratio_of_added_time"], threads["target"]
    yield Row("recording 4 threads, added time", added, target, of_one)
    yield Row("whole check of 2 ranks", check["check_s"], check["allowed_s"], "s")


def attribution_rows(result: dict[str, Any]) -> Iterator[Row]:
    yield Row("telling the cause, median", result["median_ratio"], result["target"], "x plain")
    yield Row("telling the cause, worst", result["worst_ratio"], result["target"], "x plain")


def align_rows(result: dict[str, Any]) -> Iterator[Row]:
    found, target = result["one insertion"], result["target"]
    what = f"aligning {result['rows']:,} rows"
    yield Row(f"{what}, time", found["seconds"], target["seconds"], "s")
    yield Row(f"{what}, memory", found["peak_gib"], target["peak_gib"], "GiB")


def agreement_rows(result: dict[str, Any]) -> Iterator[Row]:
    found, target = result["they part in the last step"], result["target"]
    what = f"agreement of {result['ranks']} ranks, {result['steps']:,} steps"
    yield Row(f"{what}, time", found["seconds"], target["seconds"], "s")
    yield Row(f"{what}, memory", found["peak_gib"], target["peak_gib"], "GiB")


def page_rows(result: dict[str, Any]) -> Iterator[Row]:
    units = {"seconds": "s", "peak_gib": "GiB", "megabytes": "MB", "paint_s": "s", "busy_ms": "ms"}
    found = result["1,000,000 operations"]
    for key, target in result["targets"].items():
        if key in found:
            yield Row(f"page of 1,000,000 operations, {key}", found[key], target, units[key])


def explaining_rows(result: dict[str, Any]) -> Iterator[Row]:
    units = {"seconds": "s", "peak_gib": "GiB", "extra_gib": "GiB"}
    for case, targets in result["targets"].items():
        for key, target in targets.items():
            what = f"{result['gib']:g} GiB, {case}, {key}"
            yield Row(what, result[case][key], target, units[key])


def against_rows(result: dict[str, Any]) -> Iterator[Row]:
    for what, ratio in result["ratios"].items():
        yield Row(f"--against, {what}", ratio, result["target"], "x recording")


def ledger_rows(result: dict[str, Any]) -> Iterator[Row]:
    for what, target in result["targets"].items():
        yield Row(what, result[what], target, "s")


def memory_rows(result: dict[str, Any]) -> Iterator[Row]:
    what = f"recorder's memory, {result['ops']:,} operations"
    yield Row(what, result["extra_mib"], result["targets"]["extra_mib"], "MiB")


def lint_rows(result: dict[str, Any]) -> Iterator[Row]:
    target = result["targets"]["files_per_second"]
    yield Row("lint, torch's sources", result["files_per_second"], target, "files/s", at_least=True)


def loading_rows(result: dict[str, Any]) -> Iterator[Row]:
    for what, target in result["targets"]["throughput"].items():
        ratio = result["throughput"][what]["ratio"]
        yield Row(f"loading, {what}", ratio, target, "x torch", at_least=True)
    for what, target in result["targets"]["resume_s"].items():
        yield Row(f"resume at 90 %, {what}", result["resume_s"][what], target, "s")


def exact_rows(result: dict[str, Any]) -> Iterator[Row]:
    for name, target in result["targets"].items():
        yield Row(f"exact: {name}", result["ratios"][name], target, "x torch")


def exact_memory_rows(result: dict[str, Any]) -> Iterator[Row]:
    for name, ratio in result["ratios"].items():
        yield Row(f"exact: peak memory, {name}", ratio, result["target"], "x torch")


def checkpoint_rows(result: dict[str, Any]) -> Iterator[Row]:
    targets = result["targets"]
    for key, what, unit in (
        ("save", "saving", "x torch.save"),
        ("load", "restoring", "x torch.load"),
        ("pause", "pause of asynchronous saving", "x saving"),
    ):
        what = f"checkpoint of {result['megabytes']} MB, {what}"
        yield Row(what, result["ratios"][key], targets[key], unit)


def no_rows(result: dict[str, Any]) -> Iterator[Row]:
    yield from ()


BENCHMARKS: dict[str, Callable[[dict[str, Any]], Iterator[Row]]] = {
    "recording": recording_rows,
    "fingerprint": fingerprint_rows,
    "startup": startup_rows,
    "checking": checking_rows,
    "processes": processes_rows,
    "attribution": attribution_rows,
    "align": align_rows,
    "agreement": agreement_rows,
    "page": page_rows,
    "explaining": explaining_rows,
    "against": against_rows,
    "ledger": ledger_rows,
    "memory": memory_rows,
    "checkpoint": checkpoint_rows,
    "scaling": no_rows,
    "exact": exact_rows,
    "exact_memory": exact_memory_rows,
    "lint": lint_rows,
    "loading": loading_rows,
}


def measure(name: str) -> dict[str, Any]:
    """Run one benchmark in a fresh process, and keep what it measured."""
    target = RESULTS / f"{name}.json"
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(target)]
    subprocess.run(command, check=True)
    result: dict[str, Any] = json.loads(target.read_text())
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    chosen = parser.parse_args().names or list(BENCHMARKS)
    unknown = sorted(set(chosen) - BENCHMARKS.keys())
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; choose from {', '.join(BENCHMARKS)}")
    RESULTS.mkdir(exist_ok=True)
    rows = [row for name in chosen for row in BENCHMARKS[name](measure(name))]
    print(f"\n{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    for row in rows:
        bound = ">=" if row.at_least else "<="
        mark = "" if row.reached else "   MISSED"
        numbers = f"{row.value:9.3f} {bound} {row.target:<6g} {row.unit}"
        print(f"  {row.what:44} {numbers}{mark}")


if __name__ == "__main__":
    main()
