"""SB001: a file that is not Python."""

from __future__ import annotations

from samebits.lint.rule import Rule

RULE = Rule(
    code="SB001",
    name="unreadable",
    summary="The file cannot be read or does not parse",
    explanation="""
A file that does not parse was not looked at: nothing is known about it. Files larger than 2 MiB,
files that hold null bytes and files in an encoding other than the one they declare are not read
either. A notebook's other cells are still looked at.
""",
    bad="⟦def broken(:⟧\n    pass\n",
    good="def whole():\n    pass\n",
    check=lambda module, node, name: (),  # the engine reports it
)
