"""The switches that decide whether two runs give the same bits: how to read and set each."""

from __future__ import annotations

from samebits.control.switches.switch import Mode, Switch, Target, Value
from samebits.control.switches.table import NAMES, SWITCHES, checked_names

__all__ = ["Mode", "NAMES", "SWITCHES", "Switch", "Target", "Value", "checked_names"]
