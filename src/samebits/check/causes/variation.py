"""What every variation has in common."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.setting import Setting

Compared = Literal["operations", "results", "steps", "output"]
LineSource = Literal["ledger", "allocation", "order", "variable", "worker"]


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What the run is like that a variation starts from.

    Attributes:
        environment: The variables that it runs with.
        arguments: The script's arguments.
        controlled: Whether something acts inside the process to hold it still.
        stopped: Whether it is stopped before its own end.
        batch_flag: The option of the script that sets the size of a batch, with the values to try
            after an equals sign; None where the person has named none.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    arguments: tuple[str, ...] = ()
    controlled: bool = False
    stopped: bool = False
    batch_flag: str | None = None


class Variation:
    """Changes one aspect of a run on purpose, and nothing else.

    A subclass that acts through one hook names it in `hook`; any other one overrides
    `surroundings`.

    Attributes:
        name: The aspect, such as "threads".
        what: One line that says what is changed.
        meaning: What it means when the runs diverge: a sentence that can stand after "here".
        meaning_elsewhere: The same where it is not an operation that gave something else on equal
            inputs: the script itself went by what was varied. Empty where `meaning` says that too.
        fix: What to do then.
        compares: "operations" compares all that was recorded; "results" too, but an operation that
            only one run has is no difference, as it may have moved to another process; "steps"
            only the state of training after each optimizer step and what comes of it, where the
            operations are meant to be others; "output" what was printed by a run that was not
            recorded.
        lines: How the line that the varied thing came in by is found, one way after another: in the
            "ledger"; the "allocation" of the tensor; the first line after which the "order" of a
            "variable", or the variable, differs; what a loader's "worker" draws.
        fix_elsewhere: What to do where `meaning_elsewhere` is what it means.
        idle: What to say when nothing in the run could be varied; None where that cannot be.
    """

    name: ClassVar[str]
    what: ClassVar[str]
    meaning: ClassVar[str]
    fix: ClassVar[str]
    compares: ClassVar[Compared] = "operations"
    hook: ClassVar[str | None] = None
    settings: ClassVar[Mapping[str, Setting]] = {}
    idle: ClassVar[str | None] = None
    meaning_elsewhere: ClassVar[str] = ""
    lines: ClassVar[tuple[LineSource, ...]] = ("ledger",)
    fix_elsewhere: ClassVar[str] = ""

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """Why it cannot be applied to this script on this machine; None when it can."""
        return None

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """What to run the script in; where `not_applicable` says nothing."""
        assert self.hook is not None, self.name
        return Surroundings(hooks=(HookSpec(name=self.hook, settings=dict(self.settings)),))

    def variants(self, circumstances: Baseline) -> dict[str, Surroundings]:
        """The runs to make, by what each is called."""
        return {self.name: self.surroundings(circumstances)}
