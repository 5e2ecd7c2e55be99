"""The state of one generator object, of whichever library: reading it and putting it back.

States are plain data: numbers, text, tuples, dicts, arrays and CPU tensors, so that a checkpoint
can hold them. Nothing here imports NumPy or torch; an object of theirs cannot exist without them.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from samebits.errors import UsageError


def generator_kind(obj: object) -> str | None:
    """What kind of generator an object is, or None when it is none.

    Returns:
        "python" (`random.Random`), "numpy" (`numpy.random.Generator`), "numpy-legacy"
        (`RandomState`), "numpy-bits" (a bit generator) or "torch" (`torch.Generator`).
    """
    if isinstance(obj, random.Random):
        # It draws from the system and has no state.
        return None if isinstance(obj, random.SystemRandom) else "python"
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        for name, kind in (
            ("Generator", "numpy"),
            ("RandomState", "numpy-legacy"),
            ("BitGenerator", "numpy-bits"),
        ):
            if isinstance(obj, getattr(numpy, name)):
                return kind
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(obj, getattr(torch, "Generator", ())):
        return "torch"
    return None


def generator_state(generator: Any) -> dict[str, Any]:
    """The state of a generator, with its kind.

    Args:
        generator: Anything that `generator_kind` knows.

    Returns:
        `{"kind": …, "state": …}`; a torch generator's also has its "device".

    Raises:
        UsageError: It is no generator with a state.
    """
    kind = _required_kind(generator)
    if kind == "python":
        return {"kind": kind, "state": generator.getstate()}
    if kind == "torch":
        # get_state gives a CPU tensor of its own, whatever the device.
        return {"kind": kind, "device": str(generator.device), "state": generator.get_state()}
    if kind == "numpy-legacy":
        return {"kind": kind, "state": generator.get_state(legacy=False)}
    source = generator.bit_generator if kind == "numpy" else generator
    return {"kind": kind, "state": source.state}


def set_generator_state(generator: Any, stored: dict[str, Any]) -> None:
    """Put a generator where `generator_state` found one of its kind.

    Args:
        generator: The generator.
        stored: What `generator_state` returned.

    Raises:
        UsageError: It is a generator of another kind or algorithm.
        Exception: Whatever its library raises for what is no state; the generator stands where it
            stood.
    """
    refusal = why_not(generator, stored)
    if refusal is not None:
        raise UsageError(refusal, hint="Make the generator as the run that was saved made it.")
    kind = stored["kind"]
    before = generator_state(generator)["state"]
    try:
        _set_state(generator, kind, stored["state"])
    except BaseException:
        # Python's and NumPy's take a part of a state before they look at the rest.
        _set_state(generator, kind, before)
        raise


def _set_state(generator: Any, kind: str, state: Any) -> None:
    if kind == "python":
        generator.setstate(state)
    elif kind == "torch" or kind == "numpy-legacy":
        generator.set_state(state)
    else:
        (generator.bit_generator if kind == "numpy" else generator).state = state


def why_not(generator: Any, stored: dict[str, Any]) -> str | None:
    """Why a generator cannot take a stored state, or None when it can."""
    kind = _required_kind(generator)
    if kind != stored["kind"]:
        return f"the state is one of kind {stored['kind']}, the generator is of kind {kind}"
    if kind == "torch":
        here, there = str(generator.device), stored["device"]
        if here.partition(":")[0] != there.partition(":")[0]:
            return f"the state is one of a generator on {there}, the generator is on {here}"
    elif kind.startswith("numpy"):
        algorithm = generator_state(generator)["state"]["bit_generator"]
        if algorithm != stored["state"]["bit_generator"]:
            stored_algorithm = stored["state"]["bit_generator"]
            return f"the state is one of {stored_algorithm}, the generator uses {algorithm}"
    return None


def _required_kind(generator: object) -> str:
    kind = generator_kind(generator)
    if kind is None:
        name = f"{type(generator).__module__}.{type(generator).__qualname__}"
        raise UsageError(
            f"{name} is no generator whose state can be read",
            hint="Give a random.Random, a numpy.random.Generator, RandomState or bit generator, "
            "or a torch.Generator.",
        )
    return kind
