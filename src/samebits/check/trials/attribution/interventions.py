"""What is pinned in a counterfactual run, and what is moved."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from samebits.check import causes
from samebits.check.causes.variation import Baseline
from samebits.check.diff.correspondence import base_name
from samebits.core.interposition.surroundings import Surroundings
from samebits.core.setting import Setting

Sites = tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Interventions:
    """What is pinned in a run.

    Attributes:
        pinned: Names of pins.
        sites: Where a pin is bound to lines: its name → the lines.
        sources: Where the pin of seeds is bound to kinds of generators: which.
        control: Whether the script runs as under `samebits run --seed 0` besides.
        shaken: Whether objects lie at other addresses, and in another order of them; of several
            runs, in all but the first.
        reproducible_mkl: Whether MKL rounds as it does under `samebits run`: wherever something is
            pinned, and where the last of that was let go. Such a run then comes to the bits of one
            under `samebits run`, and no pair of either kind is needed.
    """

    pinned: frozenset[str] = frozenset()
    sites: tuple[tuple[str, Sites], ...] = ()
    sources: tuple[str, ...] = ()
    control: bool = False
    shaken: bool = False
    reproducible_mkl: bool = False

    def __post_init__(self) -> None:
        if self.pinned:
            object.__setattr__(self, "reproducible_mkl", True)

    def surroundings(
        self, paces: Mapping[str, Mapping[str, Setting]] | None = None, *, series: int = 0
    ) -> Surroundings:
        """What to run the script in.

        Args:
            paces: Further settings of pins, by their names, that go by how fast the script is.
            series: Which names temporary files have where these are pinned.
        """
        result = Surroundings()
        if self.shaken:
            result |= causes.variation("addresses").surroundings(Baseline())
        bound = dict(self.sites)
        for name in sorted(self.pinned):
            settings = dict((paces or {}).get(name, {}))
            if name == "seeds" and self.sources:
                settings["sources"] = list(self.sources)
            if name == "entropy":
                settings["series"] = series
            result |= causes.pin(name).surroundings(sites=bound.get(name), settings=settings)
        return result

    @property
    def pins_names(self) -> bool:
        """Whether runs give the same names to what has other ones in each run by itself."""
        return not _NAMING.isdisjoint(self.pinned)

    @property
    def label(self) -> str:
        """What is pinned, in words."""
        if self.control:
            return "under samebits run --seed 0"
        names = sorted(self.pinned)
        if not names:
            return "nothing pinned"
        what = " + ".join(names) if len(names) <= 4 else f"{len(names)} things"
        return f"{what} pinned" + (", addresses shuffled" if self.shaken else "")

    @property
    def pinned_in_words(self) -> tuple[str, ...]:
        """What is pinned, and at which lines where it is bound to some."""
        if self.control:
            return ("samebits run --seed 0",)
        bound = {
            name: " and ".join(f"{base_name(file)}:{line}" for file, line in lines)
            for name, lines in self.sites
        }
        return tuple(
            f"{name} at {bound[name]}" if name in bound else name for name in sorted(self.pinned)
        )

    @property
    def name(self) -> str:
        """A folder's name for it."""
        text = "+".join(sorted(self.pinned)) or "nothing"
        if self.control:
            text = "control"
        if self.shaken:
            text += "-shaken"
        if self.sites or self.sources:
            bound = repr((self.sites, self.sources)).encode()
            text += f"-{blake2b(bound, digest_size=4).hexdigest()}"
        return text


PINNED_BY_RUN = frozenset(pin.name for pin in causes.pins() if pin.by_run)
"""Pins that `samebits run` has too."""

CHANGES_RESULTS = frozenset(pin.name for pin in causes.pins() if pin.changes_results)
"""Pins that give other results even where the runs would agree without."""

_NAMING = frozenset({"clock", "entropy"})
"""Pins under which a name made of the time, or of a drawn number, is the same in each run."""

FRESH_IN_EACH_RUN = frozenset({"entropy", "hash-seed", "seeds"})
"""Pins of what is drawn anew for each run: pinned, it is what it might have been by chance."""

NOW_AND_THEN = frozenset(pin.name for pin in causes.pins() if pin.comes_and_goes)
"""Pins of what may make a difference that comes and goes."""


def with_needed(pin: str) -> frozenset[str]:
    """A pin with those without which it has no effect."""
    return frozenset({pin}) | causes.pin(pin).needs


def with_free_names(
    pins: frozenset[str], usable: Collection[str], *, drawn: bool = False
) -> frozenset[str]:
    """The pins, with that of files where runs give the same names to what they make.

    The second of two runs would find what the first has made under the time or under a drawn name,
    and may fail.

    Args:
        pins: What is pinned.
        usable: Pins that work on this machine.
        drawn: Whether such names are drawn with a generator that nobody has seeded.
    """
    names = not _NAMING.isdisjoint(pins) or (drawn and "seeds" in pins)
    return pins | {"files"} if names and "files" in usable else pins


def without_names(pins: frozenset[str]) -> frozenset[str]:
    """The pins under which each run gives names of its own to what it makes."""
    return pins - _NAMING


def usable_pins() -> list[str]:
    """Names of the pins that work on this machine, sorted."""
    return [pin.name for pin in causes.pins() if pin.not_applicable() is None]
