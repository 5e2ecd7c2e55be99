"""The live audit: what every switch really reads as, at this moment, in this process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from samebits.training.control.checked_arguments import checked_target
from samebits.training.control.switches import SWITCHES, Requirements, Switch, Value, checked_names


@dataclass(frozen=True)
class Reading:
    """What one switch read as.

    Attributes:
        name: The switch.
        setting: What a person would write to set it.
        wanted: The value that makes it hold.
        actual: The value in force; `None` too when the switch does not apply.
        holds: Whether the value in force is as good as the wanted one; `None` when the switch does
            not apply, or was to be kept as it is.
        reason: Why it does not apply.
    """

    name: str
    setting: str
    wanted: Value
    actual: Value
    holds: bool | None
    reason: str | None = None


@dataclass(frozen=True)
class AuditReport:
    """What every switch read as, in the order of the table.

    Attributes:
        readings: One for each switch.
    """

    readings: tuple[Reading, ...]

    def __getitem__(self, name: str) -> Reading:
        """Return the reading of the switch called `name`.

        Raises:
            KeyError: There is no such switch.
        """
        for reading in self.readings:
            if reading.name == name:
                return reading
        raise KeyError(name)

    @property
    def broken(self) -> tuple[Reading, ...]:
        """The switches that apply and do not hold."""
        return tuple(reading for reading in self.readings if reading.holds is False)

    @property
    def holds(self) -> bool:
        """Whether every switch that applies holds."""
        return not self.broken

    def to_json(self) -> list[dict[str, Value]]:
        """Return plain data that `json.dumps` takes: one object for each switch."""
        return [asdict(reading) for reading in self.readings]

    def __str__(self) -> str:
        return "\n".join(_line(reading) for reading in self.readings)


def audit(
    *,
    mode: str = "error",
    threads: int | None = None,
    hash_seed: int | None = None,
    keep: Iterable[str] = (),
) -> AuditReport:
    """Read every switch as it is now, whoever set it last, and change none.

    Imports nothing: while the program has not imported torch, torch's switches do not apply.

    Args:
        mode: What operations without a deterministic implementation should do: "error", or "warn".
        threads: The number of threads that was asked for; `None` asks for none.
        hash_seed: The hash seed that was asked for; `None` accepts any that is fixed.
        keep: Names of switches that are not asked for: read, but not judged.

    Raises:
        UsageError: An argument is not usable, or a name is no switch.
    """
    target = checked_target(mode=mode, threads=threads, hash_seed=hash_seed)
    kept = checked_names(keep)
    return AuditReport(tuple(_read(switch, target, switch.name in kept) for switch in SWITCHES))


def _read(switch: Switch, target: Requirements, kept: bool) -> Reading:
    actual: Value = None
    holds = None
    reason = switch.not_applicable(target)
    if reason is not None:
        reason = f"not applicable: {reason}"
    else:
        try:
            actual = switch.read()
        except Exception as error:  # An audit at the end of a run must not end the run.
            reason = f"could not be read: {type(error).__name__}: {error}"
        else:
            reason = "kept as it is" if kept else None
            holds = None if kept else switch.holds(actual, target)
    return Reading(switch.name, switch.setting, switch.wanted(target), actual, holds, reason)


def _line(reading: Reading) -> str:
    state = {True: "holds", False: "does not hold", None: "-"}[reading.holds]
    value = "unset" if reading.actual is None else reading.actual
    detail = reading.reason if reading.holds is None else f"{value} (wanted: {reading.wanted})"
    return f"{reading.name:<26} {state:<14} {detail}"
