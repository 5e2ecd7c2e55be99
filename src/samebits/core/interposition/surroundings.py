"""What surrounds a run and may be changed from outside: variables, addresses, arguments, hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from samebits.core.setting import Setting


@dataclass(frozen=True, kw_only=True)
class HookSpec:
    """One hook to install in the recorded process before the script's first line.

    Attributes:
        name: Its name, that of a module in `samebits.check.hooks`.
        settings: What it is to do; each hook lists its own. Every hook takes `sites`, a list of
            `[file, line]`: it then acts only where the innermost line of the user's code is one of
            these, and leaves everything else as it is.
    """

    name: str
    settings: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What to hold still or to change around a run; the default leaves everything as it is.

    Attributes:
        environment: Variables to set, or to remove where the value is None.
        addresses: "fixed" starts the process without address space randomisation, "random" with it
            also under control or where samebits itself runs without; "as-is" does neither.
        hooks: What acts inside the process.
        argv: Arguments to replace or append, as pairs of an option and its value: ("--batch",
            "8") replaces `--batch 4` and `--batch=4`. An option without a leading dash is written
            `batch=8`.
    """

    environment: Mapping[str, str | None] = field(default_factory=dict)
    addresses: Literal["as-is", "fixed", "random"] = "as-is"
    hooks: tuple[HookSpec, ...] = ()
    argv: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.argv) % 2 == 0, self.argv

    def __or__(self, other: Surroundings) -> Surroundings:
        """Both together; where they say different things of one thing, the right one wins."""
        hooks = {hook.name: hook for hook in self.hooks}
        for hook in other.hooks:
            hidden = hooks[hook.name].settings.get("absent") if hook.name in hooks else None
            # A run that is not to find some files is not to find them whatever else it is made for.
            settings = {"absent": hidden, **hook.settings} if hidden else hook.settings
            hooks[hook.name] = replace(hook, settings=settings)
        return Surroundings(
            environment={**self.environment, **other.environment},
            addresses=other.addresses if other.addresses != "as-is" else self.addresses,
            hooks=tuple(hooks.values()),
            argv=self.argv + other.argv,
        )

    def applied_environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return the environment to start the process with; `base` is not changed."""
        environment = dict(base)
        for name, value in self.environment.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value
        return environment

    def applied_arguments(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """Return the script's arguments with `argv` in them."""
        result = list(arguments)
        for option, value in zip(self.argv[::2], self.argv[1::2], strict=True):
            result = _with_option(result, option, value)
        return tuple(result)


def argument_value(arguments: Sequence[str], option: str) -> str | None:
    """Return the value that an option has in a command line; None when it is not there."""
    for position, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == option and equals:
            return value
        if argument == option and option.startswith("-") and position + 1 < len(arguments):
            return arguments[position + 1]
    return None


def _with_option(arguments: list[str], option: str, value: str) -> list[str]:
    result = list(arguments)
    for position, argument in enumerate(arguments):
        if argument.partition("=")[::2][0] == option and "=" in argument:
            result[position] = f"{option}={value}"
            return result
        if argument == option and option.startswith("-") and position + 1 < len(arguments):
            result[position + 1] = value
            return result
    return result + ([option, value] if option.startswith("-") else [f"{option}={value}"])
