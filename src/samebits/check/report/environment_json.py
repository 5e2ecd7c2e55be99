"""Environments and their differences as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from samebits.check.report.output_stream import write_text
from samebits.environment import Comparison, Environment

STDOUT = "-"


def write_environment(environment: Environment, target: str) -> None:
    """Write an environment file.

    Args:
        environment: What to write.
        target: Path of the file, or "-" for standard output.

    Raises:
        UsageError: The file cannot be written.
    """
    if target == STDOUT:
        write_text(json.dumps(environment.to_json(), indent=1) + "\n", sys.stdout)
    else:
        environment.write(Path(target))


def print_comparison_json(comparison: Comparison) -> None:
    """Print the differences, schema `samebits.environment-diff/1`."""
    write_text(json.dumps(comparison.to_json(), indent=1) + "\n", sys.stdout)
