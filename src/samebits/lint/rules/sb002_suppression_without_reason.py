"""SB002: a suppression that says nothing."""

from __future__ import annotations

from samebits.lint.rule import Rule

RULE = Rule(
    code="SB002",
    name="suppression-without-reason",
    summary="A suppression comment gives no reason",
    explanation="""
A finding may be wrong about code that is right. The comment that silences it is then the only
place where the next reader learns why: `# samebits: ignore[SB202] the order is made up for below`.
A comment without a reason suppresses all the same, and is reported itself.
""",
    bad="""\
import os

for name in os.listdir("data"):  ⟦# samebits: ignore[SB202]⟧
    print(name)
""",
    good="""\
import os

for name in os.listdir("data"):  # samebits: ignore[SB202] for a person to read, not for a result
    print(name)
""",
    check=lambda module, node, name: (),  # the engine reports it
)
