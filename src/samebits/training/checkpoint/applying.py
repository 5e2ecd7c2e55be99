"""Giving a checkpoint's values to the live objects: all of them, or none."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError, SamebitsError
from samebits.training.checkpoint.component import Component, Undo
from samebits.training.checkpoint.components import Stateful
from samebits.training.checkpoint.contents import Values
from samebits.training.checkpoint.environment import (
    capture_environment,
    environment_objections,
    restore_environment,
)
from samebits.training.checkpoint.generators import global_objections, stream_objections
from samebits.training.checkpoint.modules import ModuleComponent
from samebits.training.checkpoint.ranks import settled
from samebits.training.control.rng_sources import registered_generators, source_names
from samebits.training.control.rng_state import RngState, capture, restore
from samebits.training.control.streams import stream_names


def objections(
    values: Values,
    components: Mapping[str, Component],
    *,
    strict: bool,
    notes: list[str],
    world_size: int = 1,
) -> Iterator[str]:
    """Why the live objects cannot take these values, one sentence each; changes nothing.

    Args:
        values: What the checkpoint holds.
        components: The live components by name.
        strict: Object to what cannot continue with the same bits; otherwise note it.
        notes: Gets the notes.
        world_size: How many processes train together now.
    """
    for text in _inexact(values, components, world_size):
        if strict:
            yield text
        else:
            notes.append(text)
    for name in _common(values, components):
        stored = values.manifest.components[name]
        live = components[name]
        if stored["kind"] != live.kind:
            yield f"{name} was a {stored['kind']} ({stored['type']}), and is a {live.kind}"
        else:
            yield from _safely(live, values.components[name])
    yield from global_objections(values.generators)
    for name, states in values.streams.items():
        yield from stream_objections(states, f"the named streams of {name}")
    yield from environment_objections(values.surroundings)


def _safely(live: Component, state: Any) -> Iterator[str]:
    try:
        yield from live.objections(state)
    except Exception as error:  # of what was stored, or of the object's own code
        yield f"{live.name}: its state makes no sense here ({type(error).__name__}: {error})"


def apply_values(
    values: Values,
    components: Mapping[str, Component],
    *,
    strict: bool,
    notes: list[str],
    generators: bool,
) -> None:
    """Give every component its state, and the process its switches and generators; all or nothing.

    Modules that cannot refuse come last: they are not copied for the case that they do. So they
    wait until everything else is done, on every rank.

    Args:
        values: What the checkpoint held; `objections` had none.
        components: The live components by name.
        strict: Whether what a component did not take is a failure or a note.
        notes: Gets the notes.
        generators: Whether to set the global generators and the named streams, too.

    Raises:
        CheckpointError: A component refused, or did not take all of its state, on this rank or
            another. What was changed is put back.
    """
    undo: list[Undo] = []
    # Objects of the person's own first: theirs is the code that may fail.
    names = sorted(_common(values, components), key=lambda name: _order(components[name]))
    sure = [name for name in names if components[name].cannot_refuse()]

    def what_may_fail() -> None:
        before = capture_environment(), capture()
        # Loading draws numbers and sets switches in the objects' own code.
        undo.append(lambda: _put_back(*before))
        for name in names:
            if name not in sure:
                _apply_one(components[name], values.components[name], undo, strict, notes)
        notes.extend(restore_environment(values.surroundings))

    def the_rest() -> None:
        for name in sure:
            _apply_one(components[name], values.components[name], undo, strict, notes)
        if generators:
            # Last: what was loaded before may have drawn numbers.
            restore_generators(values)

    try:
        settled(what_may_fail)
        settled(the_rest)
    except BaseException:
        for take_back in reversed(undo):
            take_back()
        raise


def _put_back(surroundings: dict[str, Any], generators: RngState) -> None:
    restore_environment(surroundings)
    restore(generators)


def _apply_one(
    live: Component, state: Any, undo: list[Undo], strict: bool, notes: list[str]
) -> None:
    try:
        undo.append(live.apply(state))
        left_over = list(live.left_over(state))
    except Exception as error:
        said, advice = f"{type(error).__name__}: {error}", ""
        if isinstance(error, SamebitsError):
            said, advice = error.message, f"{error.hint} " if error.hint else ""
        raise CheckpointError(
            f"{live.name} refused its state: {said}",
            hint=f"{advice}Nothing was changed: what had been restored before it was put back.",
        ) from error
    for text in left_over:
        if strict and not isinstance(live, Stateful):
            raise CheckpointError(
                f"after it was restored, {printable(text, 300)}",
                hint="Nothing was changed: what had been restored was put back.",
            )
        notes.append(f"after it was restored, {text}")


def _order(component: Component) -> int:
    if isinstance(component, Stateful):
        return 0
    return 2 if isinstance(component, ModuleComponent) else 1


def _common(values: Values, components: Mapping[str, Component]) -> list[str]:
    return [name for name in values.components if name in components]


def _inexact(values: Values, components: Mapping[str, Component], world_size: int) -> Iterator[str]:
    """What would let a run go on, but not with the same bits."""
    before = values.manifest.world_size
    if before != world_size:
        yield f"{before} processes wrote the checkpoint, and {world_size} read it"
    for name, stored in values.manifest.components.items():
        if name not in components:
            yield f"{name} ({stored['type']}) is in the checkpoint, and was not given now"
        elif stored["type"] != components[name].type_name:
            yield f"{name} was a {stored['type']}, and is a {components[name].type_name}"
    for name, live in components.items():
        if name not in values.components:
            yield f"{name} ({live.type_name}) was given now, and is not in the checkpoint"
        elif isinstance(live, ModuleComponent):
            yield from _other_devices(live, values.manifest.components[name]["state"])
    for name in values.streams:
        # Older streams of one seed (#2) may have been garbage that was not collected yet.
        if name not in stream_names().values() and "#" not in name:
            yield f"the named streams of {name} are not there: call seed_everything before restore"
    yield from _generators_that_lack(values.generators)


def _other_devices(live: ModuleComponent, stored: Any) -> Iterator[str]:
    here = live.target.state_dict()
    content = stored.get("state_dict") if isinstance(stored, dict) else None
    if not isinstance(content, dict):
        return  # what is wrong with it, the component says
    pairs = content.get("items") if "$" in content else list(content.items())
    for pair in pairs if isinstance(pairs, list) else ():
        key, node = pair
        if isinstance(node, dict) and isinstance(here.get(key), torch.Tensor):
            before = str(node.get("device", "cpu")).partition(":")[0]
            now = here[key].device.type
            if before != now and node.get("$") == "tensor":
                yield f"{live.name}.{key} was on {before}, and is on {now}"


def _generators_that_lack(state: RngState) -> Iterator[str]:
    registered = registered_generators()
    for name in state.generators:
        if name not in registered:
            yield f"the generator {name} is not registered: register it before restore"
    for name in state.sources:
        if name not in source_names():
            yield f"the generators of {name} are not there: use it before restore"
    if state.numpy is not None and "numpy" not in sys.modules:
        yield "NumPy's generator has a state in the checkpoint, and NumPy is not imported"
    for kind, states in state.devices.items():
        if not isinstance(states, (tuple, list)):
            continue  # that it makes no sense is said elsewhere
        count = _device_count(kind)
        if count < len(states):
            yield f"{len(states)} {kind} generators have a state, and there are {count} now"


def restore_generators(values: Values) -> None:
    """Put every global generator and named stream where the checkpoint found it."""
    streams = {
        number: values.streams[name]
        for number, name in stream_names().items()
        if name in values.streams
    }
    restore(replace(values.generators, streams=streams))


def _device_count(kind: str) -> int:
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    part: Any = getattr(torch, kind, None)
    return int(part.device_count()) if part is not None and part.is_available() else 0
