"""Names of runs that are put together of what was drawn without a seed: "amber-jetway-301".

A configuration, a sample or a group may be called so as well. So it has to be said that it is a
name: by a word before it ("run", "experiment"), or by a file that is written under it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

_PARTS = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]+(?:[-_][0-9A-Za-z]+)+(?![0-9A-Za-z])")
_BETWEEN = re.compile(r"([-_])")
_WORD = re.compile(r"[A-Za-z]{3,}")
_NAMES = r"(?:exp|experiment|job|run|session)s?"
_SAID = re.compile(
    rf"(?<!best )(?<![0-9A-Za-z]){_NAMES}(?:[ _-]?(?:name|id|tag))?['\"]?\s*[:=/]?\s*['\"]?\Z",
    re.IGNORECASE,
)
_IN_FRONT = re.compile(_NAMES, re.IGNORECASE)
_AS_FAR = 32
"""Characters before a name that are looked at."""


def without_drawn_names(text: str, chosen: Sequence[str], written: Collection[str] = ()) -> str:
    """A text with "#name 0.2#" in the place of such a name, of the first and the third draw.

    Args:
        text: One line, or several.
        chosen: Words and whole numbers that the run drew without a seed, in their order.
        written: Names, whole, of files and folders that it wrote (`drawn_names_in`).
    """

    def without(found: re.Match[str]) -> str:
        before = found.string[max(found.start() - _AS_FAR, 0) : found.start()]
        said = found[0] in written or _SAID.search(before) is not None
        return "".join(_pieces(found[0], chosen, said=said))

    return _PARTS.sub(without, text)


def drawn_names_in(path: str, chosen: Sequence[str]) -> Iterator[str]:
    """What in a path is put together so, whole: "run-amber-301" of "out/run-amber-301/net.pt"."""
    for found in _PARTS.finditer(path):
        if "".join(_pieces(found[0], chosen, said=True)) != found[0]:
            yield found[0]


def _pieces(name: str, chosen: Sequence[str], *, said: bool) -> Iterator[str]:
    pieces = _BETWEEN.split(name)  # parts, and what is between them, by turns
    numbers = [_place(piece, chosen) for piece in pieces]
    at = 0
    while at < len(pieces):
        end = at
        while end < len(pieces) and numbers[end] is not None:
            end += 2
        known = said or (at > 0 and _IN_FRONT.fullmatch(pieces[at - 2]) is not None)
        if known and end - at > 2 and any(map(_WORD.fullmatch, pieces[at:end:2])):
            yield f"#name {'.'.join(str(n) for n in numbers[at:end:2])}#"
            at = end - 1
        else:
            yield pieces[at]
            at += 1


def _place(part: str, chosen: Sequence[str]) -> int | None:
    """The how-many-eth draw a part is; None where it is none."""
    if part.isdecimal():
        part = part.lstrip("0") or "0"
    elif not _WORD.fullmatch(part):
        return None
    wanted = part.casefold()
    return next((n for n, one in enumerate(chosen) if one.casefold() == wanted), None)
