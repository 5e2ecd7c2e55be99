"""Running one operation again and again on the inputs it was given: does it repeat?"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from samebits.check.record.capture import save_outputs
from samebits.check.record.operations import operation_name
from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import UsageError

_SECONDS = 1.0
_MOST = 200
_FEWEST = 10
_DIFFERENT = 3
_OFTEN_S = 1e-5  # for which a thread of Python keeps the interpreter; usually five milliseconds


def replay(
    op: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    path: Path,
    results_at: Sequence[Path] = (),
) -> None:
    """Run an operation many times on copies of its inputs and write how its results agree.

    The inputs are copied once before, and no other thread knows that copy: where one writes to the
    inputs meanwhile, that is no fault of the operation.

    The generators of torch, NumPy and Python are put back before each repetition: numbers that
    differ because a generator moved on are no fault of the operation.

    Args:
        op: The operation.
        args: Its arguments; tensors among them are copied.
        kwargs: Its keyword arguments.
        path: Where `Replays` is written, as JSON.
        results_at: Where the first results are saved that differ, in the safetensors format; as
            many as there are paths.
    """
    args, kwargs = _copied((args, dict(kwargs)))
    repeats: dict[str, int] = {}
    results: dict[str, int] = {}
    refused: dict[str, str] = {}
    for name, circumstances in _CIRCUMSTANCES.items():
        if results.get("as-is") == 1:
            break  # it repeats as it is: there is nothing to settle
        try:
            with circumstances():
                digests = list(_digests(op, args, kwargs, results_at if name == "as-is" else ()))
        except Exception as error:
            refused[name] = f"{type(error).__name__}: {error}"
            continue
        repeats[name] = len(digests)
        results[name] = len(set(digests))
    content = {
        "op": operation_name(op),
        "repeats": repeats,
        "results": results,
        "refused": refused,
    }
    path.write_text(json.dumps(content))


def _digests(
    op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], results_at: Sequence[Path]
) -> Iterator[str]:
    """Digests of results and of what was written, one a repetition, until they differ.

    As long as they agree it goes on for a second: the longer, the surer. A busy machine runs
    threads one after the other, and they race only now and then; so threads of Python take turns
    much more often in every other repetition, which is nothing to an operation that repeats.
    """
    end = time.monotonic() + _SECONDS
    seen: set[str] = set()
    restore = _generators()
    for number in range(_MOST):
        late = number >= _FEWEST and time.monotonic() > end
        if late or (len(seen) > 1 and number >= _DIFFERENT):
            return
        restore()
        own_args, own_kwargs = _copied((args, kwargs))
        with _turns_taken_often() if number % 2 else nullcontext():
            result = op(*own_args, **own_kwargs)
        digest = _digest((result, own_args, own_kwargs))
        if digest not in seen and len(seen) < len(results_at):
            _save(op, (result, own_args, own_kwargs), results_at[len(seen)])
        seen.add(digest)
        yield digest


def _save(op: Any, given_back: tuple[Any, Any, Any], path: Path) -> None:
    """Save a result, and the arguments of an operation that writes into some of them.

    What cannot be stored tells no size, and is no fault of the operation.
    """
    result, *arguments = given_back
    writes = getattr(getattr(op, "_schema", None), "is_mutable", False)
    written = [leaf for leaf in _leaves(arguments) if isinstance(leaf, torch.Tensor)]
    try:
        save_outputs(result, written if writes else [], path)
    except Exception:
        path.unlink(missing_ok=True)


def _digest(tree: Any) -> str:
    """Fingerprint of every tensor and number; what has none (a generator) is left out."""
    parts = []
    for leaf in _leaves(tree):
        try:
            parts.append(fingerprint(leaf))
        except UsageError:
            continue
    return " ".join(parts)


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list):
        for inner in tree:
            yield from _leaves(inner)
    elif isinstance(tree, Mapping):
        for inner in tree.values():
            yield from _leaves(inner)
    else:
        yield tree


def _copied(tree: Any) -> Any:
    if isinstance(tree, torch.Tensor):
        return tree.detach().clone()
    if isinstance(tree, tuple):
        return tuple(_copied(inner) for inner in tree)
    if isinstance(tree, list):
        return [_copied(inner) for inner in tree]
    if isinstance(tree, dict):
        return {key: _copied(inner) for key, inner in tree.items()}
    if isinstance(tree, torch.Generator):
        return tree.clone_state()
    return tree


def _generators() -> Callable[[], None]:
    """What puts the global generators back as they are now."""
    cpu = torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []  # type: ignore[no-untyped-call]
    python = random.getstate()
    # Only if the script has NumPy: it is not for us to load it.
    numpy = sys.modules.get("numpy.random")
    legacy = numpy.get_state() if numpy is not None else None

    def restore() -> None:
        torch.set_rng_state(cpu)
        if cuda:
            torch.cuda.set_rng_state_all(cuda)
        random.setstate(python)
        if numpy is not None:
            numpy.set_state(legacy)

    return restore


@contextmanager
def _turns_taken_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_OFTEN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def _as_is() -> Iterator[None]:
    yield


@contextmanager
def _deterministic() -> Iterator[None]:
    before = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warn_only)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


_CIRCUMSTANCES = {
    "as-is": _as_is,
    "deterministic": _deterministic,
    "one-thread": _one_thread,
}
