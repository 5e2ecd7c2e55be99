"""NumPy's generators: the shared one, and every one that a script makes."""

from __future__ import annotations

import sys

from samebits.check.record.ledger.watching import Meaning, Slot, Watching
from samebits.core.on_import import when_imported

_NO_DRAWS = frozenset(("seed", "get_state", "set_state", "bit_generator", "spawn"))
_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def watch_numpy(watching: Watching) -> None:
    """Watch NumPy's generators once `numpy.random` is imported."""
    when_imported("numpy.random", lambda: _watch(watching))


def _watch(watching: Watching) -> None:
    module = sys.modules["numpy.random"]
    legacy = module.RandomState
    generator = module.Generator
    for kind, source, shown in (
        (legacy, "numpy", "numpy.random."),
        (generator, "numpy-generator", "numpy.random.Generator."),
    ):
        for name, value in vars(kind).items():
            if not name.startswith("_") and name not in _NO_DRAWS and callable(value):
                watching.function(kind, name, Meaning.DRAW, source, shown + name)
    watching.function(legacy, "seed", Meaning.SEED, "numpy", "numpy.random.seed")
    watching.function(legacy, "get_state", Meaning.STATE, "numpy", "numpy.random.get_state")
    watching.function(legacy, "set_state", Meaning.RESTORE, "numpy", "numpy.random.set_state")
    _watch_construction(watching, module)
    for kind, source in ((legacy, "numpy"), (generator, "numpy-generator")):
        watching.function(
            kind, "__setstate__", Meaning.RESTORE, source, f"{kind.__name__}.__setstate__"
        )
    watching.shared(getattr(sys.modules.get("numpy.random.mtrand"), "_rand", None), "numpy")


def _watch_construction(watching: Watching, module: object) -> None:
    constructed = {
        "SeedSequence": ("numpy-generator", Meaning.CONSTRUCT),
        "RandomState": ("numpy", Meaning.CONSTRUCT),
        "Generator": ("numpy-generator", Meaning.GENERATOR),
        **dict.fromkeys(_BIT_GENERATORS, ("numpy-generator", Meaning.CONSTRUCT)),
    }
    for name, (source, meaning) in constructed.items():
        kind = getattr(module, name, None)
        if not isinstance(kind, type):
            continue
        shown = f"numpy.random.{name}"
        watching.type_slot(kind, Slot.INIT, meaning, source, shown)
        watching.function(kind, "_legacy_seeding", Meaning.SEED, source, f"{shown}._legacy_seeding")
        watching.function(kind, "random_raw", Meaning.DRAW, source, f"{shown}.random_raw")
        if name in _BIT_GENERATORS:
            watching.setter(kind, "state", Meaning.RESTORE, source, f"{shown}.state")
    watching.function(
        getattr(module, "BitGenerator", object),
        "random_raw",
        Meaning.DRAW,
        "numpy-generator",
        "numpy.random.BitGenerator.random_raw",
    )
    watching.function(
        module, "default_rng", Meaning.DEFAULT_RNG, "numpy-generator", "numpy.random.default_rng"
    )
