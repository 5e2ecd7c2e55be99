"""SB603: requirements that leave the version open."""

from __future__ import annotations

from samebits.lint.rule import Rule

RULE = Rule(
    code="SB603",
    name="unpinned-requirement",
    summary="A requirement beside the script has no exact version",
    explanation="""
Kernels, defaults and random streams change between versions of torch, NumPy and the rest. The
requirements.txt beside a script that people start should name exact versions. Requirements of a
library, with no script beside them, are not looked at: those should stay open. Nor are those for
development, tests and documentation. The first line of a file is reported, and the others counted.
""",
    bad="""\
⟦torch>=2.9⟧
numpy==2.2.6
rich
""",
    good="""\
torch==2.13.0
numpy==2.2.6
rich==15.0.0
""",
    check=lambda module, node, name: (),  # samebits.lint.requirements finds them
    once=True,
    file_name="requirements.txt",
)
