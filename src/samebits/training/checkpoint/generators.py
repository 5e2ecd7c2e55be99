"""Whether generators can take stored states: tried on generators made for it, never on the live.

What NumPy and torch take without a word may still be no state: a position that lies outside of the
words it points into makes them read memory that is not theirs. So each state is checked, set on a
fresh generator of the same kind, and read back.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from samebits.core.names import printable
from samebits.training.checkpoint.exactness import first_difference
from samebits.training.control.generator_objects import (
    generator_state,
    set_generator_state,
    why_not,
)
from samebits.training.control.rng_sources import registered_generators
from samebits.training.control.rng_state import RngState

_POSITIONS = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}


def generator_objections(generator: Any, stored: Any, name: str) -> Iterator[str]:
    """Why a generator cannot take a stored state, a sentence; changes nothing.

    Args:
        generator: The live one.
        stored: What `generator_state` returned for one of its kind.
        name: What it is called.
    """
    try:
        reason = why_not(generator, stored) or _why_no_state(stored)
        if reason is None:
            trial = _another(generator, stored["kind"])
            set_generator_state(trial, stored)
            reason = first_difference(stored, generator_state(trial), "its state")
    except Exception as error:  # of the library whose generator it is
        reason = f"its state makes no sense ({type(error).__name__}: {error})"
    if reason is not None:
        yield f"{name}: {printable(reason, 200)}"


def global_objections(state: RngState) -> Iterator[str]:
    """Why the global and the registered generators cannot take their states; changes nothing."""
    yield from _as_object("python", state.python, random.Random(), "Python's generator")
    numpy: Any = sys.modules.get("numpy.random")
    if state.numpy is not None and numpy is not None:
        live = numpy.RandomState(type(numpy.get_bit_generator())())
        yield from _as_object("numpy-legacy", state.numpy, live, "NumPy's generator")
    if state.torch_cpu is not None:
        yield from _as_object("torch", state.torch_cpu, torch.Generator(), "torch's generator")
        if type(state.torch_seed) is not int:
            yield "torch's generator: its seed is no number"
    for kind, states in state.devices.items():
        if not isinstance(states, (tuple, list)):
            yield f"the generators of {printable(kind)} have no states"
            continue
        for index, one in enumerate(states):
            if not isinstance(one, torch.Tensor) or one.dtype is not torch.uint8:
                yield f"the generator of {printable(kind)}:{index} has no state"
            elif kind in ("cuda", "xpu") and index < getattr(torch, kind).device_count():
                live = torch.Generator(device=f"{kind}:{index}")
                yield from _as_object("torch", one, live, f"the generator of {kind}:{index}")
    registered = registered_generators()
    for name, one in state.generators.items():
        if name in registered:
            yield from generator_objections(registered[name], one, f"the generator {name}")


def stream_objections(states: Any, name: str) -> Iterator[str]:
    """Why named streams cannot take their states; changes nothing.

    Args:
        states: What `Streams.capture` returned.
        name: What they are called.
    """
    if not isinstance(states, Mapping):
        yield f"{name} have no states"
        return
    for key, stored in states.items():
        kind, _, own = key.partition("/") if isinstance(key, str) else ("", "", "")
        live: Any = None
        if kind == "python" and own:
            live = random.Random()
        elif kind == "numpy" and own:
            import numpy as np

            live = np.random.default_rng(0)
        elif kind.startswith("torch@") and own:
            try:
                live = torch.Generator(device=kind.removeprefix("torch@"))
            except RuntimeError as error:
                yield f"{name}: {printable(key)}: {printable(str(error), 120)}"
                continue
        if live is None:
            yield f"{name}: there is no kind of stream {printable(repr(key), 80)}"
        else:
            yield from generator_objections(live, stored, f"{name}: {printable(key)}")


def _as_object(kind: str, state: Any, live: Any, name: str) -> Iterator[str]:
    stored = {"kind": kind, "state": state}
    if kind == "torch":
        stored["device"] = str(live.device)
    yield from generator_objections(live, stored, name)


def _why_no_state(stored: Mapping[str, Any]) -> str | None:
    """What the libraries themselves do not look at."""
    state = stored["state"]
    if stored["kind"] == "python" and not isinstance(state[2], (float, type(None))):
        return "its second normal number is none"
    if stored["kind"].startswith("numpy") and state["bit_generator"] in _POSITIONS:
        key, length = _POSITIONS[state["bit_generator"]]
        # Philox keeps its position beside its words, the Mersenne Twister with them.
        position = state[key] if key in state else state["state"][key]
        if not 0 <= position <= length:
            return f"its position is {position}, of {length} words"
    return None


def _another(generator: Any, kind: str) -> Any:
    """A fresh generator of the same kind and algorithm."""
    if kind == "python":
        return random.Random()
    if kind == "torch":
        return torch.Generator(device=generator.device)
    import numpy as np

    if kind == "numpy-bits":
        return type(generator)()
    if kind == "numpy":
        return np.random.Generator(type(generator.bit_generator)())
    return np.random.RandomState(type(generator._bit_generator)())
