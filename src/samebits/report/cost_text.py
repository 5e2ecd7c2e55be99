"""What determinism costs, as text: the whole, and the operations that make the difference."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from samebits.record.cost import DETERMINISTIC, PLAIN, CostSamples
from samebits.report.console import print_drawn
from samebits.report.printable import printable_name

SCHEMA = "samebits.cost/1"
_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class OperationCost:
    """One operation, milliseconds a step: medians over the steps.

    Attributes:
        op: Its name.
        plain_ms: As the script is.
        deterministic_ms: Under deterministic algorithms.
    """

    op: str
    plain_ms: float
    deterministic_ms: float

    @property
    def extra_ms(self) -> float:
        """What determinism adds."""
        return self.deterministic_ms - self.plain_ms


def operation_costs(samples: CostSamples) -> list[OperationCost]:
    """Every operation that was timed, the one that gained or lost the most first."""
    plain, slow = samples.operations[PLAIN], samples.operations[DETERMINISTIC]
    costs = [
        OperationCost(
            op=op,
            plain_ms=statistics.median(plain.get(op, [0.0])) * 1e3,
            deterministic_ms=statistics.median(slow.get(op, [0.0])) * 1e3,
        )
        for op in {*plain, *slow}
    ]
    return sorted(costs, key=lambda cost: (-abs(cost.extra_ms), cost.op))


def cost_json(samples: CostSamples) -> dict[str, Any]:
    """What was measured as plain data, schema `samebits.cost/1`."""
    low, high = _quartiles(samples)
    return {
        "schema": SCHEMA,
        "steps": len(samples.pairs),
        "ratio": samples.ratio,
        "ratio_quartiles": [low, high],
        "plain_ms": statistics.median(samples.seconds[PLAIN]) * 1e3,
        "deterministic_ms": statistics.median(samples.seconds[DETERMINISTIC]) * 1e3,
        "operations": [asdict(cost) for cost in operation_costs(samples)],
    }


def print_cost(samples: CostSamples, stream: TextIO) -> None:
    """Print what was measured."""
    print_drawn(partial(_draw, samples), stream)


def _draw(samples: CostSamples, console: Console) -> None:
    low, high = _quartiles(samples)
    console.print(
        Text(
            f"With deterministic algorithms a step takes {samples.ratio:.2f} times as long.",
            style="bold",
        )
    )
    plain, slow = (
        statistics.median(samples.seconds[kind]) * 1e3 for kind in (PLAIN, DETERMINISTIC)
    )
    console.print(
        Text(
            f"{plain:.3g} ms plain, {slow:.3g} ms deterministic: medians of "
            f"{len(samples.pairs)} steps of each kind, taken in turn. "
            f"Half of the pairs lie between {low:.2f} and {high:.2f}."
        )
    )
    costs = [c for c in operation_costs(samples) if max(c.plain_ms, c.deterministic_ms) > 0]
    if costs:
        console.print()
        console.print(Text("The operations whose time changes most, in ms a step:"))
        console.print(Padding(_table(costs[:_SHOWN]), (0, 0, 0, 2), expand=False))


def _table(costs: Sequence[OperationCost]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("operation", overflow="fold")
    for name in ("plain", "deterministic", "difference"):
        table.add_column(name, justify="right")
    for cost in costs:
        table.add_row(
            printable_name(cost.op, 120),
            f"{cost.plain_ms:.3f}",
            f"{cost.deterministic_ms:.3f}",
            f"{cost.extra_ms:+.3f}",
        )
    return table


def _quartiles(samples: CostSamples) -> tuple[float, float]:
    ratios = [slow / fast for fast, slow in samples.pairs]
    if len(ratios) < 2:
        return ratios[0], ratios[0]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, high
