"""What `--exact` and `--allow` ask of a recorded process."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.check.record.exact_runs import environment
from samebits.core.interposition.surroundings import Surroundings
from samebits.errors import UsageError


def exact_surroundings(exact: bool, allow: Sequence[str]) -> Surroundings:
    """The surroundings in which a script computes exactly, or those of any run.

    Args:
        exact: Whether `--exact` was given.
        allow: Operations that it lets through.

    Raises:
        UsageError: Operations are allowed in a run that is not exact, or are no names.
    """
    if not exact:
        if allow:
            raise UsageError("--allow needs --exact", hint="Add --exact, or leave --allow out.")
        return Surroundings()
    for name in allow:
        if "." not in name or "," in name:
            raise UsageError(
                f"--allow takes an operation's name such as aten.special_bessel_j0, not {name!r}"
            )
    return Surroundings(environment=environment(allow))
