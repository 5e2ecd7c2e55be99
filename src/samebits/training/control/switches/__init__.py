"""The switches that decide whether two runs give the same bits: how to read and set each."""

from __future__ import annotations

from samebits.training.control.switches.switch import Mode, Requirements, Switch, Value
from samebits.training.control.switches.table import NAMES, SWITCHES, checked_names

__all__ = ["Mode", "NAMES", "SWITCHES", "Switch", "Requirements", "Value", "checked_names"]
