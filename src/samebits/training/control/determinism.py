"""`deterministic()`: sets every switch that makes a run repeat, and puts them all back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Literal, TypeVar

from samebits.core.scope import BlockOrDecorator
from samebits.errors import ControlError
from samebits.training.control.checked_arguments import checked_target
from samebits.training.control.switches import (
    SWITCHES,
    Mode,
    Requirements,
    Switch,
    Value,
    checked_names,
)

F = TypeVar("F", bound=Callable[..., Any])

Outcome = Literal["set", "held", "not-set", "not-applicable", "kept"]


@dataclass(frozen=True)
class Change:
    """What became of one switch.

    Attributes:
        name: The switch.
        setting: What a person would write to set it.
        outcome: "set"; "held": it had a good value already; "not-set": it could not be set;
            "not-applicable"; "kept": left alone because the caller said so.
        before: The value before.
        after: The value now.
        reason: Why it was not set or does not apply.
    """

    name: str
    setting: str
    outcome: Outcome
    before: Value = None
    after: Value = None
    reason: str | None = None


@dataclass(frozen=True)
class ControlReport:
    """What became of every switch, in the order of the table.

    Attributes:
        changes: One for each switch.
    """

    changes: tuple[Change, ...]

    def __getitem__(self, name: str) -> Change:
        """Return what became of the switch called `name`.

        Raises:
            KeyError: There is no such switch.
        """
        for change in self.changes:
            if change.name == name:
                return change
        raise KeyError(name)

    @property
    def set(self) -> tuple[Change, ...]:
        """What was set."""
        return self._with("set")

    @property
    def held(self) -> tuple[Change, ...]:
        """What had a good value already."""
        return self._with("held")

    @property
    def not_set(self) -> tuple[Change, ...]:
        """What could not be set, each with its reason."""
        return self._with("not-set")

    def to_json(self) -> list[dict[str, Value]]:
        """Return plain data that `json.dumps` takes: one object for each switch."""
        return [asdict(change) for change in self.changes]

    def __str__(self) -> str:
        return "\n".join(_line(change) for change in self.changes)

    def _with(self, outcome: Outcome) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.outcome == outcome)


class deterministic(BlockOrDecorator):  # noqa: N801 (used like a function)
    """Set every switch that makes a run repeat; as a call, in a `with` block, or as a decorator.

    ```python
    samebits.deterministic()            # from here on, until .restore()

    with samebits.deterministic("warn") as control:
        train()
    print(control.report)               # what was set, what held, what could not be set

    @samebits.deterministic()
    def train(): ...                    # set during each call
    ```

    The switches are set when the object is made, as a plain call would otherwise do nothing; the
    decorator puts them back at once and sets them anew in each call. (`torch.set_grad_enabled`
    does the same.) Leaving the block puts back every switch, also when the block raises, and also
    those that someone changed inside. Scopes nest; leave them in the reverse order of entering.

    The flags belong to the process, not to a thread: other threads see them.

    Args:
        mode: What an operation without a deterministic implementation does: "error" raises
            `RuntimeError`, "warn" warns.
        keep: Names of switches to leave as they are, for example
            `["cudnn-float32-precision"]` for the speed of TF32 on GPUs that all have it.
        threads: Set this number of threads too; `None` leaves it as it is.
        strict: Raise when a switch that applies could not be set, instead of reporting it.

    Attributes:
        report: What became of every switch, the last time they were set.

    Raises:
        UsageError: An argument is not usable, or a name is no switch.
        ControlError: With `strict`, a switch could not be set; the others are put back.
    """

    label = "deterministic()"

    report: ControlReport

    def __init__(
        self,
        mode: Mode = "error",
        *,
        keep: Iterable[str] = (),
        threads: int | None = None,
        strict: bool = False,
    ) -> None:
        self._target = checked_target(mode=mode, threads=threads)
        self._keep = checked_names(keep)
        self._strict = strict
        self._undo: list[contextlib.ExitStack] = []
        self._apply()
        # The first `with` takes over what this call has set.
        self._entered = False

    def restore(self) -> None:
        """Put back what the last call or entering has set; does nothing when nothing is left."""
        if self._undo:
            self._undo.pop().close()

    def __enter__(self) -> deterministic:
        if self._entered or not self._undo:
            self._apply()
        self._entered = True
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.restore()

    def __call__(self, func: F) -> F:
        """Decorate `func`: the switches are set during each call of it, and not before.

        Raises:
            UsageError: `func` is no function, or one whose body runs after the call has returned.
        """
        if not self._entered:
            self.restore()
        return super().__call__(func)

    def _recreate_cm(self) -> deterministic:
        return deterministic(
            self._target.mode, keep=self._keep, threads=self._target.threads, strict=self._strict
        )

    def _apply(self) -> None:
        import torch  # noqa: F401 (its switches apply only once it is imported)

        with contextlib.ExitStack() as undo:
            changes = [
                Change(switch.name, switch.setting, "kept")
                if switch.name in self._keep
                else _apply_switch(switch, self._target, undo)
                for switch in SWITCHES
            ]
            self.report = ControlReport(tuple(changes))
            if self._strict and self.report.not_set:
                raise _could_not_set(self.report)
            self._undo.append(undo.pop_all())


def _apply_switch(switch: Switch, target: Requirements, undo: contextlib.ExitStack) -> Change:
    """Set one switch if need be, and put its way back on `undo`."""
    reason = switch.not_applicable(target)
    if reason is not None:
        return Change(switch.name, switch.setting, "not-applicable", reason=reason)
    before = switch.read()
    lock = switch.locked()
    needed = switch.needs_setting(before, target)
    if lock is not None:
        if needed:
            return Change(switch.name, switch.setting, "not-set", before, before, lock)
        return Change(switch.name, switch.setting, "held", before, before)
    # Kept also for a switch that holds already: the block may change it.
    undo.callback(_put_back, switch, switch.save())
    if not needed:
        return Change(switch.name, switch.setting, "held", before, before)
    try:
        switch.set(target)
    except Exception as error:  # Whatever torch objects to is for the report to say.
        reason = f"{type(error).__name__}: {error}"
        return Change(switch.name, switch.setting, "not-set", before, switch.read(), reason)
    after = switch.read()
    if not switch.holds(after, target):
        reason = f"it was set, and still reads as {after!r}"
        return Change(switch.name, switch.setting, "not-set", before, after, reason)
    return Change(switch.name, switch.setting, "set", before, after)


def _put_back(switch: Switch, saved: object) -> None:
    # Torch can be told to refuse flags; what it refused to set needs no putting back.
    if switch.save() != saved:
        switch.restore(saved)


def _could_not_set(report: ControlReport) -> ControlError:
    lines = "\n".join(f"  {change.name}: {change.reason}" for change in report.not_set)
    names = [change.name for change in report.not_set]
    return ControlError(
        f"deterministic(strict=True) could not set:\n{lines}",
        hint=f"Do what each line says, or accept them as they are: keep={names!r}.",
    )


def _line(change: Change) -> str:
    before, after = ("unset" if v is None else str(v) for v in (change.before, change.after))
    detail = {
        "set": f"{before} -> {after}",
        "held": after,
        "not-set": f"{after}: {change.reason}",
        "not-applicable": change.reason,
        "kept": "as the caller asked",
    }[change.outcome]
    return f"{change.name:<26} {change.outcome:<14} {detail}"
