"""What determinism costs, as text: the whole, and the operations that make the difference."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from samebits.check.record.cost import DETERMINISTIC, EXACT, PLAIN, CostSamples
from samebits.check.report.console import print_drawn
from samebits.check.report.printable import printable_name

SCHEMA = "samebits.cost/1"
_SHOWN = 10
_WORDS = {
    DETERMINISTIC: "With deterministic algorithms",
    EXACT: "With exact arithmetic",
}


@dataclass(frozen=True, kw_only=True)
class OperationCost:
    """One operation, milliseconds a step: medians over the steps.

    Attributes:
        op: Its name.
        plain_ms: As the script is.
        deterministic_ms: Under deterministic algorithms.
        exact_ms: Under exact arithmetic; None where that was not timed.
    """

    op: str
    plain_ms: float
    deterministic_ms: float
    exact_ms: float | None = None

    @property
    def extra_ms(self) -> float:
        """What determinism adds."""
        return self.deterministic_ms - self.plain_ms

    @property
    def largest_change_ms(self) -> float:
        """What determinism or exact arithmetic adds or saves, whichever is more."""
        exact = self.plain_ms if self.exact_ms is None else self.exact_ms
        return max(abs(self.extra_ms), abs(exact - self.plain_ms))


def operation_costs(samples: CostSamples) -> list[OperationCost]:
    """Every operation that was timed, the one that gained or lost the most first."""

    def milliseconds(kind: str, op: str) -> float:
        return statistics.median(samples.operations[kind].get(op, [0.0])) * 1e3

    costs = [
        OperationCost(
            op=op,
            plain_ms=milliseconds(PLAIN, op),
            deterministic_ms=milliseconds(DETERMINISTIC, op),
            exact_ms=milliseconds(EXACT, op) if EXACT in samples.kinds else None,
        )
        for op in set().union(*samples.operations.values())
    ]
    return sorted(costs, key=lambda cost: (-cost.largest_change_ms, cost.op))


Processes = Mapping[str, CostSamples]
"""Name of each process that was timed → what its steps took."""


def cost_json(
    samples: CostSamples, exact_missing: str | None = None, processes: Processes | None = None
) -> dict[str, Any]:
    """What was measured as plain data, schema `samebits.cost/1`.

    Args:
        samples: What was measured.
        exact_missing: Why exact arithmetic was not, where it was asked for.
        processes: What each process measured, where the steps are not the script's own alone.
    """
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "steps": len(samples.seconds[PLAIN]),
        "ratio": samples.ratio(DETERMINISTIC),
        "ratio_quartiles": list(_quartiles(samples, DETERMINISTIC)),
        "plain_ms": samples.milliseconds(PLAIN),
        "deterministic_ms": samples.milliseconds(DETERMINISTIC),
        "exact": None,
        "exact_missing": exact_missing,
        "operations": [asdict(cost) for cost in operation_costs(samples)],
        "processes": [
            {
                "process": name,
                "steps": len(one.seconds[PLAIN]),
                "ms": {kind: one.milliseconds(kind) for kind in one.kinds},
            }
            for name, one in (processes or {}).items()
        ],
    }
    if EXACT in samples.kinds:
        found["exact"] = {
            "ratio": samples.ratio(EXACT),
            "ratio_quartiles": list(_quartiles(samples, EXACT)),
            "ms": samples.milliseconds(EXACT),
        }
    return found


def print_cost(
    samples: CostSamples,
    stream: TextIO,
    exact_missing: str | None = None,
    processes: Processes | None = None,
) -> None:
    """Print what was measured, in each of several processes too, and why exact was not."""
    print_drawn(partial(_draw, samples, exact_missing, processes or {}), stream)


def _draw(
    samples: CostSamples, exact_missing: str | None, processes: Processes, console: Console
) -> None:
    for kind, words in _WORDS.items():
        if kind in samples.kinds:
            console.print(
                Text(f"{words} a step takes {samples.ratio(kind):.2f} times as long.", style="bold")
            )
    times = [f"{samples.milliseconds(kind):.3g} ms {kind}" for kind in samples.kinds]
    spread = [
        " and ".join(f"{ratio:.2f}" for ratio in _quartiles(samples, kind)) + f" ({kind})"
        for kind in samples.kinds
        if kind != PLAIN
    ]
    console.print(
        Text(
            f"{', '.join(times)}: medians of {len(samples.seconds[PLAIN])} steps of each kind, "
            "taken in turn. Of the ratios of neighbouring steps, half lie between "
            f"{', '.join(spread)}."
        )
    )
    if exact_missing is not None:
        console.print(Text(f"Exact arithmetic was not timed: {printable_name(exact_missing, 500)}"))
    if processes:
        console.print()
        console.print(Text(_timed_in(len(processes))))
        console.print(Padding(_table_of_processes(processes), (0, 0, 0, 2), expand=False))
    costs = [cost for cost in operation_costs(samples) if _took_time(cost)]
    if costs:
        console.print()
        console.print(Text("The operations whose time changes most, in ms a step:"))
        console.print(Padding(_table(costs[:_SHOWN]), (0, 0, 0, 2), expand=False))


def _table(costs: Sequence[OperationCost]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("operation", overflow="fold")
    with_exact = costs[0].exact_ms is not None
    for name in ("plain", "deterministic", "difference", *(["exact"] if with_exact else [])):
        table.add_column(name, justify="right")
    for cost in costs:
        table.add_row(
            printable_name(cost.op, 120),
            f"{cost.plain_ms:.3f}",
            f"{cost.deterministic_ms:.3f}",
            f"{cost.extra_ms:+.3f}",
            *([] if cost.exact_ms is None else [f"{cost.exact_ms:.3f}"]),
        )
    return table


def _timed_in(processes: int) -> str:
    if processes == 1:
        return "The steps of one process that the script has started, median in ms:"
    return "The slowest process counts in each step. Each by itself, median in ms:"


def _table_of_processes(processes: Processes) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("process", overflow="fold")
    kinds = [kind for kind in (PLAIN, *_WORDS) if all(kind in s.kinds for s in processes.values())]
    for kind in kinds:
        table.add_column(kind, justify="right")
    for name, samples in processes.items():
        times = [f"{samples.milliseconds(kind):.3g}" for kind in kinds]
        table.add_row(printable_name(name, 120), *times)
    return table


def _took_time(cost: OperationCost) -> bool:
    return max(cost.plain_ms, cost.deterministic_ms, cost.exact_ms or 0) > 0


def _quartiles(samples: CostSamples, kind: str) -> tuple[float, float]:
    ratios = samples.ratios(kind)
    if len(ratios) < 2:
        return ratios[0], ratios[0]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, high
