"""What a page about two large runs takes to make, how large it is, and how soon a browser shows it.

Two runs are written with a step every thousand operations, in a hundred modules; one operation in
a hundred differs from the middle on. A fresh process makes the page of them from disk; its peak
memory includes the interpreter. Where Playwright and Chromium are there (make setup-browser), the page's
own clock tells its first contentful paint, and how long a zoom of the map keeps it busy.

    python benchmarks/page.py [--operations 1000000] [--json benchmarks/results/page.json]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from own_process import TakenTable, measure_here, measured

from samebits.check.report.page.sources import content_of
from samebits.check.report.page.write import write_page
from samebits.check.trace import schema
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.writer import TraceWriter

OPERATIONS_A_STEP = 1000
MODULES = 100
TARGETS = {"seconds": 20.0, "peak_gib": 1.0, "megabytes": 3.0, "paint_s": 2.0, "busy_ms": 100.0}


def write_run(folder: Path, operations: int, *, differs: bool) -> None:
    """A training loop; where `differs`, one operation in a hundred has other bits in the end."""
    writer = TraceWriter(
        folder,
        Manifest(command=["benchmark"], exit={"code": 0, "signal": None, "reason": "finished"}),
    )
    writer.append_sites([("train.py", n + 1, "forward", f"layers.{n}") for n in range(MODULES)])
    for start in range(0, operations, schema.MAX_BATCH_ROWS):
        number = np.arange(start, min(start + schema.MAX_BATCH_ROWS, operations), dtype=np.uint64)
        other = (
            (number % 100 == 0) & (number >= operations // 2)
            if differs
            else np.zeros(len(number), bool)
        )
        columns = {
            "step": number // OPERATIONS_A_STEP,
            "phase": np.full(len(number), schema.PHASES.index("forward")),
            "op": number % 40,
            "signature": np.zeros(len(number)),
            "site": number % OPERATIONS_A_STEP * MODULES // OPERATIONS_A_STEP,
            "outputs": number * np.uint64(0x9E3779B97F4A7C15) + other,
            "inputs": number + np.uint64(1),
            "args": np.zeros(len(number)),
            "data": np.zeros(len(number)),
            "flags": np.zeros(len(number)),
        }
        new = {"new_ops": [f"aten.op{n}" for n in range(40)], "new_signatures": ["float32[64, 64]"]}
        writer.append_ops(columns, **(new if start == 0 else {}))
    steps = operations // OPERATIONS_A_STEP
    for start in range(0, steps, 4096):
        writer.append_steps(
            [
                dict.fromkeys(schema.STEP_DIGESTS, n + 1 + (differs and n > steps // 2))
                | {
                    "step": n,
                    "site": 0,
                    "ops_end": n * OPERATIONS_A_STEP,
                    "loss_value": 1 / (n + 1) + differs * 1e-9 * n,
                }
                for n in range(start, min(start + 4096, steps))
            ]
        )
    writer.close()


def page(folder: Path) -> dict[str, Any]:
    """Make the page of both runs below a folder."""
    target = folder / "page.html"
    write_page(content_of([folder / "a", folder / "b"]), target)
    return {"megabytes": target.stat().st_size / 1e6}


def shown(file: Path) -> dict[str, float]:
    """What a browser takes to show it, by the page's own clock; nothing without a browser."""
    chromium = shutil.which("chromium")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        return {}
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(bypass_csp=True)
        tab.goto(file.as_uri())
        tab.wait_for_selector("html[data-ready=yes]")
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        busy = tab.evaluate(
            """() => {
              const canvas = [...document.querySelectorAll('.map canvas')].pop();
              let longest = 0;
              for (const key of ['+', '+', '+', 'ArrowRight', '-', '-', '0']) {
                const started = performance.now();
                canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
                longest = Math.max(longest, performance.now() - started);
              }
              return longest;
            }"""
        )
        browser.close()
    return {"paint_s": paint / 1000, "busy_ms": busy}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--operations", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--measure", type=Path, default=None)
    args = parser.parse_args()
    if args.measure is not None:
        measure_here(lambda: page(args.measure))
        return
    table = TakenTable("a page of two runs of", targets=TARGETS)
    for operations in args.operations:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for side in ("a", "b"):
                write_run(folder / side, operations, differs=side == "b")
            found = measured(__file__, folder) | shown(folder / "page.html")
        table.add(f"{operations:,} operations", found)
        print("    " + ", ".join(f"{key} {value:.3g}" for key, value in found.items()))
    if args.json is not None:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(table.results, indent=1) + "\n")


if __name__ == "__main__":
    main()
