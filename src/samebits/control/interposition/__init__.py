"""Putting something else in the place of a function, without leaving a mark, and taking it away."""

from __future__ import annotations

from samebits.control.interposition.callers import UserLines
from samebits.control.interposition.hook import Hook
from samebits.control.interposition.replacements import Replacements
from samebits.control.interposition.streams import FixedStream

__all__ = ["FixedStream", "Hook", "Replacements", "UserLines"]
