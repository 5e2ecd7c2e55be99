"""What is said before all is known: the verdict of the runs, while further ones tell the cause."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from samebits.check.diff.verdict import Divergence, Verdict
    from samebits.check.trials.limits import Limits

_USUAL_RUNS = 8
"""Further runs that it usually takes to tell a cause."""


@dataclass
class EarlyWord:
    """Says a verdict as soon as it is known, and keeps it for the case that the rest never comes.

    Attributes:
        limits: What the search for the cause may cost.
        say: Shows one sentence; None to show nothing.
        json_file: Where the verdict file goes; "" or "-" for none before the end.
        known: The last verdict that was told.
    """

    limits: Limits
    say: Callable[[str], None] | None
    json_file: str = ""
    known: Verdict | None = None

    def __call__(self, verdict: Verdict) -> None:
        """Take note of what is known."""
        first = self.known is None
        self.known = verdict
        if verdict.verdict != "different":
            return
        if self.say is not None and first:
            self.say(f"{_where(verdict)}{self._search(verdict)}")
        if self.json_file not in ("", "-"):
            from samebits.check.report.json import write_json

            write_json(self.interrupted, self.json_file)

    def of_text(self, divergence: Divergence) -> None:
        """Tell what differs beside the operations, which agree: it may be times and names."""
        if self.say is not None:
            self.say(
                f"the recorded operations agree, but {divergence.detail}; checking whether only "
                "times and names differ"
            )

    @property
    def interrupted(self) -> Verdict:
        """What is known, with a note that the search for the cause did not end."""
        assert self.known is not None
        note = (
            "interrupted before the search for the cause had ended: the causes named here are "
            "preliminary"
        )
        return replace(self.known, notes=(*self.known.notes, note))

    def _search(self, verdict: Verdict) -> str:
        if not self.limits.runs:
            return ""
        plain = max(run.seconds for run in verdict.runs)
        runs = min(_USUAL_RUNS, self.limits.runs)
        seconds = min(runs * plain, self.limits.allowed_seconds(plain))
        return f"; looking for the cause: about {runs} further runs, {_time(seconds)} at most"


def _where(verdict: Verdict) -> str:
    from samebits.check.report.source import short_path

    found = verdict.first_divergence
    if found is None or found.file is None:
        return "DIFFERENT"
    return f"DIFFERENT at {short_path(found.file)}:{found.line}"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
