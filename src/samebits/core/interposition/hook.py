"""What every hook has in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from samebits.core.interposition.callers import UserLines, site_set
from samebits.core.interposition.replacements import Replacements
from samebits.core.on_import import when_imported
from samebits.core.setting import Setting
from samebits.errors import ControlError

Function = Callable[..., Any]


class Hook:
    """Acts inside a process: takes the place of functions that say something of the surroundings.

    A subclass lists its settings with their defaults and puts its replacements in `put_in_place`.
    A hook acts in forked children too.

    Args:
        settings: What the launcher asks for.
        lines: Finds the user's line that is running.

    Attributes:
        acted: How often it has changed what the script saw.

    Raises:
        ControlError: A setting that this hook does not have, or a value of another type.
    """

    name: ClassVar[str]
    defaults: ClassVar[Mapping[str, Setting]] = {}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        self.settings = self._checked(settings)
        self.acted = 0
        self._lines = lines
        sites: Any = settings.get("sites")
        self._sites = None if sites is None else site_set(sites)
        self._replacements = Replacements()
        self._active = False

    def install(self) -> None:
        """Begin to act."""
        self._active = True
        self.put_in_place()

    def remove(self) -> None:
        """Act no more, and leave everything as it was found."""
        self._active = False
        self._replacements.undo()

    def put_in_place(self) -> None:
        """Put the replacements; for a module that is not imported yet, by `when_imported`."""
        raise NotImplementedError

    def end(self) -> None:
        """The process is about to leave by `os._exit`; what it put in place stays there."""

    def enter_child(self, number: int) -> None:
        """Called in a forked child; `number` counts the parent's forks from 0."""

    def when_imported(self, module: str, action: Callable[[], None]) -> None:
        """Do something once a module is imported, unless the hook is removed by then."""
        when_imported(module, lambda: action() if self._active else None)

    def replace(self, owner: Any, name: str, make: Callable[[Function], Function]) -> None:
        """Put a replacement for `owner.name` that acts at the settings' sites alone, if it has any.

        Args:
            owner: A module or a class.
            name: The attribute.
            make: Given the original function, returns what acts in its place.
        """
        self._replacements.replace(owner, name, lambda original: self._at_sites(original, make))

    def replace_sqlite_connect(self, make: Callable[[Function], Function]) -> None:
        """Put a replacement for `sqlite3.connect`, once that is imported, under both its names."""

        def imported() -> None:
            for name in ("sqlite3", "sqlite3.dbapi2"):
                if name in sys.modules:
                    self.replace(sys.modules[name], "connect", make)

        self.when_imported("sqlite3", imported)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Set `owner.name` while the hook acts."""
        self._replacements.put(owner, name, value)

    def _at_sites(self, original: Function, make: Callable[[Function], Function]) -> Function:
        acting, sites, lines = make(original), self._sites, self._lines
        if sites is None:
            return acting

        def at_sites(*args: Any, **kwargs: Any) -> Any:
            chosen = acting if lines.are_at(sites) else original
            return chosen(*args, **kwargs)

        return at_sites

    def _checked(self, settings: Mapping[str, Setting]) -> dict[str, Any]:
        for key, value in settings.items():
            if key == "sites":
                continue
            if key not in self.defaults:
                raise ControlError(
                    f"the hook {self.name} has no setting {key!r}",
                    hint=f"it has {', '.join([*self.defaults, 'sites'])}",
                )
            default = self.defaults[key]
            fitting: tuple[type, ...] = (int, float) if type(default) is float else (type(default),)
            if default is not None and not isinstance(value, fitting):
                raise ControlError(
                    f"the setting {key} of the hook {self.name} cannot be {value!r}",
                    hint=f"give a value of type {fitting[-1].__name__}",
                )
        return {**self.defaults, **settings}
