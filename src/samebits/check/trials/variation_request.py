"""Which variations a person asks for."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check import causes
from samebits.core.names import nearest
from samebits.errors import UsageError

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class VariationRequest:
    """Which variations a person asks for.

    Attributes:
        names: Names, with "all" for all of them.
        leave_out: Names to leave out.
        batch_flag: The script's option for the variation "batch".
    """

    names: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    batch_flag: str | None = None

    def chosen(self) -> tuple[str, ...]:
        """The variations to try, in the order in which they were named.

        Raises:
            UsageError: A name is none; or only the variation "batch" is asked for, without the
                option that it needs.
        """
        known = causes.VARIATION_NAMES
        for name in (*self.names, *self.leave_out):
            if name not in known and name != ALL:
                raise UsageError(
                    f"there is no variation {name!r}", hint=nearest(name, (ALL, *known))
                )
        if "batch" in self.names and not self.batch_flag:
            raise UsageError(
                "the variation batch needs to know the script's option that splits batches",
                hint="name it: --batch-flag=--batch-size, or with values: "
                "--batch-flag=--batch-size=8,16",
            )
        wanted = [n for name in self.names for n in (known if name == ALL else (name,))]
        return tuple(name for name in dict.fromkeys(wanted) if name not in self.leave_out)


NOTHING_VARIED = VariationRequest()
