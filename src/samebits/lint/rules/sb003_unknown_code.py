"""SB003: a suppression of a rule that does not exist."""

from __future__ import annotations

from samebits.lint.rule import Rule

RULE = Rule(
    code="SB003",
    name="unknown-code",
    summary="A suppression comment names a rule that does not exist",
    explanation="""
A mistyped code silences nothing, and the reader believes that it does.
""",
    bad="""\
count = 1  ⟦# samebits: ignore[SB999] counted by hand⟧
""",
    good="""\
count = 1
""",
    check=lambda module, node, name: (),  # the engine reports it
)
