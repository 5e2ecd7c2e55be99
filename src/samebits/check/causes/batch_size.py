"""The size of a batch."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.variation import Baseline, Compared, Variation
from samebits.core.interposition.surroundings import Surroundings, argument_value


class BatchVariation(Variation):
    """The script's own option splits each step into batches of another size."""

    name: ClassVar[str] = "batch"
    what: ClassVar[str] = "another split into batches (--batch-flag)"
    meaning: ClassVar[str] = (
        "the batch size determines which kernels run and how sums are split; averaging over "
        "batches also weights each sample by its batch"
    )
    fix: ClassVar[str] = "Compare runs of one batch size."
    compares: ClassVar[Compared] = "steps"

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """It needs the option's name, and a number."""
        if not circumstances.batch_flag:
            return "no option of the script is named that splits batches: --batch-flag FLAG"
        option, _, values = circumstances.batch_flag.partition("=")
        if values:
            return None
        given = argument_value(circumstances.arguments, option)
        if given is None:
            return f"the script is run without {option}: write --batch-flag {option}=VALUE"
        if not (given.isascii() and given.isdigit() and int(given) > 0):
            return f"{option} is no number here: write --batch-flag {option}=VALUE"
        return None

    def variants(self, circumstances: Baseline) -> dict[str, Surroundings]:
        """One run for each value that is named, else one with half of what is given."""
        assert circumstances.batch_flag is not None
        option, _, values = circumstances.batch_flag.partition("=")
        if values:
            chosen = [value for value in values.split(",") if value]
        else:
            given = int(argument_value(circumstances.arguments, option) or 1)
            chosen = [str(given // 2 if given > 1 else 2)]
        several = len(chosen) > 1
        return {
            f"{self.name}={value}" if several else self.name: Surroundings(argv=(option, value))
            for value in chosen
        }


class BatchSize(KnownCause):
    """Batches of another size take another kernel, or cut its sums in other places."""

    code: ClassVar[str] = "batch-size"
    meaning: ClassVar[str] = (
        "The size of the batch decided which kernel ran and how its sums were cut."
    )
    look: ClassVar[str] = "Compare runs of one batch size."
    variations: ClassVar[tuple[Variation, ...]] = (BatchVariation(),)
