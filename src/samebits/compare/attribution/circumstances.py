"""What is pinned in a counterfactual run, and what is moved."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from samebits.control import holds, variation, variations
from samebits.control.surroundings import Setting, Surroundings

Sites = tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """What is pinned in a run.

    Attributes:
        held: Names of holds.
        sites: Where a hold is bound to lines: its name → the lines.
        sources: Where the hold of seeds is bound to kinds of generators: which.
        control: Whether the script runs as under `samebits run --seed 0` besides.
        shaken: Whether objects lie at other addresses, and in another order of them; of several
            runs, in all but the first.
    """

    held: frozenset[str] = frozenset()
    sites: tuple[tuple[str, Sites], ...] = ()
    sources: tuple[str, ...] = ()
    control: bool = False
    shaken: bool = False

    def surroundings(self) -> Surroundings:
        """What to run the script in."""
        result = Surroundings()
        if self.shaken:
            result |= variations.named("addresses").surroundings(variation.Circumstances())
        bound = dict(self.sites)
        for name in sorted(self.held):
            settings: dict[str, Setting] = {}
            if name == "seeds" and self.sources:
                settings["sources"] = list(self.sources)
            result |= holds.named(name).surroundings(sites=bound.get(name), settings=settings)
        return result

    @property
    def label(self) -> str:
        """What is pinned, in words."""
        if self.control:
            return "under samebits run --seed 0"
        names = sorted(self.held)
        if not names:
            return "nothing pinned"
        what = " + ".join(names) if len(names) <= 4 else f"{len(names)} things"
        return f"{what} pinned" + (", addresses shuffled" if self.shaken else "")

    @property
    def name(self) -> str:
        """A folder's name for it."""
        text = "+".join(sorted(self.held)) or "nothing"
        if self.control:
            text = "control"
        if self.shaken:
            text += "-shaken"
        if self.sites or self.sources:
            bound = repr((self.sites, self.sources)).encode()
            text += f"-{blake2b(bound, digest_size=4).hexdigest()}"
        return text
