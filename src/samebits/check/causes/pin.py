"""What every pin has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.setting import Setting

Sites = Sequence[tuple[str, int]]


class Pin:
    """Keeps one aspect of a run still.

    A subclass that acts through one hook names it in `hook`; any other one overrides `pinned`.

    Attributes:
        name: The aspect, such as "hash-seed".
        what: One line that says what it keeps still.
        by_site: Whether it can be bound to lines of the script.
        needs: Pins without which it has no effect.
        by_run: Whether `samebits run` pins this too.
        beside_a_variation: Whether it is pinned too where one thing is varied and variables are
            compared, so that nothing else tells the two runs apart.
        changes_results: Whether it gives other results even where the runs would agree without.
        comes_and_goes: Whether what it pins may differ in some pairs of runs and not in others;
            everything else is another one in every run.
        inside_operations: Whether what it pins reaches into one of torch's own operations although
            all that it was given agrees: an order of names or a seed cannot.
    """

    name: ClassVar[str]
    what: ClassVar[str]
    hook: ClassVar[str | None] = None
    settings: ClassVar[Mapping[str, Setting]] = {}
    by_site: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset()
    by_run: ClassVar[bool] = False
    beside_a_variation: ClassVar[bool] = False
    changes_results: ClassVar[bool] = False
    comes_and_goes: ClassVar[bool] = False
    inside_operations: ClassVar[bool] = False

    def not_applicable(self) -> str | None:
        """Why it cannot be pinned on this machine; None when it can."""
        return None

    def surroundings(
        self, *, sites: Sites | None = None, settings: Mapping[str, Setting] | None = None
    ) -> Surroundings:
        """What to run a script in to pin this.

        Args:
            sites: File and line of the places to pin alone, where `by_site`; None for all.
            settings: Further settings of the hook.
        """
        assert sites is None or self.by_site, f"{self.name} cannot be bound to lines"
        pinned = self.pinned()
        if self.hook is None:
            return pinned
        chosen: dict[str, Setting] = {**self.settings, **(settings or {})}
        if sites is not None:
            chosen["sites"] = [[file, line] for file, line in sites]
        return pinned | Surroundings(hooks=(HookSpec(name=self.hook, settings=chosen),))

    def pinned(self) -> Surroundings:
        """What it sets besides its hook."""
        return Surroundings()
