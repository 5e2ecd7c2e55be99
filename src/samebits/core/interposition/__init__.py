"""Putting something else in the place of a function, without leaving a mark, and taking it away."""

from __future__ import annotations

from samebits.core.interposition.callers import UserLines
from samebits.core.interposition.fixed_stream import FixedStream
from samebits.core.interposition.hook import Hook
from samebits.core.interposition.replacements import Replacements

__all__ = ["FixedStream", "Hook", "Replacements", "UserLines"]
