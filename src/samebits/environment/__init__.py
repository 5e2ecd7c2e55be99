"""The surroundings that bits can depend on: capture them, compare them, lock them."""

from samebits.environment.capture import capture, running_facts
from samebits.environment.comparison import Comparison, FactDifference, compare_environments
from samebits.environment.facts import SCHEMA, Environment

__all__ = [
    "SCHEMA",
    "Comparison",
    "FactDifference",
    "Environment",
    "capture",
    "compare_environments",
    "running_facts",
]
