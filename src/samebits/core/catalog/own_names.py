"""What a run has for itself: its processes' numbers, names from the system, how long it took.

Such a name tells two runs apart and says nothing of what they computed. In a text each run's own
stands for the other's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from samebits.core.catalog.drawn_names import without_drawn_names

_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{6,})(?![0-9A-Za-z])"
)
_NUMBER = re.compile(r"(?<![0-9A-Za-z.])[0-9]{1,10}(?![0-9A-Za-z]|\.[0-9])")
REAL = re.compile(r"(?<![\w.])[0-9]+\.[0-9]{9,}(?:[eE][-+]?[0-9]+)?(?![\w.])")
"""A number with so many digits that another one equals it by chance as good as never."""
_VERSION, _VARIANT = 12, 16
"""Digits of a uuid4 that are no random bits: RFC 9562, section 5.4."""


@dataclass(frozen=True)
class OwnNames:
    """Names that one run has for itself.

    Attributes:
        process: The number of the process that the text is of; None where it is not known.
        drawn: Bytes that uuid4, token_hex, SystemRandom and SeedSequence drew from the system, in
            hexadecimal digits.
        words: Words that were drawn letter by letter, as names are. Each stands for that of the
            other run which was drawn as the same one of several.
        spelt: Letters that were drawn one at a time: a name is some of them, in their order.
        chosen: Words and whole numbers that were drawn without a seed; see `drawn_names`.
        written: Names that are put together of them, and that files and folders were given.
        others: Numbers of the run's other processes → what each is called in every run. A number
            stands for that of the same process alone.
        durations: Numbers, as they were printed (`REAL`), that are the time between two readings of
            a clock to the last bit.
    """

    process: int | None = None
    drawn: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    spelt: str = ""
    chosen: tuple[str, ...] = ()
    written: Collection[str] = frozenset()
    others: Mapping[int, str] = field(default_factory=dict)
    durations: Collection[str] = frozenset()

    @classmethod
    def from_facts(cls, facts: Mapping[str, object]) -> OwnNames:
        """From what a manifest says of the script's own process, under the names of `of`."""
        return cls.of(*map(facts.get, _FACTS))

    @classmethod
    def of(
        cls,
        process: object,
        drawn: object,
        durations: object = None,
        words: object = None,
        spelt: object = None,
        chosen: object = None,
    ) -> OwnNames:
        """From what a manifest holds, where that is what it should be."""
        return cls(
            process if isinstance(process, int) else None,
            tuple(text for text in _texts(drawn) if len(text) >= _LEAST_DIGITS),
            tuple(text for text in _texts(words) if _WORD.fullmatch(text)),
            spelt if isinstance(spelt, str) else "",
            _texts(chosen),
            durations=frozenset(text for text in _texts(durations) if REAL.fullmatch(text)),
        )


def _texts(held: object) -> tuple[str, ...]:
    return tuple(one for one in held if isinstance(one, str)) if isinstance(held, _SEVERAL) else ()


_FACTS = ("process", "drawn", "durations", "words", "spelt", "chosen")
_SEVERAL = (list, tuple)
_LEAST_DIGITS = 6
_WORD = re.compile(r"(?<![0-9A-Za-z.])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{4,16}(?![0-9A-Za-z])")
_LONGEST_NUMBER = 16
_WHOLE_NUMBER = re.compile(r"(?<![0-9A-Za-z.])[0-9]{30,39}(?![0-9A-Za-z]|\.[0-9])")
_WHOLE = 32
"""Digits of 16 bytes, of which a number of so many decimal ones may be made."""


def without_own_names(text: str, own: OwnNames) -> str:
    """A text with "#" in the place of each of a run's own names.

    Args:
        text: One line, or several.
        own: The names of the run that wrote it. Of bytes it may hold six digits or more from the
            beginning on, all of them as a uuid4, or the number that SystemRandom makes of them.
    """

    def process(found: re.Match[str]) -> str:
        number = int(found[0])
        if number == own.process:
            return "#"
        name = own.others.get(number)
        return found[0] if name is None else f"#{name}#"

    if own.durations:
        text = REAL.sub(lambda found: "#" if found[0] in own.durations else found[0], text)
    if own.process is not None or own.others:
        text = _NUMBER.sub(process, text)
    if own.words or own.spelt:
        text = _WORD.sub(lambda found: _word(found[0], own), text)
    if own.chosen:
        text = without_drawn_names(text, own.chosen, own.written)
    if not own.drawn:
        return text
    numbers = {int(digits, 16) for digits in own.drawn if len(digits) == _WHOLE}
    if numbers:
        text = _WHOLE_NUMBER.sub(lambda n: "#" if int(n[0]) in numbers else n[0], text)
    known = tuple(form for digits in own.drawn for form in _forms(digits))
    whole = frozenset(known)

    def name(found: re.Match[str]) -> str:
        digits = found[0].replace("-", "")
        is_own = digits in whole or any(form.startswith(digits) for form in known)
        return "#" if is_own else found[0]

    return _HEX.sub(name, text)


def _word(word: str, own: OwnNames) -> str:
    """What a word is called in every run; the word itself where it is none of the run's own."""
    if word in own.words:
        return f"#word {own.words.index(word)}#"
    return f"#letter {own.spelt.index(word)}#" if word in own.spelt else word


def _forms(digits: str) -> Iterable[str]:
    yield digits
    if len(digits) <= _LONGEST_NUMBER:
        # Of the bytes that it gets, SystemRandom drops the bits that a number does not need.
        for bits in range(1, 8):
            yield f"{int(digits, 16) >> bits:x}".zfill(_LEAST_DIGITS)
    if len(digits) == 32:
        variant = f"{int(digits[_VARIANT], 16) & 3 | 8:x}"
        yield f"{digits[:_VERSION]}4{digits[13:_VARIANT]}{variant}{digits[17:]}"
