"""Generators beyond the global ones that count as global: registered objects and other parts.

`capture` and `restore` of `samebits.training.control.rng_state` include what is registered here,
and so do `isolated_rng`, `assert_same` and checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from samebits.errors import UsageError
from samebits.training.control.generator_objects import (
    generator_kind,
    generator_state,
    set_generator_state,
)


@dataclass(frozen=True, kw_only=True)
class GeneratorSource:
    """Something that has a random state of its own.

    Attributes:
        capture: Returns the state as plain data: numbers, text, lists, tuples, dicts, arrays,
            tensors, None.
        restore: Takes what `capture` returned, also in another process.
    """

    capture: Callable[[], Any]
    restore: Callable[[Any], None]


_sources: dict[str, GeneratorSource] = {}
_generators: dict[str, Any] = {}


def register_source(
    name: str, *, capture: Callable[[], Any], restore: Callable[[Any], None]
) -> None:
    """Make a part's random state count as global.

    A part registers when it is imported, under its own name, so that the same program has the same
    sources in every process. Registering a name again replaces it.

    Args:
        name: Such as "exact".
        capture: Returns the state as plain data.
        restore: Takes what `capture` returned.
    """
    _sources[name] = GeneratorSource(capture=capture, restore=restore)


def register_generator(name: str, generator: Any) -> None:
    """Make a generator object count as global, until `unregister_generator`.

    The registry holds the object. Registering the same name again replaces it, as when a cell of a
    notebook is run twice.

    Args:
        name: Under which its state is kept; the same in every process.
        generator: A `random.Random`, NumPy `Generator`, `RandomState` or bit generator, or a
            `torch.Generator`.

    Raises:
        UsageError: The name is empty or no string, or the object is no generator with a state.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"A generator's name must be a string that is not empty, not {name!r}.")
    if generator_kind(generator) is None:
        generator_state(generator)  # raises, and says what would do
    _generators[name] = generator


def unregister_generator(name: str) -> None:
    """Let a registered generator go; does nothing where there is none of that name."""
    _generators.pop(name, None)


def registered_generators() -> dict[str, Any]:
    """The registered generators by name."""
    return dict(_generators)


def capture_registered() -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of the registered generators and of the sources, each by name."""
    generators = {name: generator_state(obj) for name, obj in sorted(_generators.items())}
    return generators, {name: source.capture() for name, source in sorted(_sources.items())}


def restore_registered(generators: dict[str, Any], sources: dict[str, Any]) -> None:
    """Put back what `capture_registered` returned; what is no longer registered is passed over."""
    for name, state in generators.items():
        if name in _generators:
            set_generator_state(_generators[name], state)
    for name, state in sources.items():
        if name in _sources:
            _sources[name].restore(state)


def source_names() -> tuple[str, ...]:
    """The names of the registered sources."""
    return tuple(sorted(_sources))
