"""What surrounds a run and decides its bits: switches, threads, versions, devices."""

from __future__ import annotations

import dataclasses
import functools
import platform
import sys
from collections.abc import Iterator
from typing import Any

import torch

from samebits.core.names import printable
from samebits.training.control.switches import SWITCHES, Requirements, Switch
from samebits.training.control.switches.threads import TorchThreads

# With a number of threads the switch for it applies; every other reads the same with and without.
_TARGET = Requirements(threads=1)


def versions() -> dict[str, str]:
    """The versions that a checkpoint names."""
    numpy: Any = sys.modules.get("numpy")
    return {
        "samebits": _own_version(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        **({} if numpy is None else {"numpy": str(numpy.__version__)}),
    }


@functools.cache
def _own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("samebits")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"


def capture_environment() -> dict[str, Any]:
    """Every switch as it reads, with what puts it back, and the devices; a tree of plain values."""
    switches = {}
    for switch in SWITCHES:
        if switch.not_applicable(_TARGET) is None:
            switches[switch.name] = {"reads": switch.read(), "saved": _plain(switch.save())}
    return {"switches": switches, "devices": devices()}


def devices() -> dict[str, Any]:
    """The processor's instruction set as torch uses it, and the GPUs."""
    found: dict[str, Any] = {"cpu": torch.backends.cpu.get_cpu_capability()}
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        found["cuda"] = [
            torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())
        ]
    return found


def environment_objections(stored: Any) -> Iterator[str]:
    """Why stored surroundings make no sense, one sentence each; changes nothing."""
    parts = ("switches", "devices")
    if not isinstance(stored, dict) or not all(isinstance(stored.get(k), dict) for k in parts):
        yield "the surroundings in the checkpoint make no sense"
        return
    for switch in SWITCHES:
        entry = stored["switches"].get(switch.name)
        if entry is None or switch.not_applicable(_TARGET) is not None:
            continue
        if not isinstance(entry, dict) or not {"reads", "saved"} <= entry.keys():
            yield f"{switch.name} has no value in the checkpoint"
        elif not _alike(entry["reads"], switch.read()):
            yield f"{switch.name} reads {printable(repr(entry['reads']), 60)} in the checkpoint"
        elif not _alike(entry["saved"], _plain(switch.save())):
            yield f"{switch.name} is kept in another form in the checkpoint"
        elif switch.name == TorchThreads.name and not 1 <= entry["saved"] <= MAX_THREADS:
            yield f"{switch.name} is {entry['saved']} in the checkpoint"


MAX_THREADS = 4096
"""More threads than this are asked for by no machine; the system would end the process."""


def _alike(stored: Any, live: Any) -> bool:
    """Whether two values of a switch are built alike; a variable may be set or not."""
    if isinstance(live, dict):
        same_keys = isinstance(stored, dict) and stored.keys() == live.keys()
        return same_keys and all(_alike(stored[key], live[key]) for key in live)
    if isinstance(live, (tuple, list)):
        same = type(stored) is type(live) and len(stored) == len(live)
        return same and all(map(_alike, stored, live))
    if live is None or stored is None:
        return isinstance(stored, (bool, int, str, type(None)))
    return type(stored) is type(live)


def restore_environment(stored: dict[str, Any]) -> list[str]:
    """Set every switch as it was.

    Returns:
        What could not be set or cannot be: one sentence each.
    """
    told: list[str] = []
    for switch in SWITCHES:
        entry = stored["switches"].get(switch.name)
        if entry is not None and switch.not_applicable(_TARGET) is None:
            told += _put_back(switch, entry)
    now = devices()
    for kind, before in stored["devices"].items():
        if kind in now and now[kind] != before:
            told.append(f"{kind} was {_listed(before)}, and is {_listed(now[kind])}")
    return told


def other_versions(stored: dict[str, str]) -> list[str]:
    """The versions that differ, one sentence each; samebits' own decides no bits."""
    now = versions()
    return [
        f"{name} was {before}, and is {now[name]}"
        for name, before in stored.items()
        if name in now and now[name] != before and name != "samebits"
    ]


def _put_back(switch: Switch, entry: dict[str, Any]) -> Iterator[str]:
    now, before = switch.read(), entry["reads"]
    if now == before:
        return
    reason = switch.locked()
    if reason is None:
        try:
            switch.restore(_like(switch.save(), entry["saved"]))
        except Exception as error:  # Whatever torch objects to is for the person to know.
            reason = f"{type(error).__name__}: {error}"
        else:
            if switch.read() == before:
                return
            reason = "it was set, and does not read so"
    yield f"{switch.name} was {_listed(before)}, and is {_listed(now)}: {reason}"


def _plain(saved: Any) -> Any:
    """What a switch saves as a tree of plain values: its own record becomes a dict."""
    if dataclasses.is_dataclass(saved) and not isinstance(saved, type):
        return {f.name: getattr(saved, f.name) for f in dataclasses.fields(saved)}
    return saved._asdict() if hasattr(saved, "_asdict") else saved


def _like(example: Any, plain: Any) -> Any:
    """The reverse of `_plain`, given what the switch saves now."""
    is_record = dataclasses.is_dataclass(example) or hasattr(example, "_asdict")
    return type(example)(**plain) if is_record and not isinstance(example, type) else plain


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
