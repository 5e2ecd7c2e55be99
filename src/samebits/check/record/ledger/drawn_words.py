"""Names of runs that are drawn letter by letter: `"".join(random.choices(ascii_lowercase, k=6))`.

What is drawn letter by letter may be a result as well: a sequence that a model samples, a sentence.
So few and short words count, out of an alphabet, each letter as likely as another.
"""

from __future__ import annotations

import random
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching
from samebits.core import _native

_FEWEST_LETTERS, _MOST_LETTERS = 4, 16
_ALPHABET = 10
"""Fewer letters are no alphabet: "ACGT" are four bases."""
_MOST_WORDS = 4
"""Whoever draws more draws no name."""


class DrawnWords:
    """The words that one process has drawn out of alphabets."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._letters: list[str] = []
        self._alphabet = ""

    def listen(self, watching: Watching, recorder: _native.Recorder) -> None:
        """Hear of what Python's generators choose.

        Args:
            watching: The ledger's watches.
            recorder: The process's recorder.
        """
        told = {"choices": self._chosen, "sample": self._chosen, "choice": self._letter}
        for name, after in told.items():
            watching.undo_with(hook_function(recorder, random.Random, name, CALL, after))
            _rebind(watching, name)

    @property
    def words(self) -> tuple[str, ...]:
        """What may be names, in the order in which they were drawn; none where there are many."""
        words = (*self._words, *self._spelt())
        return words if len(words) <= _MOST_WORDS else ()

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        alphabet = args[1] if len(args) > 1 else kwargs.get("population")
        weights = [*args[2:], *(kwargs.get(name) for name in ("weights", "cum_weights", "counts"))]
        # The third thing that `sample` is given is a number of letters.
        alike = all(one is None or isinstance(one, int) for one in weights)
        if _is_alphabet(alphabet) and alike:
            self._keep("".join(result))

    def _letter(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        alphabet = args[1] if len(args) > 1 else kwargs.get("seq")
        if not isinstance(alphabet, str) or not _is_alphabet(alphabet):
            return
        if alphabet != self._alphabet:
            self._words += self._spelt()
            self._alphabet, self._letters = alphabet, []
        if len(self._letters) <= _MOST_LETTERS:
            self._letters.append(result)

    def _spelt(self) -> list[str]:
        """What single letters have come to."""
        word = "".join(self._letters)
        return [word] if _FEWEST_LETTERS <= len(word) <= _MOST_LETTERS else []

    def _keep(self, word: str) -> None:
        if _FEWEST_LETTERS <= len(word) <= _MOST_LETTERS and len(self._words) <= _MOST_WORDS:
            self._words.append(word)


def _is_alphabet(letters: object) -> bool:
    """Whether somebody has written letters for names: digits alone make a number."""
    return (
        isinstance(letters, str)
        and letters.isascii()
        and letters.isalnum()
        and not letters.isdecimal()
        and len(set(letters)) >= _ALPHABET
    )


def _rebind(watching: Watching, name: str) -> None:
    """`random.choice` is a method of the shared generator, taken before the class had a hook."""
    of_module = vars(random).get(name)
    now = getattr(random._inst, name)
    if getattr(of_module, "__func__", None) is getattr(now, "__func__", now):
        return
    setattr(random, name, now)

    def undo() -> None:
        if vars(random).get(name) is now:
            setattr(random, name, of_module)

    watching.undo_with(undo)
